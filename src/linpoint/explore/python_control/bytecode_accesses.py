# SPDX-License-Identifier: Apache-2.0
"""The access of each instruction of a code object, and the positions of its operands on the value stack.

The table is for the native hook (``native/bindings/control/``), which inspects the operands just before the instruction
runs. The depth of the stack is computed by following the instructions, so it works in every version of Python without
support at run time. Guarantee: every instruction that can read or change an attribute, the contents of a container, a
shared global name or a ``nonlocal`` variable has a row. Cost: O(instructions), once per code object.
"""

from __future__ import annotations

import dis
import enum
import inspect
import itertools
import types
from collections.abc import Iterator
from typing import Final, NamedTuple

from linpoint.explore.python_control.shared_names import SharedNames, shared_names

_FIRST_INPLACE_OPARG: Final = 13
"""From this argument on, BINARY_OP changes its left operand in place if it is mutable."""


_REMAINDER_OPARG: Final = 6
"""The argument of BINARY_OP for ``%``, which also formats text."""


class AccessAction(enum.IntEnum):
    """The action of an instruction. The native hook uses the same numbers."""

    NONE = 0
    READ_ATTRIBUTE = 1
    WRITE_ATTRIBUTE = 2
    READ_CONTENTS = 3
    WRITE_CONTENTS = 4
    ITERATE = 5
    CALL = 6
    READ_CELL = 7
    WRITE_CELL = 8
    READ_GLOBAL = 9
    WRITE_GLOBAL = 10
    ENTER = 11
    READ_BOTH = 12
    CHANGE_IN_PLACE = 13
    CALL_WITH_NAMES = 14
    CALL_WITH_TUPLE = 15
    READ_TOP = 16
    READ_SUPER = 17
    MATCH_CLASS = 18
    YIELD = 19
    DELETE_ATTRIBUTE = 20
    DELETE_GLOBAL = 21
    # Only in code that announces its accesses.
    CALL_OF = 22
    MATCH = 23
    BREAK = 24
    LINE = 25
    UNSEEN = 26
    SPREAD = 27
    # In both kinds of code.
    READ_MEMBERS = 28
    READ_ITEM = 29
    READ_DEEPLY = 30
    READ_ANY = 31
    RETURN = 32


class InstructionAccess(NamedTuple):
    """An instruction of interest. ``at`` counts units of two bytes."""

    at: int
    action: AccessAction
    may_switch: bool
    """Whether other threads may run before it."""
    always: bool
    """Whether it is a scheduling point even if it touches nothing shared."""
    depth: int
    operand: int
    name: str | None


