# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of a user's spec so that none can change a stored state.

A step receives a copy of the state, and its results are copied before they are stored. A step that works in place is
thus the pure function from the copy to its results; a note on stderr reports its cost. A step without such a meaning is
rejected with LP-S008:

- a change of an object, which is not copied (``state_copies``);
- a change by a step that returns several outcomes: in ``state.append(1); return [(True, state), (False, state)]`` the
  second was meant to leave the state unchanged;
- a change by a step that returns the state as it was before;
- a change of a state in which one list occurs in two places: of two equal states one may share it, and the other not;
- a change of a state that an earlier step returned, through a variable that outlives the step.

Guarantee: every change in place of the state given to a step is detected in that step. Cost: none for immutable states;
otherwise two copies and two comparisons per step.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from linpoint.errors import SpecError
from linpoint.histories.values import equal_values, freeze, thaw
from linpoint.specs.changing_line import changing_line
from linpoint.specs.key_order import is_tried, same_outcomes, with_reversed_keys
from linpoint.specs.spec import Outcomes, State
from linpoint.specs.state_copies import StateCopy
from linpoint.specs.state_kinds import is_immutable
from linpoint.specs.user_calls import call_step, need_hash, outcomes_of, user_error
from linpoint.text.printable import printable

_PLAIN: Final = frozenset({int, str, bool, float, type(None)})
_TIMED_COPIES: Final = 5
_announced: Final[set[str]] = set()
"""The changes that this process has reported: an object with ``apply`` gets a new guard for every check."""
_REMEDY: Final = "Return a new state, such as [*state, value] or {**state, key: value}, and do not change the old one."


@dataclass(frozen=True, slots=True)
class UserStep:
    """A step as the user wrote it."""

    owner: str
    operation: str
    place: str
    """The spec and the function, for errors."""
    function: Callable[..., Any]
    reads: bool = False


