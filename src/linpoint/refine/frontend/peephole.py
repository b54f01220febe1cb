# SPDX-License-Identifier: Apache-2.0
"""Turns drafts into instructions: no jump leads to a jump or to the next instruction, and unreachable code is removed.

Cost: linear in the code, a few times over.
"""

from __future__ import annotations

from dataclasses import replace

from linpoint.refine.frontend.code_writer import DraftCode
from linpoint.refine.program_ir import Instruction, OpCode

_BRANCHES = {OpCode.JUMP_IF: OpCode.JUMP_UNLESS, OpCode.JUMP_UNLESS: OpCode.JUMP_IF}
_ENDS = {OpCode.JUMP, OpCode.RETURN}


def simplify_jumps(drafts: list[DraftCode], first: int) -> list[Instruction]:
    """The code of one operation, whose first instruction will be number ``first``."""
    code = [
        draft.instruction if draft.label is None else replace(draft.instruction, target=draft.label.at)
        for draft in drafts
    ]
    while True:
        code = [_threaded(code, each) for each in code]
        shorter = _kept(_turned(code))
        if len(shorter) == len(code):
            return [each if each.target < 0 else replace(each, target=each.target + first) for each in shorter]
        code = shorter


def _threaded(code: list[Instruction], each: Instruction) -> Instruction:
    """Redirect a jump to a jump to the final target; replace a jump to a return by that return."""
    if each.target < 0:
        return each
    target, seen = each.target, set[int]()
    while code[target].code is OpCode.JUMP and target not in seen:
        seen.add(target)
        target = code[target].target
    if each.code is OpCode.JUMP and code[target].code is OpCode.RETURN:
        return code[target]
    return replace(each, target=target)


def _turned(code: list[Instruction]) -> list[Instruction]:
    """Replace a jump over a jump by one jump on the opposite condition."""
    turned = list(code)
    for at, each in enumerate(code[:-1]):
        following = code[at + 1]
        if each.code in _BRANCHES and following.code is OpCode.JUMP and each.target == at + 2:
            turned[at] = replace(each, code=_BRANCHES[each.code], target=following.target)
            turned[at + 1] = replace(following, target=at + 2)
    return turned


def _kept(code: list[Instruction]) -> list[Instruction]:
    """Remove unreachable code, and jumps to the next instruction."""
    reached: set[int] = set()
    pending = [0]
    while pending:
        at = pending.pop()
        if at in reached or at >= len(code):
            continue
        reached.add(at)
        if code[at].target >= 0:
            pending.append(code[at].target)
        if code[at].code not in _ENDS:
            pending.append(at + 1)
    kept = [at for at in sorted(reached) if code[at].target < 0 or _next_reached(at, reached) != code[at].target]
    moved, number = {}, 0
    wanted = set(kept)
    for at in range(len(code) + 1):
        moved[at] = number
        number += at in wanted
    return [code[at] if code[at].target < 0 else replace(code[at], target=moved[code[at].target]) for at in kept]


def _next_reached(at: int, reached: set[int]) -> int:
    following = at + 1
    while following not in reached and following <= max(reached):
        following += 1
    return following
