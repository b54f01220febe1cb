# SPDX-License-Identifier: Apache-2.0
"""The commands of a baseline. All are deterministic: fixed seeds, one worker, exhaustively explored scenarios.

Names begin with the command; paths are those of ``inputs.SOURCES``.
"""

from __future__ import annotations

import fnmatch
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

BUDGET: Final = "--budget 900s"
"""More than any case needs on a busy machine: results must not depend on time."""


@dataclass(frozen=True, slots=True)
class Case:
    """One command and how much of its output must stay unchanged."""

    name: str
    argv: tuple[str, ...]
    keeps: Literal["all", "nothing"] = "all"
    """``nothing``: only the exit code, for runs on real threads."""
    after: str = ""
    """The case whose token (``TOKEN`` in ``argv``) or document (``DOCUMENT``) it uses."""
    writes: tuple[str, ...] = ()
    """Files that are recorded as well."""


def cases(pattern: str = "*") -> list[Case]:
    """All cases whose names match, and the cases they depend on."""
    everything = {each.name: each for each in _all_cases()}
    chosen = {name for name in everything if fnmatch.fnmatch(name, pattern)}
    chosen |= {everything[name].after for name in chosen} - {""}
    return [each for name, each in everything.items() if name in chosen]


def _all_cases() -> Iterator[Case]:
    groups = (_check(), _convert(), _specs(), _test_python(), _test_cpp(), _explore(), _refine(), _crash(), _stress())
    for group in groups:
        yield from group
    yield from _replay()
    yield from _report()


def _case(name: str, command: str, **more: object) -> Case:
    return Case(name, tuple(shlex.split(command)), **more)  # type: ignore[arg-type]


_HISTORIES: Final = {
    "array.json": "queue",
    "independent.jsonl": "cas-register",
    "keys.jsonl": "register",
    "kv.txt": "map",
    "list.edn": "cas-register",
    "lock.edn": "mutex",
    "lost-after-crash.jsonl": "register",
    "multi.edn": "multi-register",
    "pending-write-was-read.jsonl": "register",
    "reordered.edn": "register",
    "stale-read.jsonl": "register",
    "table.csv": "stack",
    "text.log": "cas-register",
    "vector.edn": "cas-register",
}


def _check() -> Iterator[Case]:
    for file, spec in _HISTORIES.items():
        command = f"check data/{file} --spec {spec} -j 1"
        yield _case(f"check/{file}", f"{command} --json")
        yield _case(f"check/{file}/text", command)
        yield _case(f"check/{file}/wing-gong", f"{command} --checker wing-gong --json")
    for checker in ("dfs", "linear", "brute-force"):
        for file in ("keys.jsonl", "stale-read.jsonl", "text.log", "lock.edn"):
            yield _case(
                f"check/{file}/{checker}",
                f"check data/{file} --spec {_HISTORIES[file]} --checker {checker} -j 1 --json",
            )
    for file in ("array.json", "table.csv", "stale-read.jsonl"):
        yield _case(f"check/{file}/monitor", f"check data/{file} --spec {_HISTORIES[file]} --checker monitor --json")
    for file in ("stale-read.jsonl", "multi.edn"):
        yield _case(f"check/{file}/graph", f"check data/{file} --spec {_HISTORIES[file]} --checker graph --json")
    for condition in ("strict", "recoverable", "durable", "buffered-durable", "sequential"):
        yield _case(
            f"check/condition/{condition}",
            f"check data/lost-after-crash.jsonl --spec register --condition {condition} -j 1 --json",
        )
    initial = '\'{"x": 0, "y": 0}\''
    yield _case("check/initial", f"check data/multi.edn --spec multi-register --initial {initial} --json")
    yield _case(
        "check/own-spec", "check examples/rate_limiter.jsonl --spec examples/rate_limiter.py:RateLimiter --json"
    )
    yield _case("check/jepsen", "check examples/jepsen_register.edn --spec cas-register --json")
    yield _case("check/several", "check data/keys.jsonl data/stale-read.jsonl --spec register --summary -j 1")
    yield _case("check/github", "check data/keys.jsonl --spec register --github -j 1")
    yield _case(
        "check/junit", "check data/keys.jsonl --spec register --summary --junit keys.xml -j 1", writes=("keys.xml",)
    )
    yield _case("check/skew", "check data/stale-read.jsonl --spec register --clock-skew 5 -j 1 --json")
    yield _case("check/error/spec", "check data/keys.jsonl --spec registre --json")
    yield _case("check/error/file", "check data/none.jsonl --spec register --json")
    yield _case("check/error/format", "check data/table.csv --spec stack --format jepsen-edn --json")
    yield _case("check/error/option", "check data/keys.jsonl --spec register --checkr dfs")


