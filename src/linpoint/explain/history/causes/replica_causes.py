# SPDX-License-Identifier: Apache-2.0
"""Causes that show in a register's values: stale reads, lost writes, split brains, clocks that differ.

What was seen after it had been replaced is sorted by what became of the newer value. It was seen again: somebody read
an old copy. It was never seen again: it is lost, and if a crash lies between, in that crash. Two groups of processes
each saw only what they wrote themselves: a split brain. All vanish if clocks differ a little: the clocks.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from linpoint.checkers.subhistory_decider import has_order
from linpoint.explain.history.causes.suspicion import Suspicion, crash_between
from linpoint.explain.history.causes.value_lifetimes import LifetimeInversion, ValueLifetime, inversions, lives
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import CauseEvidence
from linpoint.explain.wording.operation_names import moment, process_of, who
from linpoint.histories.history import History
from linpoint.histories.operation import Process
from linpoint.text.phrases import count_noun, one_line
from linpoint.verdicts import KeyVerdict, Verdict

_MAX_INVERSIONS: Final = 200
"""Of more, the first ones tell as much."""
_OLD_COPY: Final = (
    "The read was answered from an old copy: a replica that lags, a cache, or reads that may be stale by setting."
)
_MIN_STALE_READS: Final = 3
_MAX_OPERATIONS: Final = 20_000
"""In longer histories nobody looks whether clocks would explain it all."""
_TIME_SLICES: Final = 6
"""A split brain is looked for between any two of so many points in time, since it begins and ends."""
_MAX_LISTED: Final = 8


def replica_causes(
    explanation: Explanation, keys: Sequence[KeyVerdict], values: Sequence[Sequence[ValueLifetime]], *, whole: bool
) -> Iterator[Suspicion]:
    """The causes that the values of these keys suggest; the first key is the one that is explained, and ``whole`` says
    that these are all its operations.
    """
    verdict, core = explanation.verdict, explanation.core
    ops = verdict.history.operations
    found: list[list[LifetimeInversion]] = []
    for number, lives_here in enumerate(values):
        inverted = sorted(inversions(verdict.history, lives_here), key=lambda each: ops[each.observer].call)
        found.append(inverted[:_MAX_INVERSIONS])
        whole = whole and (number > 0 or len(inverted) <= _MAX_INVERSIONS)
    mine = found[0] = [_as_shown(verdict.history, each, values[0], core) for each in found[0]]
    if not mine:
        yield from _in_core(verdict, core)
        return
    everywhere = [each for inverted in found for each in inverted]
    yield from _split_brain(explanation, [life for each in values for life in each], everywhere)
    yield from _clocks(verdict, keys, everywhere)
    lost = [each for each in mine if _is_lost(verdict.history, each, values[0])]
    stale = [each for each in mine if each not in lost]
    for each in (stale, lost):  # what the explanation shows is the evidence to look at first
        each.sort(key=lambda inversion: inversion.observer not in core)
    if stale:
        all_of_them = whole and not lost
        yield _stale(verdict, stale, values[0], 50 + 20 * len(stale) / len(mine), all_of_them=all_of_them)
    if lost:
        yield _lost(verdict, lost, values[0], 50 + 20 * len(lost) / len(mine))


def _as_shown(
    history: History, inversion: LifetimeInversion, values: Sequence[ValueLifetime], core: Collection[int]
) -> LifetimeInversion:
    """The inversion with the newer value that the explanation shows, if there is one: one story is enough."""
    if inversion.observer not in core:
        return inversion
    call = history[inversion.observer].call
    for life in values:
        newer = life.call > inversion.old.known + history.clock_skew or life.installer in inversion.old.replaced_by
        if life.installer in core and newer and life.known + history.clock_skew < call and life is not inversion.old:
            return LifetimeInversion(inversion.observer, inversion.old, life, call - life.known)
    return inversion


def _in_core(verdict: Verdict, core: Collection[int]) -> Iterator[Suspicion]:
    """Where values are written again and again, only the few operations of the explanation can be told apart."""
    values = lives(verdict.history, sorted(core), verdict.spec, verdict.condition)
    found = list(inversions(verdict.history, values))
    if not found:
        return
    first = found[0]
    crash = crash_between(verdict.history, first.new.known, verdict.history[first.observer].end)
    if crash is not None or first.observer in first.old.replaced_by:
        yield _lost(verdict, found[:1], values, 45)
    else:
        yield Suspicion(45, "stale-read", _OLD_COPY, [_gone(verdict, first), *_fault(verdict, first)])


def _is_lost(history: History, inversion: LifetimeInversion, values: Sequence[ValueLifetime]) -> bool:
    """Whether it is likelier that the newer value was lost than that somebody saw an old copy.

    Who built on the old value shows that it was the current one again; a newer value that was seen afterwards was not
    lost. Where the history shows neither, a crash between them makes the difference.
    """
    if any(history[position].call > inversion.new.known for position in inversion.old.replaced_by):
        return True
    if _came_back(history, inversion, values):
        return False
    return crash_between(history, inversion.new.known, history[inversion.observer].end) is not None


def _came_back(history: History, inversion: LifetimeInversion, values: Sequence[ValueLifetime]) -> bool:
    """Whether a newer value that was known when the old one was seen was seen after that again."""
    end = history[inversion.observer].end
    later = (life for life in (inversion.new, *values) if life.last_seen > end)
    return any(life is inversion.new or (inversion.old.known < life.call and life.known <= end) for life in later)


def _stale(
    verdict: Verdict,
    found: Sequence[LifetimeInversion],
    values: Sequence[ValueLifetime],
    weight: float,
    *,
    all_of_them: bool,
) -> Suspicion:
    came_back = [each for each in found if _came_back(verdict.history, each, values)]
    evidence = [_gone(verdict, found[0])]
    if len(found) > 1 or came_back:
        least = "" if all_of_them else "at least "
        again = (
            f"; {least}{count_noun(len(came_back), 'time')} a newer value was seen again afterwards"
            if came_back
            else ""
        )
        built = ", and nobody built on an old value" if all_of_them else ""
        observers = [each.observer for each in found]
        times = f"Old values were seen {least}{count_noun(len(found), 'time')} on this key, by {_processes(verdict, observers)}"
        evidence.append(CauseEvidence(f"{times}{again}{built}.", tuple(observers[:_MAX_LISTED])))
    return Suspicion(weight, "stale-read", _OLD_COPY, [*evidence, *_fault(verdict, found[0])])


def _lost(
    verdict: Verdict, found: Sequence[LifetimeInversion], values: Sequence[ValueLifetime], weight: float
) -> Suspicion:
    history = verdict.history
    crashed = [
        (each, crash)
        for each in found
        if (crash := crash_between(history, each.new.known, history[each.observer].end)) is not None
    ]
    first = crashed[0][0] if crashed else found[0]
    evidence = [_gone(verdict, first)]
    builder = next((p for p in first.old.replaced_by if history[p].call > first.new.known), None)
    if builder is not None:
        evidence.append(CauseEvidence(f"{who(verdict, history[builder])} went on from the old value.", (builder,)))
    elif not _came_back(history, first, values):
        evidence.append(CauseEvidence("The newer value was not seen again after that.", (first.observer,)))
    if 2 * len(crashed) >= len(found):
        evidence.append(CauseEvidence(f"Between them lies: {crashed[0][1]}."))
        text = "Writes that had returned were not yet durable when something crashed, and its restart brought the old value back."
        return Suspicion(weight + 15, "lost-after-crash", text, evidence)
    text = (
        "A write that had returned was dropped or overwritten by something older, such as a rollback or a late message."
    )
    return Suspicion(weight, "lost-write", text, evidence)


def _gone(verdict: Verdict, inversion: LifetimeInversion) -> CauseEvidence:
    ops = verdict.history.operations
    observer = who(verdict, ops[inversion.observer])
    if inversion.new.installer is None:  # pragma: no cover - the first value replaces nothing
        return CauseEvidence(f"{observer} saw a value that had been replaced.", (inversion.observer,))
    newer = ops[inversion.new.installer]
    return CauseEvidence(
        f"{observer} saw a value that {who(verdict, newer)} had certainly replaced before.",
        (inversion.new.installer, inversion.observer),
    )


def _fault(verdict: Verdict, inversion: LifetimeInversion) -> Iterator[CauseEvidence]:
    """The fault that was going on, if the history says so."""
    call = verdict.history.operations[inversion.observer].call
    before = [each for each in verdict.history.annotations if each.time <= call]
    if before:
        last = max(before, key=lambda each: each.time)
        yield CauseEvidence(
            f"The last fault recorded before it: {one_line(last.text)} at {moment(verdict.history, last.time)}."
        )


def _processes(verdict: Verdict, positions: Sequence[int]) -> str:
    names = list(dict.fromkeys(process_of(verdict.history.operations[position]) for position in positions))
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"{'process' if len(names) == 1 else 'processes'} {', '.join(names[:_MAX_LISTED])}{more}"


def _split_brain(
    explanation: Explanation, values: Sequence[ValueLifetime], found: Sequence[LifetimeInversion]
) -> Iterator[Suspicion]:
    """Two groups of processes, each of which saw what it wrote, while values changed back and forth between them."""
    verdict = explanation.verdict
    ops = verdict.history.operations
    by_call = sorted(found, key=lambda each: ops[each.observer].call)
    cuts = sorted({round(part * (len(by_call) - 1) / _TIME_SLICES) for part in range(_TIME_SLICES + 1)})
    best = max(
        (_Split(verdict.history, values, by_call[low : high + 1]) for low, high in itertools.combinations(cuts, 2)),
        key=lambda split: split.times,
        default=None,
    )
    if best is None or best.times == 0:
        return
    shown = [", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "") for names in best.groups]
    evidence = [
        CauseEvidence(
            f"From {moment(verdict.history, best.start)} to {moment(verdict.history, best.end)} two groups of processes each saw, of what was "
            f"written in that time, only what they had written themselves: {shown[0]} and {shown[1]}."
        ),
        CauseEvidence(
            f"The value changed back and forth between them: {count_noun(best.times, 'time')} or more each way, an old "
            "value was seen after one of the other group."
        ),
        *_who_is_where(explanation, best),
        *_fault(verdict, best.inversions[0]),
    ]
    text = "Two nodes both believed that they were in charge and took writes, each for its own clients."
    yield Suspicion(90, "split-brain", text, evidence)


def _who_is_where(explanation: Explanation, split: _Split) -> Iterator[CauseEvidence]:
    """To which groups the operations belong that the explanation shows."""
    ops = explanation.verdict.history.operations
    names = list(zip(explanation.core, explanation.names, strict=False))
    sides = [[name for p, name in names if one_line(str(ops[p].process)) in group] for group in split.groups]
    if all(sides):
        one, other = (" and ".join(side) for side in sides)
        which = f"{one} {'is' if len(sides[0]) == 1 else 'are'} of the one group, {other} of the other."
        yield CauseEvidence(which, explanation.core)


class _Split:
    """Two sides between the first and the last of some inversions, and how often each saw an old value of its own
    after one of the other's: ``times`` is the smaller count, 0 if there are no two sides.
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
        side = _sides(history, values, self.start, self.end)
        crossings: Counter[tuple[Process, Process]] = Counter()
        for each in inversions:
            observer = side.get(ops[each.observer].process)
            newer = None if each.new.installer is None else side.get(ops[each.new.installer].process)
            if observer is not None and newer is not None and observer != newer:
                crossings[observer, newer] += 1
        for (one, other), count in crossings.items():
            if min(count, crossings[other, one]) > self.times:
                self.times = min(count, crossings[other, one])
                self.groups = [_names(p for p in side if side[p] == mine) for mine in (one, other)]


