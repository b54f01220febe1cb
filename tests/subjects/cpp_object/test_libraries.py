# SPDX-License-Identifier: Apache-2.0
"""Libraries as packaged by Debian, unmodified: all scenarios of two threads with two operations each.

Findings and counts are facts about a version: those of Debian 12 and its g++. The table in
docs/explanation/published-cpp-libraries.md has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from linpoint.campaign.driver import run_campaign
from linpoint.options.commands.test import TestOptions
from linpoint.subjects.cpp_object.build_tests import build_tests
from linpoint.verdicts import Status
from linpoint.verdicts.result import Result
from tests.missing_packages import missing

FOLDER = Path(__file__).parent / "libraries"
BAG = f"{FOLDER / 'specs.py'}:Bag"
_SECONDS = 600.0
LINEARIZABLE, VIOLATION, UNKNOWN = Status.LINEARIZABLE, Status.VIOLATION, Status.UNKNOWN
PACKAGES = {
    "boost_stack": ("libboost-dev", "boost/lockfree/stack.hpp"),
    "boost_queues": ("libboost-dev", "boost/lockfree/queue.hpp"),
    "moodycamel_queues": ("libconcurrentqueue-dev and libreaderwriterqueue-dev", "concurrentqueue/concurrentqueue.h"),
    "atomic_queue": ("libatomic-queue-dev", "atomic_queue/atomic_queue.h"),
    "cuckoo_map": ("libcuckoo-dev", "libcuckoo/cuckoohash_map.hh"),
    "tbb_queue": ("libtbb-dev", "tbb/concurrent_queue.h"),
    "ck_stack": ("libck-dev", "ck_stack.h"),
}


def run(library: str, test: str, options: TestOptions) -> Result:
    """Test one library; ``options`` come before the comments of the file."""
    package, header = PACKAGES[library]
    if not Path("/usr/include", header).exists():
        missing(f"there is no <{header}>: apt install {package}")
    file = str(FOLDER / f"{library}_linpoint.cpp")
    bounded = options.over(TestOptions(compiler="g++", threads=2, operations=2)).for_file(file)
    (found,) = build_tests(file, test, bounded)
    return run_campaign(found.subject, _SECONDS)


@dataclass(frozen=True)
class Exhausted:
    """A library that is correct in every schedule, and the number of its schedules."""

    library: str
    test: str
    scenarios: int
    sc: int
    tso: int | None
    """None if it is not correct under TSO."""
    spec: str | None = None
    races: str | None = None
    long: bool = False

    def options(self, model: str) -> TestOptions:
        return TestOptions(spec=self.spec, memory_model=model, races=self.races)


RIGHT = [
    Exhausted("boost_stack", "BoostStack", 78, 15_205, 30_150),
    Exhausted("boost_queues", "BoostQueue", 78, 387_025, 817_813, long=True),
    Exhausted("boost_queues", "BoostRing", 12, 62, None, races="stop"),
    Exhausted("moodycamel_queues", "OneProducer", 12, 106, None),
    Exhausted("moodycamel_queues", "ManyProducers", 78, 10_827, None, spec=BAG),
    Exhausted("moodycamel_queues", "ReaderWriter", 12, 46, None),
    Exhausted("atomic_queue", "AtomicQueue", 78, 1_281, 1_672),
    Exhausted("cuckoo_map", "CuckooMap", 210, 4_288, 4_288),
]


def cases() -> list[object]:
    found: list[object] = []
    for each in RIGHT:
        for model, schedules in (("sc", each.sc), ("tso", each.tso)):
            slow = each.long or (schedules or 0) > 20_000
            marks = [pytest.mark.long] if slow else []
            if schedules is not None:
                found.append(pytest.param(each, model, schedules, id=f"{each.test}-{model}", marks=marks))
    return found


@pytest.mark.parametrize(("library", "model", "schedules"), cases())
def test_every_schedule_is_correct(library: Exhausted, model: str, schedules: int) -> None:
    result = run(library.library, library.test, library.options(model))
    assert (result.status, result.exhaustive) == (LINEARIZABLE, True), result.explain().text
    assert (result.tested.scenarios, result.tested.schedules) == (library.scenarios, schedules)


@pytest.mark.parametrize("library", [each for each in RIGHT if each.tso is None], ids=lambda each: each.test)
def test_a_buffered_store_lets_another_thread_find_the_queue_empty(library: Exhausted) -> None:
    """Rings and queues without a fence: an enqueue returns before others can see it, as their authors chose."""
    result = run(library.library, library.test, library.options("tso"))
    assert result.status is VIOLATION
    (finding,) = result.findings
    assert (finding.kind, finding.scenario) == ("linearizability", "enqueue(1) | dequeue()")
    assert dict(result.models) == {"tso": VIOLATION, "sc": LINEARIZABLE}


def test_a_queue_of_many_producers_is_not_fifo() -> None:
    """Values that one thread enqueued before another may be dequeued after it, as the documentation states."""
    result = run("moodycamel_queues", "ManyProducers", TestOptions())
    assert result.status is VIOLATION
    (finding,) = result.findings
    assert finding.kind == "linearizability"
    assert "dequeue() returned 2; every valid order requires 1" in finding.message


@pytest.mark.parametrize(("library", "test"), [("boost_stack", "BoostStack"), ("boost_queues", "BoostQueue")])
def test_free_lists_of_boost_have_races(library: str, test: str) -> None:
    result = run(library, test, TestOptions(races="stop"))
    assert result.status is VIOLATION
    assert [finding.kind for finding in result.findings] == ["race"]


def test_a_few_schedules_of_the_large_library_are_correct() -> None:
    """This runs in the day lane; all schedules are in the long lane."""
    result = run("boost_queues", "BoostQueue", TestOptions(operations=1, memory_model="tso"))
    assert (result.status, result.exhaustive) == (LINEARIZABLE, True)
    assert (result.tested.scenarios, result.tested.schedules) == (6, 505)


def test_inline_assembly_is_rejected() -> None:
    result = run("ck_stack", "CkStack", TestOptions())
    assert result.status is UNKNOWN
    assert "inline assembly cannot be instrumented" in result.why
    assert "ck_pr.h" in result.why


def test_code_in_a_shared_object_is_not_instrumented() -> None:
    result = run("tbb_queue", "TbbQueue", TestOptions())
    assert result.status is UNKNOWN
    assert "dlopen()" in result.why