def _convert() -> Iterator[Case]:
    for file in ("array.json", "keys.jsonl", "kv.txt", "text.log", "vector.edn", "table.csv"):
        for format_ in ("operations", "jepsen-edn", "csv"):
            yield _case(f"convert/{file}/{format_}", f"convert data/{file} - --to {format_}")


def _specs() -> Iterator[Case]:
    yield _case("specs/all", "specs --json")
    yield _case("specs/text", "specs")
    for name in ("register", "queue", "mutex", "map", "mwcas"):
        yield _case(f"specs/{name}", f"specs {name} --json")
    yield _case("specs/own", "specs examples/rate_limiter.py:RateLimiter --json")


_PYTHON: Final = {
    "lost_update": ("Counter", "LockedCounter", "increment() | increment()", "read()"),
    "bank_transfer": ("Bank", "LockedBank", "pay(1) | pay(1)", ""),
    "lazy_initialisation": ("Pool", "LockedPool", "connection() | connection()", ""),
    "least_recently_used": ("Cache", "LockedCache", 'put("a", 1) | put("b", 1)', ""),
    "check_then_act": ("Theatre", "LockedTheatre", 'insert("A1", "eve") | insert("A1", "eve")', ""),
    "double_checked_locking": ("Registry", "CarefulRegistry", "session_is_open() | session_is_open()", ""),
    "read_write_lock": ("ReadWriteLock", "CarefulReadWriteLock", "acquire_read() | acquire_write()", ""),
    "lost_wakeup": ("Mailbox", "CarefulMailbox", "put(1) | take()", ""),
    "lock_order": ("Bank", "OrderedBank", "pay() | pay_back()", ""),
    "torn_iteration": ("Listeners", "LockedListeners", 'subscribe("mail") | emit()', ""),
    "set_default": ("Wrapper", "AtomicWrapper", 'setdefault("a", 2) | setdefault("a", 1)', ""),
}
"""File: the broken and the fixed test, a scenario that shows the difference, and what runs after it."""


def _test_python() -> Iterator[Case]:
    for file, (broken, fixed, scenario, after) in _PYTHON.items():
        shape = f"--scenario {shlex.quote(scenario)}" + (f" --after {shlex.quote(after)}" if after else "")
        for which in (broken, fixed):
            yield _case(f"test/python/{which}/{file}", f"test python/{file}.py:Test{which} {shape} {BUDGET} --json")
    counter = f"test python/lost_update.py:TestCounter {BUDGET}"
    locked = "test python/lost_update.py:TestLockedCounter --threads 2 --operations 2"
    yield _case("test/python/text", counter)
    yield _case("test/python/generated", f"{counter} --json")
    yield _case("test/python/exhaustive", f"{locked} {BUDGET} --json")
    for granularity in ("line", "opcode"):
        yield _case(f"test/python/{granularity}", f"{counter} --granularity {granularity} --json")
    yield _case("test/python/ast", f"{counter} --backend ast --json")
    yield _case("test/python/seed", f"{counter} --seed 7 --json")
    yield _case("test/python/other-spec", f"{counter} --spec 'counter(initial=1)' --json")
    yield _case("test/python/summary", f"test python/lost_update.py {BUDGET} --threads 2 --operations 1 --summary")
    yield _case("test/python/github", f"{counter} --github")
    yield _case("test/python/junit", f"{counter} --summary --junit test.xml", writes=("test.xml",))
    for which in ("Account", "LockedAccount"):
        yield _case(f"test/python/asyncio/{which}", f"test scripts/account_test.py:Test{which} {BUDGET} --json")
    yield _case("test/python/error/name", "test python/lost_update.py:TestCount --json")
    yield _case("test/python/error/scenario", "test python/lost_update.py:TestCounter --scenario 'incr()' --json")