class StepGuard:
    """The guard of one spec. It is thread-safe if the steps are."""

    def __init__(self) -> None:
        self.changes: dict[str, str | None] = {}
        """The operations that have changed their states in place, with the lines of the changes."""
        self._taken: Counter[str] = Counter()
        self._returned: list[StateCopy] = []
        """The states that the last step returned, each with a copy."""
        self._broken: SpecError | None = None
        """Why no further step can be run: a stored state has changed."""
        self._sharing = ""
        """An operation that returned a state in which a container occurs in several places."""

    def applying(self, step: UserStep) -> Callable[..., Outcomes]:
        """The step in the form that specs use. Where state and outcome are plain values, nothing needs guarding."""
        function = step.function

        def apply(state: State, *args: Any, **keywords: Any) -> Outcomes:
            if self._returned or self._broken is not None or not (type(state) in _PLAIN or is_immutable(state)):
                return self.outcomes(step, state, args, keywords)
            try:
                found = function(state, *(args if _PLAIN.issuperset(map(type, args)) else map(thaw, args)), **keywords)
            except (Exception, SystemExit) as error:
                raise user_error(step.place, error, (state, *args)) from error
            if type(found) is tuple and len(found) == 2 and type(found[0]) in _PLAIN:
                after = found[1]
                if after is state or (not step.reads and (type(after) in _PLAIN or is_immutable(after))):
                    return [found]
            return self._judged(step, state, outcomes_of(step.place, found))

        return apply

    def outcomes(
        self, step: UserStep, state: State, args: tuple[Any, ...], keywords: Mapping[str, Any], operation: str = ""
    ) -> Outcomes:
        """The outcomes of a step for a state and fresh copies of ``args``.

        ``operation`` is the name of the operation if one ``step`` serves several.
        """
        if self._broken is not None:
            raise self._broken
        if operation:
            step = replace(step, operation=operation)
        if is_immutable(state):
            found = call_step(step.place, step.function, state, *map(thaw, args), **keywords)
        else:
            copy = _copy(step, state)
            found = call_step(step.place, step.function, copy.value, *map(thaw, args), **keywords)
            changed = copy.changed_object()
            if changed is not None or copy.is_changed():
                self._judge_change(step, copy, changed, found, args, keywords)
            else:
                found = [(given, state if after is copy.value else after) for given, after in found]
            self._try_another_order(step, state, found, args, keywords)
        return self._judged(step, state, found)

    def _judged(self, step: UserStep, state: State, found: Outcomes) -> Outcomes:
        if self._returned:
            self._verify_returned(step)
        if step.reads and not all(after is state or equal_values(after, state) for _, after in found):
            raise SpecError(
                "LP-S007",
                "it is declared to read, but changes the state.",
                place=step.place,
                remedy="Remove it from `reads`.",
            )
        return self._kept(step, state, found)

    def _kept(self, step: UserStep, before: State, found: Outcomes) -> Outcomes:
        """The outcomes, with copies of everything that a step could change later."""
        returned = []
        kept = []
        for result, after in found:
            given, following = result, after
            if not is_immutable(result):
                need_hash(step.place, "returned the result", result)
                given = _copy(step, freeze(result)).value
            if after is not before and not is_immutable(after):
                need_hash(step.place, "returned the state", after)
                copy = _copy(step, after)
                if copy.shared:
                    self._sharing = step.operation
                returned.append(copy)
                following = copy.value
            kept.append((given, following))
        if self._sharing and self.changes:
            raise _refusal(step, self._sharing_fact(), self.changes.get(step.operation))
        self._returned = returned
        return kept

    def _judge_change(
        self,
        step: UserStep,
        copy: StateCopy,
        changed: Any,
        found: Outcomes,
        args: tuple[Any, ...],
        keywords: Mapping[str, Any],
    ) -> None:
        """Allow the change of a copy, or reject it."""
        known = step.operation in self.changes
        line = (
            self.changes[step.operation]
            if known
            else changing_line(step.function, copy.original, *map(thaw, args), **keywords)
        )
        fact = ""
        if changed is not None:
            name = type(changed).__qualname__
            remedy = f"Return a new {name}, or make the class the spec with linpoint.sequential({name})."
            self._broken = _refusal(step, f"changes an object of type {name}, which cannot be copied", line, remedy)
            raise self._broken
        if len(found) > 1:
            fact = "returns several outcomes, some of which may refer to the unchanged state"
        elif any(after is not copy.value and equal_values(after, copy.original) for _, after in found):
            fact = "returns the unchanged state"
        elif copy.shared or self._sharing:
            fact = self._sharing_fact()
        if fact:
            raise _refusal(step, fact, line)
        if not self.changes:
            _announce(step, copy.original, line)
        self.changes[step.operation] = line

    def _try_another_order(
        self, step: UserStep, state: State, found: Outcomes, args: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> None:
        """Reject a step that gives different outcomes if the keys of a dict are in another order."""
        self._taken[step.operation] += 1
        if not is_tried(self._taken[step.operation]):
            return
        reordered, several = with_reversed_keys(_copy(step, state).value)
        if not several:
            return
        try:
            same = same_outcomes(found, outcomes_of(step.place, step.function(reordered, *map(thaw, args), **keywords)))
        except Exception:  # noqa: BLE001 - it did not raise in the other order
            same = False
        if not same:
            raise SpecError(
                "LP-S007",
                "its outcomes depend on the key order of a dict, but dicts with equal entries are the same state.",
                place=step.place,
                remedy="Use an OrderedDict or a tuple of pairs where the order matters.",
            )

    def _sharing_fact(self) -> str:
        after = f" after {self._sharing}" if self._sharing else ""
        return f"the state contains one container several times{after}"

    def _verify_returned(self, step: UserStep) -> None:
        """Reject a change of the state that the previous step returned, made through a variable outside the steps."""
        for copy in self._returned:
            changed = copy.changed_object()
            if changed is not None or copy.is_changed():
                self._broken = _refusal(step, "changes a state that an earlier step has returned", None)
                raise self._broken


def _copy(step: UserStep, state: State) -> StateCopy:
    try:
        return StateCopy(state)
    except SpecError as error:
        raise error.at(step.place) from error


def _refusal(step: UserStep, fact: str, line: str | None, remedy: str = _REMEDY) -> SpecError:
    name = f"{step.owner}.{step.operation}"
    subject = f"{name} changes the state that it is given, and " if not fact.startswith("changes") else f"{name} "
    return SpecError("LP-S008", f"{subject}{fact}.", place=line or step.place, remedy=remedy)


def _announce(step: UserStep, state: State, line: str | None) -> None:
    """Write one line to stderr, once per spec: a spec that works in place is slow."""
    place = "" if line is None else f" ({line})"
    change = f"{step.owner}.{step.operation} changes its state in place{place}"
    if change in _announced:
        return
    _announced.add(change)
    started = time.perf_counter()
    for _ in range(_TIMED_COPIES):
        StateCopy(state).is_changed()
    seconds = 2 * (time.perf_counter() - started) / _TIMED_COPIES
    text = (
        f"linpoint: {change}; linpoint therefore copies the state for every step of {step.owner}, "
        f"which takes about {seconds * 1e6:.1f} us per step"
    )
    if sys.stderr is not None:
        sys.stderr.write(printable(text, lines=False) + "\n")
