# SPDX-License-Identifier: Apache-2.0
"""The crash tests of a campaign and their coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.crash.crash_host import CrashReply
from linpoint.crash.crash_run import CrashRun
from linpoint.crash.store_places import StorePlaces
from linpoint.hosts.crash_messages import CrashTestsEnded, NeedlessFlush
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.evidence import NeedlessInstruction

_MAX_ADVICE: Final = 20
_POINT_KINDS: Final = ("stores", "atomic", "guarded", "publishing", "fresh")


@dataclass(slots=True)
class CrashCoverage:
    """The host runs that count as tests; runs that generate or shrink a workload do not."""

    first: CrashRun | None = None
    """The run of the workload without a crash."""
    runs: list[CrashRun] = field(default_factory=list)
    tests: Counter[str] = field(default_factory=Counter)
    """The number of crash tests by kind."""
    testing_seconds: float = 0.0
    peak_memory_bytes: int = 0

    @property
    def results(self) -> Iterator[CrashTestsEnded]:
        """The results of all hosts."""
        return (result for run in self.runs for result in run.reply.results.values())

    @property
    def undecided(self) -> int:
        """The number of crashes that could not be judged; all runs share the oracle of the first."""
        return sum(run.oracle.undecided for run in self.runs[:1] if run.oracle is not None)

    @property
    def unconfirmed(self) -> int:
        """The number of violations that a pristine process did not reproduce."""
        return sum(not violation.confirmed for run in self.runs for _, violation in run.reply.violations)

    def observe_memory(self, reply: CrashReply) -> None:
        """Record the memory use of hosts."""
        self.peak_memory_bytes = max(self.peak_memory_bytes, reply.peak_memory_bytes)

    def add(self, run: CrashRun) -> None:
        """Count a run."""
        self.observe_memory(run.reply)
        self.runs.append(run)
        self.testing_seconds += run.reply.seconds
        for result in run.reply.results.values():
            self.tests.update({kind: count for kind, count in result.tests.items() if count})

    def all_ended(self) -> bool:
        """Whether no host ran out of time."""
        return all(each.ended == "complete" for each in self.results)

    def is_complete(self, kind: str) -> bool:
        """Whether every crash test of a kind was made."""
        results = [result for run in self.runs if kind in run.kinds for result in run.reply.results.values()]
        return bool(results) and all(each.exhaustive and each.ended == "complete" for each in results)

    def qualifications(self) -> list[str]:
        """The reasons why a pass proves less, as the hosts report them."""
        return list(dict.fromkeys(each.rstrip(".") for result in self.results for each in result.qualified))

    def measured(self, seconds: float, bounds: Mapping[str, Any]) -> Coverage:
        """The coverage after this time, with the bounds."""
        first, results = self.first, list(self.results)
        traced = None if first is None else first.traced
        plan = None if first is None else first.plan
        crash_tests = self.tests.total()
        return coverage_of(
            "crash",
            seconds=seconds,
            peak_memory_bytes=self.peak_memory_bytes,
            bounds=bounds,
            operations=0 if plan is None else len(plan.workload) + len(plan.beside),
            crash_tests=crash_tests,
            crash_tests_by_kind=dict(self.tests),
            crash_tests_a_second=crash_tests / self.testing_seconds if self.testing_seconds > 0 else 0.0,
            schedules=sum(each.schedules for each in results),
            infeasible_schedules=sum(each.infeasible for each in results),
            duplicates=sum(each.duplicates for each in results),
            retests=sum(each.retests for each in results),
            judgements=0 if first is None or first.oracle is None else first.oracle.questions,
            stores=0 if traced is None else traced.stores,
            flushes=0 if traced is None else traced.flushes,
            fences=0 if traced is None else traced.fences,
            allocations=0 if traced is None else traced.allocations,
            points={} if traced is None else {name: getattr(traced.points, name) for name in _POINT_KINDS},
            edges=0 if traced is None else traced.edges,
            probes=0 if plan is None else len(plan.probes),
        )

    def advice(self, places: StorePlaces) -> list[NeedlessInstruction]:
        """The flushes and fences without effect in the first run, by source line."""
        advised: list[NeedlessFlush] = [
            each for run in self.runs[:1] for result in run.reply.results.values() for each in result.advice
        ]
        places.look_up(each.place for each in advised)
        found: dict[tuple[str, str], NeedlessInstruction] = {}
        for each in advised:
            place = places.of(each.place)
            if place is not None:
                key = each.kind, f"{place.file}:{place.line}"
                # Every shard has the whole trace, so the counts are the same.
                count = max(each.count, found[key].count if key in found else 0)
                found[key] = NeedlessInstruction(each.kind, place, count)
        return sorted(found.values(), key=lambda each: -each.count)[:_MAX_ADVICE]


def why_untrusted(run: CrashRun) -> str:
    """The reason why a run is not reliable; empty if it is."""
    refused = [each for each in run.reply.results.values() if each.ended in ("refused", "error")]
    if run.differs:
        return (
            "the workload gave different results when it ran again: it depends on state that linpoint does not control"
        )
    if refused:
        return refused[0].reason or "the host gave no reason"
    return run.reply.died