_CPP: Final = {
    "treiber_stack": ("stack", "pop() | pop(); pop(); push(3)", "push(1); push(2)", "pop(); pop()"),
    "spsc_ring": ("queue(capacity=1)", "enqueue(1) | dequeue()", "", ""),
    "chase_lev_deque": ("deque", "pop-back() | pop-front(); pop-front()", "push-back(1); push-back(2)", ""),
    "mcs_lock": ("counter", "increment() | increment()", "", ""),
    "valois_list": ("set", "add(1) | add(1)", "", ""),
}


def _test_cpp() -> Iterator[Case]:
    for name, (spec, scenario, before, after) in _CPP.items():
        command = f"test cpp/{name}_linpoint.cpp --spec {shlex.quote(spec)} --scenario {shlex.quote(scenario)}"
        for option, value in (("--before", before), ("--after", after)):
            command += f" {option} {shlex.quote(value)}" if value else ""
        command += f" --workers 1 {BUDGET}"
        for model in ("sc", "tso"):
            yield _case(f"test/cpp/{name}/{model}", f"{command} --memory-model {model} --json")
            yield _case(
                f"test/cpp/{name}/{model}/broken",
                f"{command} --memory-model {model} --json -- -DLINPOINT_BROKEN=1",
            )
    ring = "test cpp/spsc_ring_linpoint.cpp --spec 'queue(capacity=1)' --workers 1 --threads 2 --operations 2"
    yield _case("test/cpp/exhaustive", f"{ring} {BUDGET} --json")
    yield _case("test/cpp/text", f"{ring} {BUDGET} -- -DLINPOINT_BROKEN=1")
    yield _case("test/cpp/outcomes", f"{ring} --method outcomes {BUDGET} --json")
    yield _case("test/cpp/progress", f"{ring} --progress {BUDGET} --json")
    yield _case("test/cpp/error/model", "test cpp/spsc_ring_linpoint.cpp --spec queue --memory-model arm --json")


_PROGRAMS: Final = (
    "races/lock_order",
    "races/lost_update",
    "races/popped_twice",
    "races/published",
    "races/published_relaxed",
    "races/signalled_when_freed",
    "waits/nobody_signals",
)
_SCRIPTS: Final = ("assertion", "deadlock", "exception", "fixed", "event_loop")


def _explore() -> Iterator[Case]:
    for name in _SCRIPTS:
        yield _case(f"explore/python/{name}", f"explore scripts/{name}.py {BUDGET} --json")
    yield _case("explore/python/text", f"explore scripts/assertion.py {BUDGET}")
    yield _case("explore/python/preemptions", f"explore scripts/deadlock.py --preemptions 0 {BUDGET} --json")
    yield _case("explore/python/summary", f"explore scripts/deadlock.py --summary {BUDGET}")
    for name in _PROGRAMS:
        yield _case(f"explore/cpp/{name}", f"explore programs/{name}.cpp --workers 1 {BUDGET} --json")
    handshake = f"explore examples/handshake.cpp --workers 1 {BUDGET}"
    for model in ("sc", "tso", "pso"):
        yield _case(f"explore/cpp/handshake/{model}", f"{handshake} --memory-model {model} --json")
    yield _case("explore/cpp/text", f"{handshake} --memory-model tso")
    peterson = f"explore programs/thesis/peterson.cpp --workers 1 {BUDGET} --json"
    yield _case("explore/cpp/peterson/sc", peterson)
    yield _case("explore/cpp/peterson/tso", f"{peterson} --memory-model tso")
    yield _case("explore/cpp/peterson/fenced", f"{peterson} --memory-model tso -- -DFENCED")
    yield _case(
        "explore/cpp/outcomes", f"explore programs/litmus/store_buffering.cpp --outcomes --workers 1 {BUDGET} --json"
    )
    yield _case("explore/error", "explore programs/none.cpp --json")