_AT: Final[dict[str, tuple[AccessAction, int]]] = {
    # The number is the position of the object, counted from the top of the stack.
    "LOAD_ATTR": (AccessAction.READ_ATTRIBUTE, 1),
    "LOAD_METHOD": (AccessAction.READ_ATTRIBUTE, 1),
    "STORE_ATTR": (AccessAction.WRITE_ATTRIBUTE, 1),
    "DELETE_ATTR": (AccessAction.DELETE_ATTRIBUTE, 1),
    "BINARY_SUBSCR": (AccessAction.READ_ITEM, 2),
    "STORE_SUBSCR": (AccessAction.WRITE_CONTENTS, 2),
    "DELETE_SUBSCR": (AccessAction.WRITE_CONTENTS, 2),
    "BINARY_SLICE": (AccessAction.READ_CONTENTS, 3),
    "STORE_SLICE": (AccessAction.WRITE_CONTENTS, 3),
    "CONTAINS_OP": (AccessAction.READ_MEMBERS, 1),
    "COMPARE_OP": (AccessAction.READ_BOTH, 1),
    "GET_ITER": (AccessAction.READ_CONTENTS, 1),
    "GET_YIELD_FROM_ITER": (AccessAction.READ_CONTENTS, 1),
    "FOR_ITER": (AccessAction.ITERATE, 1),
    "SEND": (AccessAction.ITERATE, 2),
    "GET_LEN": (AccessAction.READ_CONTENTS, 1),
    "MATCH_KEYS": (AccessAction.READ_CONTENTS, 2),
    "LOAD_SUPER_ATTR": (AccessAction.READ_SUPER, 0),
    "UNPACK_SEQUENCE": (AccessAction.READ_TOP, 1),
    "UNPACK_EX": (AccessAction.READ_TOP, 1),
    "LIST_EXTEND": (AccessAction.READ_TOP, 1),
    "SET_UPDATE": (AccessAction.READ_TOP, 1),
    "DICT_UPDATE": (AccessAction.READ_TOP, 1),
    "DICT_MERGE": (AccessAction.READ_TOP, 1),
    "UNARY_NOT": (AccessAction.READ_TOP, 1),
    "TO_BOOL": (AccessAction.READ_TOP, 1),
    "CONVERT_VALUE": (AccessAction.READ_DEEPLY, 1),
    "FORMAT_SIMPLE": (AccessAction.READ_DEEPLY, 1),
    "FORMAT_WITH_SPEC": (AccessAction.READ_DEEPLY, 2),
    "BEFORE_WITH": (AccessAction.ENTER, 1),
    "BEFORE_ASYNC_WITH": (AccessAction.ENTER, 1),
}
_GLOBALS: Final = {
    "LOAD_GLOBAL": AccessAction.READ_GLOBAL,
    "STORE_GLOBAL": AccessAction.WRITE_GLOBAL,
    "DELETE_GLOBAL": AccessAction.DELETE_GLOBAL,
}
_NAMES: Final = {
    "LOAD_NAME": AccessAction.READ_GLOBAL,
    "STORE_NAME": AccessAction.WRITE_GLOBAL,
    "DELETE_NAME": AccessAction.DELETE_GLOBAL,
}
_CELLS: Final = {
    "LOAD_DEREF": AccessAction.READ_CELL,
    "STORE_DEREF": AccessAction.WRITE_CELL,
    "DELETE_DEREF": AccessAction.WRITE_CELL,
}
_CALLS: Final = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
_ENDS: Final = frozenset(("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"))
_LEAVES: Final = frozenset(("YIELD_VALUE", "RETURN_VALUE", "RETURN_CONST"))
_NAMED: Final = frozenset(
    (
        AccessAction.READ_ATTRIBUTE,
        AccessAction.READ_ANY,
        AccessAction.WRITE_ATTRIBUTE,
        AccessAction.DELETE_ATTRIBUTE,
        AccessAction.READ_SUPER,
    )
)
_WITHOUT_FALL: Final = frozenset(("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"))
_HAS_PRECALL: Final = "PRECALL" in dis.opmap
_JUMPS: Final = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)


def table(
    code: types.CodeType, *, granularity: str = "access", gil: bool = False, program: bool = False
) -> list[InstructionAccess]:
    """The rows of a code object. With ``gil``, threads switch only where an interpreter with a global lock permits it.

    ``program`` is whether the code belongs to a whole program, whose global names threads may share.
    """
    shared = shared_names(code.co_filename, program=program)
    rows = []
    after_call = False
    for index, one, depth in _instructions(code):
        starts = one.starts_line not in (None, False)
        action, operand, name = _touches(one, code, shared)
        breaks = after_call or one.opname in ("RESUME", "JUMP_BACKWARD") or one.opname.startswith("POP_JUMP_BACKWARD")
        after_call = one.opname in _CALLS
        always = breaks if gil else granularity == "opcode" or (granularity == "line" and starts)
        may_switch = always or (granularity == "access" and not gil)
        if action is not AccessAction.NONE or always:
            rows.append(InstructionAccess(index, action, may_switch, always, depth, operand, name))
    return rows


