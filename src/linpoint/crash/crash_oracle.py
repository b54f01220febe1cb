# SPDX-License-Identifier: Apache-2.0
"""Decides whether the results after a crash are allowed, by a fast comparison or by the general checker.

The operations before a crash ran sequentially, so the spec's state after each prefix of the workload is computed once
for a trace. A crash allows that state, with or without the effect of each interrupted operation; from there the probes
must return the results of the spec. An object with independent parts is judged part by part.

Guarantee: a crash is a violation only if ``check`` rejects its history, with the user's spec under the condition. It is
allowed without ``check`` only by a strict run of the spec, which every other condition allows too.
Cost: a comparison of bytes for most crashes, a step of the spec for each probe without an expected result, and a check
for each crash that looks wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import msgspec

from linpoint.checkers.check import check_with_progress
from linpoint.crash.crash_case import Completed, CrashCase, history_of_crash
from linpoint.crash.expected_results import ExpectedResults
from linpoint.crash.possible_states import PartStates, PossibleStates, SpecSteps, linearized
from linpoint.histories.values import Value, canonical, freeze
from linpoint.hosts.crash_messages import CrashQuestion
from linpoint.options.commands.crash import DEFAULT_CONDITION
from linpoint.scenarios.cpp_test_description import OperationDescription
from linpoint.scenarios.scenario import Call
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, Status, Verdict

_NOT_LOCAL: Final = frozenset({"sequential", "buffered-durable"})
"""Conditions under which parts cannot be judged separately."""
_MAX_CACHED_PROBINGS: Final = 256
_MAX_CACHED_STATES: Final = 64
_MAX_PART_COMBINATIONS: Final = 16
"""The number of combinations of part states to compare before each part is compared separately."""


_Written = tuple[bytes, ...]
"""Results of probes in the format of the host."""
_Group = tuple[Hashable, tuple[int, ...]]
"""A part of the object and the probes that query it."""


class _Probing:
    """The probes after a crash, grouped by the part of the object that they query."""

    __slots__ = ("arrange", "groups", "numbers")

    def __init__(self, numbers: Sequence[int], part_of: Sequence[Hashable]) -> None:
        self.numbers = tuple(numbers)
        by_part: dict[Hashable, list[int]] = {}
        for position, number in enumerate(numbers):
            by_part.setdefault(part_of[number], []).append(position)
        self.groups: list[_Group] = [(part, tuple(numbers[at] for at in each)) for part, each in by_part.items()]
        rank = [0] * len(numbers)
        for at, position in enumerate(itertools.chain.from_iterable(by_part.values())):
            rank[position] = at
        self.arrange: Callable[[Sequence[bytes]], Sequence[bytes]] = tuple
        if rank != sorted(rank):
            self.arrange = itemgetter(*rank)


class _Prefix:
    """The possible states of each part after a prefix of the trace or after the operations that a question lists."""

    __slots__ = ("at", "before", "count", "ways")

    def __init__(
        self,
        count: int | None,
        before: Callable[[], tuple[Completed, ...]],
        at: Callable[[Hashable], PossibleStates],
    ) -> None:
        self.count = count
        """The length of the prefix of the trace; None for listed operations."""
        self.before = before
        self.at = at
        self.ways: dict[Hashable, _Ways] = {}


_Ways = dict[Hashable, list[PossibleStates]]
"""For each part that the last operations act on: its possible states, as separate sets."""


@dataclass(frozen=True, slots=True)
class RefusedProbe:
    """The first result of one part of the object that is not allowed."""

    probe: int | None
    """The position of the first probe whose result is not allowed; None if no probe shows it."""
    allowed: tuple[Value, ...]
    """The allowed results."""
    before: tuple[int, ...]
    """The operations on this part that had completed before the crash."""
    open: tuple[int, ...]


class CrashOracle:
    """Judges the crashes of one workload. Not thread-safe."""

    def __init__(
        self,
        spec: Spec,
        calls: Sequence[Call],
        results: Sequence[Any],
        *,
        types: Mapping[str, OperationDescription] | None = None,
        condition: str = DEFAULT_CONDITION,
    ) -> None:
        """``calls`` are all operations by number, the workload first; ``results`` are the results of the workload."""
        self.spec, self.condition, self.calls = spec, condition, list(calls)
        self.questions = self.checked = 0
        self.disagreed = 0
        """The number of crashes that ``check`` allows although no possible state does: 0 under the condition strict."""
        self.undecided = 0
        self.results = [freeze(each) for each in results]
        """The results of the workload without a crash."""
        self._steps = SpecSteps(spec, self.calls, dict(types or {}))
        self._part_of = [self._part(call) for call in self.calls]
        self._parts = PartStates(self._steps, self._part_of, self.results)
        self._probings: dict[bytes, _Probing] = {}
        self._count = 0
        self._known: dict[_Group, _Written | None] = {}
        """The expected results of groups of probes after ``_count`` operations of the trace."""
        self._groups: dict[Hashable, set[_Group]] = {}
        self._prefixes: dict[Hashable, _Prefix] = {}

    def before_any_crash(self, budget: Budget | None = None) -> Verdict:
        """The verdict on the workload without a crash."""
        case = CrashCase(tuple(enumerate(self.results)))
        return check_with_progress(
            history_of_crash(case, self.calls), self.spec, condition="linearizable", budget=budget, jobs=1
        )[0]

    def first_refused(self) -> int | None:
        """The first operation of the workload whose result the spec does not allow after those before it."""
        return self._parts.first_refused()

    def expected_results(self, probes: Iterable[tuple[int, int]]) -> bytes:
        """The expected results, which the host compares; each probe comes with its first operation."""
        expected = ExpectedResults(self._steps, self._part_of, self._parts)
        return expected.script(len(self.results), probes)

    def allows(self, question: CrashQuestion) -> bool:
        """Whether the results after a crash are allowed."""
        self.questions += 1
        if question.ended != "complete":
            return False
        prefix = self._prefix(question)
        probing = self._probing(bytes(question.probes))
        done = tuple((number, freeze(result)) for number, result in question.done)
        beside = self._beside(prefix, tuple(question.open), done)
        written = bytes(question.results)
        if any(written == expected for expected in self._expected(prefix, probing, beside)):
            return True
        results = [freeze(each[0]) for each in msgspec.json.decode(written, type=list[list[Any]])]
        case = CrashCase(prefix.before(), tuple(question.open), done, tuple(zip(probing.numbers, results, strict=True)))
        wrong = self._wrong_parts(prefix, case, beside)
        return not wrong or not self._is_violation(case, wrong)

    def case_of(self, crash: Any) -> CrashCase:
        """The case of a crash in a host message, such as a ``CrashViolation``, with the probes that returned."""
        prefix = self._prefix(crash)
        probes = zip(crash.probes, crash.results, strict=False)
        return CrashCase(
            prefix.before(),
            tuple(crash.open),
            tuple((number, freeze(result)) for number, result in crash.done),
            tuple((number, freeze(each[0])) for number, each in probes if each),
        )

    def verdict(self, case: CrashCase, condition: str | None = None) -> Verdict:
        """The verdict of the general checker on a case."""
        return check_with_progress(
            history_of_crash(case, self.calls), self.spec, condition=condition or self.condition, jobs=1
        )[0]

    def explains(self, case: CrashCase) -> bool:
        """Whether a strict run of the spec explains a case, without the general checker."""
        prefix = self._counted(case.before)
        return not self._wrong_parts(prefix, case, self._beside(prefix, case.open, case.done))

    def refused(self, case: CrashCase) -> list[RefusedProbe]:
        """For each part, the first result that no strict run of the spec explains; earliest first."""
        prefix = self._counted(case.before)
        beside = self._beside(prefix, case.open, case.done)
        wrong = [self._refused(prefix, case, beside, part) for part in self._wrong_parts(prefix, case, beside)]
        return sorted(wrong, key=lambda each: -1 if each.probe is None else each.probe)

    def _refused(self, prefix: _Prefix, case: CrashCase, beside: _Ways, part: Hashable) -> RefusedProbe:
        states = prefix.at(part).states
        states = [state for way in beside[part] for state in way.states] if part in beside else states
        about = [number for number, _ in case.before if self._part_of[number] == part]
        opened = tuple(number for number in case.open if self._part_of[number] == part)
        for position, (number, result) in enumerate(case.probes):
            if self._part_of[number] != part:
                continue
            after = self._steps.after(states, number, result)
            if not after:
                given = [given for state in states for given, _ in self._steps.outcomes(state, number)]
                allowed = tuple({canonical(each): freeze(each) for each in given}.values())
                return RefusedProbe(position, allowed, tuple(about), opened)
            states = after
        return RefusedProbe(None, (), tuple(about), opened)

    def _part(self, call: Call) -> Hashable:
        partition = self.spec.partition
        return None if partition is None else canonical(partition(call.args))

    def _probing(self, numbers: bytes) -> _Probing:
        found = self._probings.get(numbers)
        if found is None:
            if len(self._probings) >= _MAX_CACHED_PROBINGS:
                self._probings.clear()
            found = _Probing(msgspec.json.decode(numbers, type=list[int]), self._part_of)
            self._probings[numbers] = found
        return found

    def _prefix(self, crash: Any) -> _Prefix:
        """The completed operations with their results, which come from the trace or from the crash itself."""
        prefix, results = crash.prefix, getattr(crash, "prefix_results", None)
        if results is not None:
            numbers = range(prefix) if isinstance(prefix, int) else prefix
            return self._listed(tuple((number, freeze(each[0])) for number, each in zip(numbers, results, strict=True)))
        if isinstance(prefix, int):
            return self._traced(prefix)
        if list(prefix) == list(range(len(prefix))):
            return self._traced(len(prefix))
        return self._listed(tuple(self._given(prefix)))

    def _counted(self, before: tuple[Completed, ...]) -> _Prefix:
        traced = canonical(before) == canonical(tuple(enumerate(self.results[: len(before)])))
        return self._traced(len(before)) if traced else self._listed(before)

    def _traced(self, count: int) -> _Prefix:
        found = self._prefixes.get(count)
        if found is None:
            before = lambda: tuple(enumerate(self.results[:count]))  # noqa: E731
            found = self._kept(count, _Prefix(count, before, lambda part: self._parts.after(part, count)))
        return found

    def _listed(self, before: tuple[Completed, ...]) -> _Prefix:
        key = canonical(before)
        found = self._prefixes.get(key)
        if found is None:
            possible: dict[Hashable, PossibleStates] = {}
            for number, result in before:
                part = self._part_of[number]
                states = possible.get(part, self._parts.initial).states
                possible[part] = PossibleStates(self._steps.after(states, number, result))

            def at(part: Hashable) -> PossibleStates:
                return possible.get(part, self._parts.initial)

            found = self._kept(key, _Prefix(None, lambda: before, at))
        return found

    def _kept(self, key: Hashable, prefix: _Prefix) -> _Prefix:
        if len(self._prefixes) >= _MAX_CACHED_STATES:
            self._prefixes.clear()
        self._prefixes[key] = prefix
        return prefix

    def _given(self, numbers: Iterable[int]) -> Iterator[Completed]:
        """Operations in a different order than in the trace, each with a result that the spec allows."""
        states: dict[Hashable, Any] = {}
        for number in numbers:
            part = self._part_of[number]
            outcomes = self._steps.outcomes(states.get(part, self.spec.initial), number)
            if not outcomes:
                return
            result, states[part] = outcomes[0]
            yield number, freeze(result)

    def _beside(self, prefix: _Prefix, opened: tuple[int, ...], done: tuple[Completed, ...]) -> _Ways:
        """The possible states of the parts that the last operations act on."""
        if not opened and not done:
            return {}
        key = opened, canonical(done)
        found = prefix.ways.get(key)
        if found is None:
            about = dict.fromkeys(self._part_of[number] for number in (*opened, *(number for number, _ in done)))
            found = prefix.ways[key] = {
                part: [
                    PossibleStates([state])
                    for state in linearized(
                        self._steps,
                        prefix.at(part).states,
                        [number for number in opened if self._part_of[number] == part],
                        [each for each in done if self._part_of[each[0]] == part],
                    )
                ]
                for part in about
            }
        return found

    def _expected(self, prefix: _Prefix, probing: _Probing, beside: _Ways) -> Iterator[bytes]:
        """The possible expected results of probes in the format of the host; none if they are unknown."""
        if not all(beside.values()):
            return
        expected = self._expected_groups(prefix, probing)
        about = (
            [(at, beside[group[0]]) for at, group in enumerate(probing.groups) if group[0] in beside] if beside else []
        )
        for at, _ in about:
            expected[at] = ()
        if None in expected:
            return
        for chosen in itertools.islice(itertools.product(*(ways for _, ways in about)), _MAX_PART_COMBINATIONS):
            for (at, _), possible in zip(about, chosen, strict=True):
                expected[at] = possible.expected(self._steps, probing.groups[at][1])
            if None not in expected:
                flat = list(itertools.chain.from_iterable(expected))  # type: ignore[arg-type]
                yield b"[" + b",".join(probing.arrange(flat)) + b"]"

    def _expected_groups(self, prefix: _Prefix, probing: _Probing) -> list[_Written | None]:
        """The expected results of each group of probes, cached since each operation changes few parts."""
        if prefix.count is None:
            return [prefix.at(part).expected(self._steps, numbers) for part, numbers in probing.groups]
        self._move(prefix.count)
        known = self._known
        expected = list(map(known.get, probing.groups))
        if None in expected:
            for at, group in enumerate(probing.groups):
                if expected[at] is None:
                    expected[at] = known[group] = prefix.at(group[0]).expected(self._steps, group[1])
                    self._groups.setdefault(group[0], set()).add(group)
        return expected

    def _move(self, count: int) -> None:
        """Drop the cached results of parts that the operations between the previous prefix and ``count`` act on."""
        low, high = sorted((count, self._count))
        for number in range(low, high):
            for group in self._groups.pop(self._part_of[number], ()):
                del self._known[group]
        self._count = count

    def _wrong_parts(self, prefix: _Prefix, case: CrashCase, beside: _Ways) -> list[Hashable]:
        """The parts whose results no strict run of the spec explains."""
        probes: dict[Hashable, list[Completed]] = {part: [] for part in beside}
        for each in case.probes:
            probes.setdefault(self._part_of[each[0]], []).append(each)
        if prefix.count is None:  # a prefix of the trace was checked before any crash
            probes |= {part: [] for number, _ in case.before if (part := self._part_of[number]) not in probes}
        wrong = []
        for part, seen in probes.items():
            states = (
                [state for way in beside[part] for state in way.states] if part in beside else prefix.at(part).states
            )
            if not states or not self._steps.explained(states, seen):
                wrong.append(part)
        return wrong

    def _is_violation(self, case: CrashCase, wrong: Sequence[Hashable]) -> bool:
        """Whether ``check`` rejects the parts that look wrong; each separately if the condition allows that."""
        whole = self.condition in _NOT_LOCAL or wrong == [None]
        for part in [None] if whole else wrong:
            self.checked += 1
            status = self.verdict(case if whole else self._only(case, part)).status
            if status is Status.VIOLATION:
                return True
            self.undecided += status is Status.UNKNOWN
        self.disagreed += 1
        return False

    def _only(self, case: CrashCase, part: Hashable) -> CrashCase:
        def mine(operations: Iterable[Completed]) -> tuple[Completed, ...]:
            return tuple(each for each in operations if self._part_of[each[0]] == part)

        opened = tuple(number for number in case.open if self._part_of[number] == part)
        return CrashCase(mine(case.before), opened, mine(case.done), mine(case.probes))