_MODELS: Final = (
    ("array_queue", "--set repaired=true --operations 3"),
    ("array_queue", "--operations 2"),
    ("dekker", "--operations 3"),
    ("dekker", "--operations 1 --memory-model tso"),
    ("dekker", "--operations 2 --memory-model tso --set fenced=true"),
    ("elimination_stack", "--operations 2"),
    ("harris_list", "--operations 2"),
    ("harris_list", "--operations 2 --set marks=false"),
    ("herlihy_wing", "--operations 2"),
    ("herlihy_wing", "--operations 2 --set gives_up=true"),
    ("lazy_list", "--operations 2"),
    ("lazy_list", "--operations 1 --set validates=false"),
    ("mailbox", "--operations 3"),
    ("mailbox", "--operations 3 --set hasty=true"),
    ("michael_scott", "--operations 2"),
    ("michael_scott", "--operations 2 --set plain_link=true"),
    ("michael_scott", "--operations 2 --heap counted --set rechecks=false"),
    ("michael_scott", "--operations 3 --heap free"),
    ("peterson", "--operations 1 --memory-model tso"),
    ("peterson", "--operations 2 --progress returns --fairness weak"),
    ("rdcss", "--operations 2"),
    ("rdcss", "--operations 2 --set naive=true"),
    ("register", "--operations 0"),
    ("register", "--operations 0 --processes reader=2,writer=1"),
    ("snark", "--operations 2"),
    ("snzi.py:Snzi", "--operations 2"),
    ("snzi.py:Snzi", "--operations 2 --set announces=false"),
    ("stack_height", "--operations 0 --points"),
    ("stack_height", "--operations 1 --set blind=true"),
    ("treiber", "--operations 3"),
    ("treiber", "--operations 3 --points"),
    ("treiber", "--operations 2 --progress lock-free"),
    ("treiber", "--operations 2 --without por,symmetry"),
    ("treiber", "--operations 2 --compact"),
    ("treiber", "--operations 2 --set links_late=true"),
)


def _refine() -> Iterator[Case]:
    for model, options in _MODELS:
        file = model if ":" in model else f"{model}.py"
        command = f"refine examples/models/{file} --processes 2 {options}"
        if "reader=" in options:
            command = f"refine examples/models/{file} {options}"
        yield _case(f"refine/{model} {options}", f"{command} -j 1 --json")
    late = "refine examples/models/treiber.py --operations 2 --set links_late=true -j 1"
    yield _case("refine/text", late)
    yield _case("refine/summary", f"{late} --summary")
    yield _case("refine/error", "refine examples/models/treiber.py:Treber --json")
    yield _case("refine/error/constant", "refine examples/models/treiber.py --set links_lat=true --json")


_PERSISTENT: Final = (
    ("linked_set.cpp", "set", "", "add(1)"),
    ("linked_set.cpp", "set", "BUG_NODE", "add(1)"),
    ("linked_set.cpp", "set", "BUG_READER", "add(1) | contains(1)"),
    ("redo_map.cpp", "map", "BUG_COMMIT", "put(1, 1); put(1, 2); put(2, 2)"),
    ("ring_log.cpp", "log", "BUG_LENGTH", "append(1)"),
    ("torn_log.cpp", "log", "BUG_TORN", "append(65537)"),
    ("undo_array.cpp", "multi-register", "BUG_ORDER", 'txn([["write", 0, 1], ["write", 8, 1]])'),
)