def _touches(one: dis.Instruction, code: types.CodeType, shared: SharedNames) -> tuple[AccessAction, int, str | None]:
    opname, arg = one.opname, one.arg or 0
    if opname in _AT:
        action, place = _AT[opname]
        if action is AccessAction.READ_ATTRIBUTE and one.argval in shared.attributes:
            action = AccessAction.READ_ANY
        return action, place, one.argval if action in _NAMED else None
    if opname in _GLOBALS or (opname in _NAMES and code.co_name == "<module>"):
        if one.argval not in shared.globals:
            return AccessAction.NONE, 0, None
        return (_GLOBALS.get(opname) or _NAMES[opname]), 0, one.argval
    if opname in _CELLS:
        return (_CELLS[opname], arg, None) if one.argval in shared.nonlocals else (AccessAction.NONE, 0, None)
    if opname == "BINARY_OP":
        return (
            (AccessAction.CHANGE_IN_PLACE if arg >= _FIRST_INPLACE_OPARG else AccessAction.READ_BOTH),
            int(arg == _REMAINDER_OPARG),
            None,
        )
    if opname in _LEAVES and code.co_flags & inspect.CO_GENERATOR:
        return AccessAction.YIELD, 0, None
    if opname in _LEAVES:
        return AccessAction.RETURN, 0, None
    if opname == "MATCH_CLASS":
        return AccessAction.MATCH_CLASS, arg, None
    if opname == "CALL":
        return AccessAction.CALL, arg, None
    if opname == "CALL_KW":
        return AccessAction.CALL_WITH_NAMES, arg, None
    if opname == "CALL_FUNCTION_EX":
        return AccessAction.CALL_WITH_TUPLE, arg & 1, None
    if opname == "FORMAT_VALUE":
        return AccessAction.READ_DEEPLY, 2 if arg & 4 else 1, None
    if opname.startswith(("POP_JUMP", "JUMP_IF")) and opname.endswith(("TRUE", "FALSE", "OR_POP")):
        return AccessAction.READ_TOP, 1, None
    return AccessAction.NONE, 0, None


def _instructions(code: types.CodeType) -> Iterator[tuple[int, dis.Instruction, int]]:
    """Each reachable instruction with its position (that of its first prefix) and the stack depth before it."""
    depths = stack_depths(code)
    begins: int | None = None
    for one in dis.get_instructions(code):
        place = one.offset if begins is None else begins
        if one.opname == "EXTENDED_ARG":
            begins = place
            continue
        begins = None
        if one.offset in depths:
            yield place // 2, one, depths[one.offset]


def stack_depths(code: types.CodeType) -> dict[int, int]:
    """The number of values on the stack before each reachable instruction, by offset."""
    instructions = list(dis.get_instructions(code))
    following = {one.offset: after.offset for one, after in itertools.pairwise(instructions)}
    by_offset = {one.offset: one for one in instructions}
    handlers = dis._parse_exception_table(code)  # type: ignore[attr-defined]  # noqa: SLF001 - no public API
    depths: dict[int, int] = {}
    todo = [(instructions[0].offset, 0)] if instructions else []
    while todo:
        offset, depth = todo.pop()
        if offset in depths:
            continue
        depths[offset] = depth
        one = by_offset[offset]
        jumps = one.opcode in _JUMPS
        if one.opname not in _ENDS and one.opname not in _WITHOUT_FALL and offset in following:
            todo.append((following[offset], depth + _effect(one, jump=False)))
        if jumps:
            todo.append((one.argval, depth + _effect(one, jump=True)))
        # The exception, and the position of its instruction if the handler needs it.
        todo += ((each.target, each.depth + 1 + each.lasti) for each in handlers if each.start <= offset < each.end)
    return depths


def _effect(one: dis.Instruction, *, jump: bool) -> int:
    if one.opname == "RETURN_GENERATOR":
        return 1  # the value sent first
    if _HAS_PRECALL and one.opname in ("PRECALL", "CALL"):
        return 0 if one.opname == "PRECALL" else -(one.arg or 0) - 1  # CALL removes the arguments
    return dis.stack_effect(one.opcode, one.arg if one.opcode >= dis.HAVE_ARGUMENT else None, jump=jump)
