# SPDX-License-Identifier: Apache-2.0
"""Orders to step through, with the state of the spec after each step: witnesses, or a valid prefix.

A nondeterministic spec may be in several states; some of them are shown. Under ``buffered-durable`` a crash restores
the state of the surviving operations. Cost: limited in steps and in seconds; the page notes omitted steps.
"""

from __future__ import annotations

import itertools
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from linpoint.checkers.eras import Eras
from linpoint.checkers.stuck_frontier import extend_prefix, stuck_frontier
from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import why_blocked
from linpoint.explain.pages.script_data import plain
from linpoint.explain.wording.operation_names import checked_together
from linpoint.explain.wording.state_text import state_text
from linpoint.histories.operation import Operation
from linpoint.histories.values import canonical, format_value
from linpoint.specs.spec import Spec, State
from linpoint.text.phrases import count_noun
from linpoint.verdicts import KeyVerdict, Status, StuckFrontier, Verdict, Witness

MAX_STEPS: Final = 2_000
"""The maximum number of steps of one key."""
MAX_TOTAL_STEPS: Final = 20_000
ABSENT_PLACE: Final = -1
CRASH_PLACE: Final = -2
"""The index of an operation that is not on the page, and of a crash."""
_STEPPING_S: Final = 1.5
_MAX_CORE_OPERATIONS: Final = 24
"""Largest core for which a valid prefix is searched."""
_MAX_STATES: Final = 64
_MAX_SHOWN_STATES: Final = 3
_MAX_TEXT_CHARS: Final = 240


@dataclass(slots=True)
class _Run:
    """One run of the spec: the possible states of each object; with several objects, texts include the key."""

    spec: Spec
    several: bool
    states: dict[Any, list[State]] = field(default_factory=dict)

    def step(self, op: Operation) -> str:
        """The state after an operation, as text."""
        key = None if self.spec.key_argument else canonical(op.key)
        after: dict[Any, State] = {}
        for state in self.states.get(key, [self.spec.initial]):
            for each in self.spec.successors(state, op):
                after.setdefault(canonical(each), each)
        self.states[key] = list(after.values())[:_MAX_STATES]
        words = _in_words(self.states[key])
        return f"{plain(format_value(op.key), 60)}: {words}" if self.several else words


def stepped_orders(explanation: Explanation, places: Mapping[int, int]) -> list[dict[str, Any]]:
    """The orders of a page; ``places`` maps positions to indexes on the page."""
    deadline = time.monotonic() + _STEPPING_S
    verdict = explanation.verdict
    if verdict.status is Status.VIOLATION:
        return _longest(explanation, places, deadline)
    found = []
    left = MAX_TOTAL_STEPS
    for key in verdict.keys:
        whole, what = _order_of(key)
        if not whole or not left or time.monotonic() > deadline:
            continue
        title = what if key.key is None else f"Key {plain(format_value(key.key), 60)}: {what[0].lower()}{what[1:]}"
        order = list(islice(whole, min(MAX_STEPS, left)))
        steps = list(_steps(verdict, order, places, key.witness, deadline))
        left -= len(order)
        found.append(_order(verdict, title, steps, note=_missing(steps, len(whole))))
    return found


def _order_of(key: KeyVerdict) -> tuple[Sequence[int], str]:
    """The order of a key to step through, and its title."""
    if key.witness is not None:
        return key.witness.order, "Witness order"
    if key.reached is not None:
        return key.reached.prefix, "Longest legal prefix found"
    return (), ""


def _longest(explanation: Explanation, places: Mapping[int, int], deadline: float) -> list[dict[str, Any]]:
    """A valid prefix of the core, and the operations that cannot come next."""
    stuck, verdict = explanation.stuck or _frontier(explanation), explanation.verdict
    if stuck is None or (len(stuck.prefix) > MAX_STEPS and verdict.condition != "linearizable"):
        return []
    steps = list(_steps(verdict, stuck.prefix, places, None, deadline))
    title = "Valid prefix and blocked operations"
    if _taken(steps) < len(stuck.prefix):  # the state in which the others are blocked is unknown
        shown = steps[:MAX_STEPS]
        return [_order(verdict, title, shown, note=_missing(shown, len(stuck.prefix)))]
    blocked = [
        [places.get(each.position, ABSENT_PLACE), plain(why_blocked(explanation, stuck, each), _MAX_TEXT_CHARS)]
        for each in stuck.blocked
    ]
    before = max(0, len(steps) - MAX_STEPS)
    note = f"The first {count_noun(before, 'step')} {'is' if before == 1 else 'are'} omitted." if before else ""
    return [_order(verdict, title, steps, before=before, blocked=blocked, note=note)]