def _crash() -> Iterator[Case]:
    for file, spec, bug, scenario in _PERSISTENT:
        define = f" -- -D{bug}" if bug else ""
        yield _case(
            f"crash/{file}/{bug or 'whole'}",
            f"crash crash/{file} --spec {spec} --scenario {shlex.quote(scenario)} --workers 1 {BUDGET} --json{define}",
        )
    guests = f"crash examples/persistent/guest_list.cpp --spec set --operations 30 --workers 1 {BUDGET}"
    fixed = f"crash examples/persistent/guest_list_fixed.cpp --spec set --operations 60 --workers 1 {BUDGET}"
    exhaustive = fixed.replace("--operations 60", "--scenario 'add(1); add(2)' --exhaustive")
    yield _case("crash/guest-list", f"{guests} --json")
    yield _case("crash/guest-list/text", guests)
    yield _case("crash/guest-list/fixed", f"{fixed} --json")
    yield _case("crash/guest-list/eadr", f"{guests} --persistency eadr --json")
    yield _case("crash/guest-list/exhaustive", f"{exhaustive} --json")
    yield _case("crash/error", "crash examples/persistent/guest_list.cpp --json")


def _stress() -> Iterator[Case]:
    locked = "test python/lost_update.py:TestLockedCounter --stress --budget 2s"
    yield _case("stress/python", f"{locked} --json", keeps="nothing")
    yield _case("stress/python/wrong", f"{locked} --spec 'counter(initial=1)' --json", keeps="nothing")
    sharded = "test stress/sharded_map_linpoint.cpp --spec map --stress --budget 2s --json"
    yield _case("stress/cpp", sharded, keeps="nothing")
    yield _case("stress/error", "test python/lost_update.py:TestLockedCounter --stress --progress --json")


_REPLAYED: Final = {
    "check": "check/keys.jsonl",
    "check-own-spec": "check/own-spec",
    "test-python": "test/python/Counter/lost_update",
    "test-python-exception": "test/python/Cache/least_recently_used",
    "test-python-deadlock": "test/python/Mailbox/lost_wakeup",
    "test-cpp": "test/cpp/treiber_stack/sc/broken",
    "test-cpp-race": "test/cpp/spsc_ring/sc/broken",
    "test-cpp-livelock": "test/cpp/mcs_lock/sc/broken",
    "explore-python": "explore/python/assertion",
    "explore-python-deadlock": "explore/python/deadlock",
    "explore-cpp": "explore/cpp/races/lost_update",
    "explore-cpp-deadlock": "explore/cpp/races/lock_order",
    "explore-cpp-tso": "explore/cpp/handshake/tso",
    "refine": "refine/treiber --operations 2 --set links_late=true",
    "refine-tso": "refine/peterson --operations 1 --memory-model tso",
    "crash": "crash/guest-list",
    "crash-dl3": "crash/linked_set.cpp/BUG_READER",
}


def _replay() -> Iterator[Case]:
    for name, source in _REPLAYED.items():
        yield _case(f"replay/{name}", "replay TOKEN --json", after=source)
    for name in ("check", "test-python", "test-cpp", "explore-cpp", "refine", "crash"):
        yield _case(f"replay/{name}/text", "replay TOKEN", after=_REPLAYED[name])
    yield _case("replay/stress", "replay TOKEN --json", after="stress/python/wrong", keeps="nothing")
    yield _case("replay/error", "replay lp1-nothing --json")


def _report() -> Iterator[Case]:
    for number, name in enumerate(
        ("check/keys.jsonl", "test/python/Counter/lost_update", "crash/guest-list", "refine/text")
    ):
        yield _case(f"report/{name}", f"report DOCUMENT -o report{number}.html", after=name)
