# SPDX-License-Identifier: Apache-2.0
"""Causes visible in the values of a register: stale reads, lost writes, split brains, clock skew.

Observations of replaced values are classified by the fate of the newer value. If it was observed again, the read was
stale. Otherwise the write was lost, in a crash if one lies between. If each of two groups of processes observed only
its own writes, the cause is a split brain. If a small clock skew removes all such observations, the clocks are the
cause.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from linpoint.checkers.subhistory_decider import has_order
from linpoint.explain.history.causes.suspicion import Suspicion, crash_between, crash_evidence
from linpoint.explain.history.causes.value_lifetimes import LifetimeInversion, ValueLifetime, inversions
from linpoint.explain.history.claims.value_uses import ValueUses
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import CauseEvidence
from linpoint.explain.wording.operation_names import moment, process_of, who
from linpoint.histories.history import History
from linpoint.histories.operation import Process
from linpoint.text.phrases import count_noun, one_line
from linpoint.verdicts import Verdict

_MAX_INVERSIONS: Final = 200
"""Further inversions add no information."""
_OLD_COPY: Final = "The read returned old data: a lagging replica, a cache, or a setting that permits stale reads."
_MIN_STALE_READS: Final = 3
_MAX_OPERATIONS: Final = 20_000
"""Longer histories are not checked for clock skew."""
_TIME_SLICES: Final = 6
"""A split brain begins and ends, so it is searched between any two of this number of points in time."""
_MAX_LISTED: Final = 8


def replica_causes(explanation: Explanation, values: Sequence[Sequence[ValueLifetime]]) -> Iterator[Suspicion]:
    """The causes that the values of each key in violation suggest; the first key is the explained one."""
    verdict, core = explanation.verdict, explanation.core
    ops = verdict.history.operations
    found: list[list[LifetimeInversion]] = []
    for lives_here in values:
        inverted = sorted(inversions(verdict.history, lives_here), key=lambda each: ops[each.observer].call)
        found.append(inverted[:_MAX_INVERSIONS])
    mine = found[0] = [_as_shown(verdict.history, each, values[0], core) for each in found[0]]
    if not mine:
        return
    everywhere = [each for inverted in found for each in inverted]
    yield from _split_brain(explanation, [life for each in values for life in each], everywhere)
    yield from _clocks(verdict, everywhere)
    lost = [each for each in mine if _is_lost(verdict.history, each, values[0])]
    stale = [each for each in mine if each not in lost]
    for each in (stale, lost):  # evidence that the explanation shows comes first
        each.sort(key=lambda inversion: inversion.observer not in core)
    if stale:
        yield _stale(verdict, stale, values[0], 50 + 20 * len(stale) / len(mine))
    if lost:
        yield _lost(verdict, lost, 50 + 20 * len(lost) / len(mine))


def _as_shown(
    history: History, inversion: LifetimeInversion, values: Sequence[ValueLifetime], core: Collection[int]
) -> LifetimeInversion:
    """The inversion with the newer value that the explanation shows, if there is one, for consistency."""
    if inversion.observer not in core:
        return inversion
    call = history[inversion.observer].call
    for life in values:
        newer = life.call > inversion.old.known + history.clock_skew or life.installer in inversion.old.replaced_by
        if life.installer in core and newer and life.known + history.clock_skew < call and life is not inversion.old:
            return LifetimeInversion(inversion.observer, inversion.old, life, call - life.known)
    return inversion


def _is_lost(history: History, inversion: LifetimeInversion, values: Sequence[ValueLifetime]) -> bool:
    """Whether a lost newer value is likelier than a stale read.

    An operation that built on the old value shows that it was current again; a newer value that was observed later was
    not lost. If the history shows neither, a crash between them decides.
    """
    if _builder(history, inversion) is not None:
        return True
    if _came_back(history, inversion, values) is not None:
        return False
    return crash_between(history, inversion.new.known, history[inversion.observer].call) is not None


def _builder(history: History, inversion: LifetimeInversion) -> int | None:
    """An operation that built on the old value after the newer one was certainly stored."""
    known = inversion.new.known + history.clock_skew
    return next((p for p in inversion.old.replaced_by if history[p].call > known), None)


def _came_back(history: History, inversion: LifetimeInversion, values: Sequence[ValueLifetime]) -> int | None:
    """A later operation that observed the newer value again, or another value that followed the old one."""
    skew = history.clock_skew
    end = history[inversion.observer].end
    for life in (inversion.new, *values):
        if life is not inversion.new and not (inversion.old.known + skew < life.call and life.known <= end):
            continue
        again = next((p for p in life.sightings if history[p].call > end + skew), None)
        if again is not None:
            return again
    return None


def _stale(
    verdict: Verdict, found: Sequence[LifetimeInversion], values: Sequence[ValueLifetime], weight: float
) -> Suspicion:
    ops = verdict.history.operations
    evidence = [_gone(verdict, found[0])]
    if len(found) > 1:
        observers = tuple(each.observer for each in found)
        sentence = (
            f"Old values were observed at least {count_noun(len(found), 'time')} on this key, by "
            f"{_processes(verdict, observers)}."
        )
        evidence.append(CauseEvidence("saw-replaced-values", sentence, observers))
    for each in found[:_MAX_LISTED]:
        again = _came_back(verdict.history, each, values)
        if again is not None:
            sentence = f"{who(verdict, ops[again])} observed a newer value after {who(verdict, ops[each.observer])}."
            evidence.append(CauseEvidence("seen-again", sentence, (each.observer, again)))
            break
    return Suspicion(weight, "stale-read", _OLD_COPY, [*evidence, *_fault(verdict, found[0])])


def _lost(verdict: Verdict, found: Sequence[LifetimeInversion], weight: float) -> Suspicion:
    history = verdict.history
    crashed = [
        (each, crash)
        for each in found
        if (crash := crash_evidence(history, each.new.known, history[each.observer].call)) is not None
        and not _seen_from(history, each)
    ]
    first = crashed[0][0] if crashed else found[0]
    evidence = [_gone(verdict, first)]
    builder = _builder(history, first)
    if builder is not None:
        sentence = f"{who(verdict, history[builder])} built on the old value."
        newer = () if first.new.installer is None else (first.new.installer,)
        evidence.append(CauseEvidence("went-on-from-old", sentence, (builder, *newer)))
    elif first.new.installer is not None and not _seen_from(history, first):
        sentence = "No later operation observed the newer value."
        evidence.append(CauseEvidence("not-seen-later", sentence, (first.new.installer, first.observer)))
    if 2 * len(crashed) >= len(found):
        evidence.append(crashed[0][1])
        text = "Completed writes were not yet durable at a crash, and the restart restored the old value."
        return Suspicion(weight + 15, "lost-after-crash", text, evidence)
    text = "A completed write was dropped, or overwritten by an older one, for example by a rollback or a late message."
    return Suspicion(weight, "lost-write", text, evidence)


def _seen_from(history: History, inversion: LifetimeInversion) -> bool:
    """Whether an operation that observed the newer value returned after the observer of the old one was called."""
    call = history[inversion.observer].call
    return any(history[p].end >= call for p in inversion.new.sightings)


def _gone(verdict: Verdict, inversion: LifetimeInversion) -> CauseEvidence:
    ops = verdict.history.operations
    observer = who(verdict, ops[inversion.observer])
    assert inversion.new.installer is not None  # the initial value does not replace another one
    newer = ops[inversion.new.installer]
    return CauseEvidence(
        "saw-replaced-value",
        f"{observer} observed a value that {who(verdict, newer)} had certainly replaced before.",
        (inversion.new.installer, inversion.observer),
    )


def _fault(verdict: Verdict, inversion: LifetimeInversion) -> Iterator[CauseEvidence]:
    """The fault at that time, if the history has one."""
    call = verdict.history.operations[inversion.observer].call
    before = [each for each in verdict.history.annotations if each.time <= call]
    if before:
        last = max(before, key=lambda each: each.time)
        sentence = f"Last annotation before it: {one_line(last.text)} at {moment(verdict.history, last.time)}."
        yield CauseEvidence("annotation-before", sentence, (inversion.observer,), (last.text, last.time))


def _processes(verdict: Verdict, positions: Sequence[int]) -> str:
    names = list(dict.fromkeys(process_of(verdict.history.operations[position]) for position in positions))
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"{'process' if len(names) == 1 else 'processes'} {', '.join(names[:_MAX_LISTED])}{more}"


def _split_brain(
    explanation: Explanation, values: Sequence[ValueLifetime], found: Sequence[LifetimeInversion]
) -> Iterator[Suspicion]:
    """Two groups of processes that each observed their own writes while the value alternated between them."""
    verdict = explanation.verdict
    ops = verdict.history.operations
    by_call = sorted(found, key=lambda each: ops[each.observer].call)
    cuts = sorted({round(part * (len(by_call) - 1) / _TIME_SLICES) for part in range(_TIME_SLICES + 1)})
    best = max(
        (_Split(verdict.history, values, by_call[low : high + 1]) for low, high in itertools.combinations(cuts, 2)),
        key=lambda split: split.times,
        default=None,
    )
    if best is None or best.times == 0 or not best.apart(explanation):
        return
    shown = [", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "") for names in best.groups]
    evidence = [
        CauseEvidence(
            "apart",
            f"From {moment(verdict.history, best.start)} to {moment(verdict.history, best.end)}, each of two groups of "
            f"processes observed, of the values written in that period, only its own: {shown[0]} and {shown[1]}.",
            values=(best.start, best.end, *map(tuple, best.groups)),
        ),
        CauseEvidence(
            "back-and-forth",
            f"The value alternated between the groups: at least {count_noun(best.times, 'time')} each way, an old value of "
            "one group was observed after a newer one of the other.",
            best.crossing,
            (best.times, *map(tuple, best.groups)),
        ),
        *_who_is_where(explanation, best),
        *_fault(verdict, best.inversions[0]),
    ]
    text = "Two nodes both acted as leader and accepted writes, each from its own clients."
    yield Suspicion(90, "split-brain", text, evidence)


def _who_is_where(explanation: Explanation, split: _Split) -> Iterator[CauseEvidence]:
    """The groups of the operations that the explanation shows."""
    ops = explanation.verdict.history.operations
    names = list(zip(explanation.core, explanation.names, strict=False))
    sides = [[name for p, name in names if one_line(str(ops[p].process)) in group] for group in split.groups]
    if all(sides):
        one, other = (" and ".join(side) for side in sides)
        which = f"{one} {'belongs' if len(sides[0]) == 1 else 'belong'} to the first group, {other} to the second."
        yield CauseEvidence("sides", which, explanation.core, tuple(map(tuple, split.groups)))


class _Split:
    """Two groups of processes between the first and the last of some inversions.

    For each group, the observations of its own old values after newer ones of the other group are counted. ``times`` is
    the smaller count, 0 if there are no two groups.
    """

    def __init__(
        self, history: History, values: Sequence[ValueLifetime], inversions: Sequence[LifetimeInversion]
    ) -> None:
        ops = history.operations
        self.inversions = inversions
        self.start = ops[inversions[0].observer].call
        self.end = max(ops[each.observer].end for each in inversions)
        self.times = 0
        self.groups: list[list[str]] = []
        self.crossing: tuple[int, ...] = ()
        """Pairs of an operation that observed an old value of its own group and the one that replaced it."""
        side = _sides(history, values, self.start, self.end)
        crossings: dict[tuple[Process, Process], list[tuple[int, int]]] = defaultdict(list)
        for each in inversions:
            observer = side.get(ops[each.observer].process)
            newer = None if each.new.installer is None else side.get(ops[each.new.installer].process)
            writer = None if each.old.installer is None else side.get(ops[each.old.installer].process)
            if None not in (observer, newer) and observer == writer and observer != newer:
                assert observer is not None
                assert newer is not None
                assert each.new.installer is not None
                crossings[observer, newer].append((each.observer, each.new.installer))
        for (one, other), pairs in list(crossings.items()):
            back = crossings.get((other, one), [])
            if min(len(pairs), len(back)) > self.times:
                self.times = min(len(pairs), len(back))
                self.groups = [_names(p for p in side if side[p] == mine) for mine in (one, other)]
                self.crossing = tuple(position for pair in (*pairs, *back) for position in pair)

    def apart(self, explanation: Explanation) -> bool:
        """Whether no process observed a value that the other group stored in this time, on any object."""
        verdict = explanation.verdict
        side = {name: number for number, group in enumerate(self.groups) for name in group}
        for key in verdict.keys:
            uses = ValueUses(verdict.history, key.positions, verdict.spec)
            if not uses.followed or any(self._seen_across(verdict.history, uses, p, side) for p in uses.saw):
                return False
        return True

    def _seen_across(self, history: History, uses: ValueUses, position: int, side: Mapping[str, int]) -> bool:
        observer = history.operations[position]
        mine = side.get(one_line(str(observer.process)))
        if mine is None or observer.call < self.start or observer.end > self.end:
            return False
        for put in uses.putters[uses.saw[position]]:
            op = history.operations[put]
            if put != position and self.start <= op.call <= self.end:
                other = side.get(one_line(str(op.process)))
                if other is not None and other != mine:
                    return True
        return False


def _names(processes: Iterable[Process]) -> list[str]:
    """The names in natural order: 2 before 10."""
    return sorted({one_line(str(process)) for process in processes}, key=lambda name: (len(name), name))


def _sides(history: History, values: Sequence[ValueLifetime], start: float, end: float) -> dict[Process, Process]:
    """Processes that observed each other's writes between two times, each with a representative of its group.

    Empty unless at least two groups wrote and read several values.
    """
    ops = history.operations
    parent: dict[Process, Process] = {}

    def group(process: Process) -> Process:
        parent.setdefault(process, process)
        while parent[process] != process:
            parent[process] = process = parent[parent[process]]
        return process

    written: list[tuple[Process, int]] = []
    for life in values:
        if life.installer is None or not start <= life.call <= end:
            continue
        writer = ops[life.installer].process
        for sighting in life.sightings:
            if ops[sighting].end <= end:
                parent[group(ops[sighting].process)] = group(writer)
                written.append((writer, life.installer))
    by_group: dict[Process, set[int]] = defaultdict(set)
    for writer, installer in written:
        by_group[group(writer)].add(installer)
    large = {each for each, installers in by_group.items() if len(installers) >= 2}
    return {process: group(process) for process in parent if group(process) in large} if len(large) >= 2 else {}


def _clocks(verdict: Verdict, found: Sequence[LifetimeInversion]) -> Iterator[Suspicion]:
    """A clock skew, if it explains all of many inversions: each is short and none is within one process."""
    history = verdict.history
    ops = history.operations
    if (
        history.by_position
        or history.clock_skew
        or len(found) < _MIN_STALE_READS
        or verdict.condition != "linearizable"
    ):
        return
    if len(history) > _MAX_OPERATIONS:
        return
    lengths = [op.end - op.call for op in ops if op.end < math.inf]
    needed = max(each.gap for each in found)
    if not lengths or needed > statistics.median(lengths) or any(ops[each.observer].times for each in found):
        return
    skew = math.ceil(needed) if float(needed).is_integer() else needed
    if has_order(history.with_clock_skew(skew), verdict.spec, verdict.condition, seconds=1.0) is not True:
        return
    evidence = [
        CauseEvidence(
            "seen-just-after",
            f"At least {count_noun(len(found), 'time')}, a value was observed shortly after its replacement: at most {needed} "
            f"later, while the median duration of an operation is {statistics.median(lengths)}.",
            tuple(each.observer for each in found),
            (needed, statistics.median(lengths)),
        ),
        CauseEvidence(
            "skew-explains",
            f"A clock skew of {skew} would explain the history: --clock-skew {skew}.",
            values=(skew,),
        ),
    ]
    text = "The clocks of the processes may disagree, so the recorded order of calls and returns may be wrong."
    yield Suspicion(80, "clock-trouble", text, evidence)