def _names(processes: Iterable[Process]) -> list[str]:
    """Their names in the order that people expect: 2 before 10."""
    return sorted({one_line(str(process)) for process in processes}, key=lambda name: (len(name), name))


def _sides(history: History, values: Sequence[ValueLifetime], start: float, end: float) -> dict[Process, Process]:
    """Processes that saw each other's writes between two times, each with one that stands for its group.

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


def _clocks(verdict: Verdict, keys: Sequence[KeyVerdict], found: Sequence[LifetimeInversion]) -> Iterator[Suspicion]:
    """Many inversions, all of them tiny, none within a process: a little skew of clocks would explain them all."""
    history = verdict.history
    ops = history.operations
    if (
        history.by_position
        or history.clock_skew
        or len(found) < _MIN_STALE_READS
        or verdict.condition != "linearizable"
    ):
        return
    lengths = [ops[p].end - ops[p].call for key in keys for p in key.positions if ops[p].end < math.inf]
    needed = max(each.gap for each in found)
    if not lengths or needed > statistics.median(lengths) or any(ops[each.observer].times for each in found):
        return
    skew = math.ceil(needed) if float(needed).is_integer() else needed
    if (
        len(history) > _MAX_OPERATIONS
        or has_order(history.with_clock_skew(skew), verdict.spec, verdict.condition, seconds=1.0) is not True
    ):
        return
    evidence = [
        CauseEvidence(
            f"{count_noun(len(found), 'time')} a value was seen just after it had been replaced, by at most {needed} each "
            f"time, while half of the operations take {statistics.median(lengths)} or more.",
            tuple(each.observer for each in found[:_MAX_LISTED]),
        ),
        CauseEvidence(f"With clocks that may differ by {skew} there is no violation: --clock-skew {skew}."),
    ]
    text = "The clocks of the processes may not agree, so that the order of calls and returns is not what was recorded."
    yield Suspicion(80, "clock-trouble", text, evidence)