def _order(
    verdict: Verdict,
    title: str,
    steps: Sequence[list[Any]],
    *,
    before: int = 0,
    blocked: Sequence[list[Any]] = (),
    note: str = "",
) -> dict[str, Any]:
    """An order in the format of the page, without the first ``before`` steps, but with the state after them."""
    first = steps[before - 1][1] if before else _first(verdict)
    return {
        "title": title,
        "before": before,
        "first": first,
        "steps": steps[before:],
        "blocked": blocked,
        "note": note,
    }


def _frontier(explanation: Explanation) -> StuckFrontier | None:
    """A valid prefix of operations whose contradiction was found without one.

    Operations outside the core may have written the values that they observed; then there is nothing to step through.
    """
    verdict, core = explanation.verdict, explanation.core
    if not 1 < len(core) <= _MAX_CORE_OPERATIONS:
        return None
    answer = SubhistoryDecider(verdict.history, verdict.spec, verdict.condition).decide(core, seconds=_STEPPING_S / 3)
    if answer.found is not False:
        return None
    prefix = extend_prefix(verdict.history, core, verdict.spec, verdict.condition, answer.witness.order)
    return stuck_frontier(verdict.history, core, verdict.spec, verdict.condition, prefix) if prefix else None


def _first(verdict: Verdict) -> str:
    each = " for each key" if _of_several(verdict) else ""
    return f"{_in_words([verdict.spec.initial])}{each}"


def _of_several(verdict: Verdict) -> bool:
    """Whether an order covers several objects with separate states."""
    return checked_together(verdict) and verdict.history.keyed and not verdict.spec.key_argument


def _taken(steps: Sequence[list[Any]]) -> int:
    return sum(place != CRASH_PLACE for place, _ in steps)


def _missing(steps: Sequence[list[Any]], total: int) -> str:
    shown = _taken(steps)
    return f"The first {count_noun(shown, 'step')} of {total:,}." if shown < total else ""


def _steps(
    verdict: Verdict,
    order: Sequence[int],
    places: Mapping[int, int],
    witness: Witness | None,
    deadline: float,
) -> Iterator[list[Any]]:
    """Each step as its operation's index on the page and the state after it; a crash that loses operations is a step
    too.

    Without a witness, the side of a crash on which a spanning operation takes effect is unknown: the order ends there.
    """
    run = _Run(verdict.spec, _of_several(verdict))
    ops = verdict.history.operations
    lossy = verdict.condition == "buffered-durable"
    survivors = None if witness is None else witness.survivors
    cuts = [*itertools.accumulate(witness.eras)] if witness is not None and witness.eras is not None else None
    eras = Eras(verdict.history) if lossy and cuts is None else None
    era = 0
    trail = [dict(run.states)]  # the states since the last crash, before and after each operation
    for number, position in enumerate(order):
        if time.monotonic() > deadline:
            return
        op = ops[position]
        mine = bisect_right(cuts or [], number)
        if eras is not None:
            mine, last = eras.span(op)
            if mine != last:
                return
        for lost_in in range(era, mine):
            text = _crash(run, trail, None if survivors is None else survivors[lost_in])
            if text:
                yield [CRASH_PLACE, text]
            era, trail = lost_in + 1, [dict(run.states)]
        text = run.step(op)
        if lossy:
            trail.append(dict(run.states))
        yield [places.get(position, ABSENT_PLACE), text]


def _crash(run: _Run, trail: Sequence[dict[Any, list[State]]], survivors: int | None) -> str:
    """Restore the states that survive a crash and describe it; if the number of survivors is unknown, all candidates."""
    done = len(trail) - 1
    if survivors is not None:
        run.states = trail[survivors]
        lost = done - survivors
        return f"crash: loses the last {count_noun(lost, 'operation')}" if lost else ""
    for key in run.states:
        kept: dict[Any, State] = {}
        for states in trail:
            kept |= {canonical(state): state for state in states.get(key, [run.spec.initial])}
        run.states[key] = list(kept.values())[-_MAX_STATES:]
    return "crash: may lose some of the last operations" if done else ""


def _in_words(states: Sequence[State]) -> str:
    if not states:
        return "no state: the spec does not allow this step"
    texts = [plain(state_text(state), _MAX_TEXT_CHARS) for state in states[:_MAX_SHOWN_STATES]]
    more = f" or {len(states) - _MAX_SHOWN_STATES:,} others" if len(states) > _MAX_SHOWN_STATES else ""
    return " or ".join(texts) + more
