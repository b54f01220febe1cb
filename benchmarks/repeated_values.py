# SPDX-License-Identifier: Apache-2.0
"""Objects with repeated values: `auto` compared with the two searches alone, on 2 to 50 values and 3 to 12 processes.

Each cell is a history of one object from a simulated run; in `bad` two results of its last hundredth are exchanged,
which usually makes it a violation. Every check is a separate process. Slowness is never a failure, only answers that
contradict each other or the way in which the history was generated.

    python -m benchmarks.repeated_values --quick
    python -m benchmarks.repeated_values --kind stack --processes 8 --operations 20000
    python -m benchmarks.repeated_values --write queue 8 2000 10 bad > queue.jsonl
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import random
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.report import seconds
from benchmarks.running import run

_MEMORY: Final = 2 << 30
_SEARCHES: Final = ("dfs", "linear")
_SPOILT_SHARE: Final = 0.01
_RISING_SHARE: Final = 0.5
"""The share of operations that add, for objects from which values can be removed."""


class _Object:
    """One object, driven by random draws: ``draw`` chooses a legal operation, its arguments and its result."""

    def __init__(self, kind: str, rng: random.Random, values: int) -> None:
        self._kind = kind
        self._rng = rng
        self._values = values
        self._items: deque[int] = deque()
        self._heap: list[int] = []
        self._counts: dict[int, int] = {}
        self._value: int | None = None
        self._number = 0
        self._held = False

    def draw(self) -> tuple[str, list[Any], Any]:
        """An operation that is legal now, its arguments and its result."""
        adds = self._rng.random() < _RISING_SHARE
        value = self._rng.randint(1, self._values)
        draws = {
            "queue": self._queue,
            "stack": self._stack,
            "deque": self._deque,
            "priority-queue": self._priority_queue,
            "set": self._set,
            "multiset": self._multiset,
            "map": self._map,
            "register": self._register,
            "cas-register": self._cas_register,
            "counter": self._counter,
            "fetch-add": self._fetch_add,
            "mutex": self._mutex,
            "semaphore": self._semaphore,
        }
        return draws[self._kind](adds, value)

    def _queue(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        if adds:
            self._items.append(value)
            return "enqueue", [value], None
        return "dequeue", [], self._items.popleft() if self._items else None

    def _stack(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        if adds:
            self._items.append(value)
            return "push", [value], None
        return "pop", [], self._items.pop() if self._items else None

    def _deque(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        front = self._rng.random() < 0.5
        if adds:
            (self._items.appendleft if front else self._items.append)(value)
            return ("push-front" if front else "push-back"), [value], None
        take = self._items.popleft if front else self._items.pop
        return ("pop-front" if front else "pop-back"), [], take() if self._items else None

    def _priority_queue(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        if adds:
            heapq.heappush(self._heap, -value)
            return "insert", [value], None
        return "delete-max", [], -heapq.heappop(self._heap) if self._heap else None

    def _set(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        inside = self._counts.get(value, 0) > 0
        if self._rng.random() < 0.2:
            return "contains", [value], inside
        self._counts[value] = int(adds)
        return ("add", [value], not inside) if adds else ("remove", [value], inside)

    def _multiset(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        count = self._counts.get(value, 0)
        if self._rng.random() < 0.1:
            return "count", [value], count
        self._counts[value] = count + 1 if adds else max(0, count - 1)
        return ("add", [value], None) if adds else ("remove", [value], count > 0)

    def _map(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        if not adds:
            return "get", ["k"], self._value
        old = self._value
        self._value = value
        return ("cas", ["k", old, value], True) if self._rng.random() < 0.5 else ("put", ["k", value], None)

    def _register(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        if not adds:
            return "read", [], self._value
        self._value = value
        return "write", [value], None

    def _cas_register(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        old = self._value
        if self._rng.random() < 0.2:
            return self._register(adds, value)
        expected = old if adds else self._rng.randint(1, self._values)
        if expected == old:
            self._value = value
        return "cas", [expected, value], expected == old

    def _counter(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        if self._rng.random() < 0.4:
            return "read", [], self._number
        self._number += value if adds else -value
        return "add", [value if adds else -value], None

    def _fetch_add(self, adds: bool, value: int) -> tuple[str, list[Any], Any]:
        before = self._number
        self._number += value if adds else -value
        return "fetch-add", [value if adds else -value], before

    def _mutex(self, adds: bool, _value: int) -> tuple[str, list[Any], Any]:
        held = self._held
        if adds or not held:
            self._held = True
            return "try-acquire", [], not held
        self._held = False
        return "release", [], None

    def _semaphore(self, adds: bool, _value: int) -> tuple[str, list[Any], Any]:
        if adds:
            self._number += 1
            return "release", [], None
        some = self._number > 0
        self._number -= int(some)
        return "try-acquire", [], some


KINDS: Final = (
    *("queue", "stack", "priority-queue", "register", "cas-register", "map", "set", "multiset"),
    *("counter", "fetch-add", "mutex", "semaphore", "deque"),
)
SPECS: Final = {"semaphore": "semaphore(0)"}


def operations_of(
    kind: str, processes: int, operations: int, values: int, *, bad: bool, seed: int = 7
) -> list[dict[str, Any]]:
    """The operations of a run, one per process at a time, each at a hidden point between its call and its return."""
    rng = random.Random(f"{kind} {processes} {operations} {values} {seed}")
    free = [(0.0, process) for process in range(processes)]
    spans = []
    for _ in range(operations):
        at, process = heapq.heappop(free)
        call = at + rng.uniform(0.1, 1)
        end = call + rng.uniform(0.5, 4)
        spans.append((call + rng.random() * (end - call), process, call, end))
        heapq.heappush(free, (end, process))
    made = _Object(kind, rng, values)
    ranks = {time: rank for rank, time in enumerate(sorted(time for _, _, *both in spans for time in both))}
    lines = []
    for _, process, call, end in sorted(spans):
        name, args, result = made.draw()
        times = {"call": ranks[call], "return": ranks[end]}
        lines.append({"process": process, "op": name, "args": args, "result": result, **times})
    if bad:
        _spoil(rng, lines)
    return lines


def _spoil(rng: random.Random, lines: list[dict[str, Any]]) -> None:
    """Exchange two results of the last hundredth."""
    late = lines[-max(8, int(_SPOILT_SHARE * len(lines))) :]
    telling = [line for line in late if line["result"] is not None]
    pairs = [(a, b) for a, b in itertools.combinations(telling, 2) if a["op"] == b["op"] and a["result"] != b["result"]]
    if pairs:
        a, b = rng.choice(pairs)
        a["result"], b["result"] = b["result"], a["result"]


def experiment(*, quick: bool) -> bool:
    """Measure and print the default cells; whether an answer was wrong."""
    sizes = [(3, 200), (4, 2000), (8, 2000)] if quick else [(3, 200), (4, 2000), (8, 2000), (12, 2000), (8, 20000)]
    values = (2, 10) if quick else (2, 10, 50)
    return measure(KINDS, sizes, values, timeout=5.0 if quick else 30.0, alone=5.0)


@dataclass(frozen=True, slots=True)
class _Measured:
    """One check: its verdict, the seconds and the memory."""

    verdict: str
    checker: str = ""
    took: float = 0.0
    megabytes: float = 0.0

    def __str__(self) -> str:
        return f"{self.verdict[:4]} {seconds(self.took)}" if self.took else self.verdict


def measure(
    kinds: tuple[str, ...], sizes: list[tuple[int, int]], values: tuple[int, ...], *, timeout: float, alone: float
) -> bool:
    """Measure the cells, with ``timeout`` seconds for `auto` and ``alone`` for each search; whether one was wrong."""
    print(f"repeated values: seconds per check, up to {timeout:g} s and 2 GB; the searches alone, up to {alone:g} s")
    print(f"{'':44}{'auto':<18}{'by':<10}{'memory':>8}   " + "".join(f"{name:<16}" for name in _SEARCHES))
    wrong = False
    for kind, (processes, size), many, bad in itertools.product(kinds, sizes, values, (False, True)):
        name = f"{kind} {processes} x {size:,} {many} values {'bad' if bad else 'good'}"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "history.jsonl"
            _write(file, operations_of(kind, processes, size, many, bad=bad))
            auto = _check(file, kind, "auto", timeout)
            others = [_check(file, kind, search, alone) for search in _SEARCHES]
        known = {each.verdict for each in (auto, *others)} & {"linearizable", "violation"}
        wrong = wrong or len(known) > 1 or (not bad and "violation" in known)
        print(f"{name:<44}{auto!s:<18}{auto.checker:<10}{auto.megabytes:>6.0f} M   ", end="")
        print("".join(f"{each!s:<16}" for each in others), flush=True)
    return wrong


def _check(file: Path, kind: str, checker: str, timeout: float) -> _Measured:
    spec = SPECS.get(kind, kind)
    command = [
        *(sys.executable, "-m", "benchmarks.ours", "--spec", spec, "--checker", checker),
        *("--timeout", str(timeout), "--max-memory", str(_MEMORY), "--wait", str(file)),
    ]
    ended = run(command, patience=60 + 2 * timeout, memory=2 * _MEMORY)
    if not ended.lines or "verdict" not in ended.lines[-1]:
        return _Measured(ended.why or "nothing")
    said = ended.lines[-1]
    return _Measured(said["verdict"], said["checker"], said["seconds"][0], ended.peak / 2**20)


def _write(file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def _written(words: list[str]) -> Iterator[str]:
    kind, processes, size, values, state = words
    for line in operations_of(kind, int(processes), int(size), int(values), bad=state == "bad"):
        yield json.dumps(line)


def main() -> int:
    """Measure the selected cells, or write a history."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.repeated_values", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--operations", type=int)
    parser.add_argument("--values", type=int)
    parser.add_argument("--timeout", type=float, default=30.0)
    parser.add_argument("--write", nargs=5, metavar=("KIND", "PROCESSES", "OPERATIONS", "VALUES", "STATE"))
    options = parser.parse_args()
    if options.write:
        print("\n".join(_written(options.write)))
        return 0
    if not (options.kind or options.processes or options.operations or options.values):
        return int(experiment(quick=options.quick))
    sizes = [(options.processes or 8, options.operations or 2000)]
    kinds = tuple(options.kind or KINDS)
    values = (options.values,) if options.values else (2, 10, 50)
    return int(measure(kinds, sizes, values, timeout=options.timeout, alone=5.0))


if __name__ == "__main__":
    sys.exit(main())
