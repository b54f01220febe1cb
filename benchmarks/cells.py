# SPDX-License-Identifier: Apache-2.0
"""The matrix: one cell is one history that linpoint and Porcupine both check.

Names are designed for ``--select``: ``cas/10k/10p/bad/u8`` is a CAS register, 10,000 operations, 10 processes, one
impossible result, 8 calls that never returned (early ones, unless ``-spread``).

    etcd, etcd-observed, kv   Porcupine's own files
    cas, map, queue           generated; good, bad (the result occurs elsewhere), unwritten (it occurs nowhere)
    queue-few, queue-long     queues with repeated values; queues of some 25 values, where searches learn late
    easy                      CAS registers, 100,000 operations over 10 keys; also with a user-defined spec
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import recorded
from benchmarks.workloads import cas_register_lines, map_lines, queue_lines

SIZES: Final = {"100": 100, "200": 200, "1k": 1_000, "10k": 10_000, "100k": 100_000}
PROCESSES: Final = (4, 10, 30)
UNKNOWN: Final = (4, 8, 12)
RECORDED_RUNS: Final = 31
USER_SPEC: Final = "benchmarks.register_spec:CasRegister"

_QUICK: Final = (
    *("etcd/*", "kv/*", "easy/*"),
    *("cas/1k/*p/good", "cas/1k/*p/bad", "cas/1k/4p/*/u8", "cas/1k/4p/bad/u12", "cas/1k/4p/unwritten/u12"),
    *("cas/10k/4p/*", "cas/10k/10p/*", "cas/100k/4p/good", "cas/100k/10p/good"),
    *("map/10k/10p/*", "map/100k/10p/good", "queue/100/4p/*", "queue/1k/4p/good", "queue/1k/4p/bad"),
    *("queue-long/200/4p/good", "queue-long/1k/4p/bad"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A history to measure: its source, its model, and its verdict if known.

    ``provide`` returns the file; if it must be generated, it is created in the given directory. Porcupine does not take
    part in a cell with a user-defined ``spec``. ``runs`` is the number of checks per tool; the median counts.
    """

    name: str
    model: str
    provide: Callable[[Path], Path]
    expected: str | None = None
    runs: int = 1
    spec: str | None = None

    @property
    def group(self) -> str:
        """The first part of the name."""
        return self.name.partition("/")[0]


def all_cells(data: Path | None) -> list[Cell]:
    """Every cell, fastest groups first; without ``data``, Porcupine's files are left out."""
    return [*(_recorded(data) if data is not None else ()), *_easy(), *_registers(), *_maps(), *_queues()]


def selected(cells: Iterable[Cell], patterns: Iterable[str], *, quick: bool) -> list[Cell]:
    """The cells whose name contains a pattern or matches it as a glob; all if there are no patterns."""
    wanted = list(patterns)
    return [
        cell
        for cell in cells
        if (not wanted or matches(cell.name, wanted))
        and (not quick or any(fnmatch.fnmatchcase(cell.name, pattern) for pattern in _QUICK))
    ]


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern is part of the name or matches the whole name."""
    return any(pattern in name or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _recorded(data: Path) -> Iterator[Cell]:
    logs, key_values = recorded.files(data)
    for path in logs:
        yield Cell(f"etcd/{path.stem}", "cas-register", _given(path), runs=RECORDED_RUNS)
    for path in key_values:
        expected = {"ok": "linearizable", "bad": "violation"}.get(path.stem.rpartition("-")[2])
        yield Cell(f"kv/{path.stem}", "map", _given(path), expected, runs=RECORDED_RUNS)
    for path in logs:
        yield Cell(f"etcd-observed/{path.stem}", "cas-register", _observed(path), runs=RECORDED_RUNS)


def _registers() -> Iterator[Cell]:
    for size, operations in list(SIZES.items())[2:]:
        for processes in PROCESSES:
            name = f"cas/{size}/{processes}p"
            good = cas_register_lines, {"operations": operations, "processes": processes}
            yield _generated(f"{name}/good", "cas-register", *good)
            yield _generated(f"{name}/bad", "cas-register", *good, stale=True)
            if (size, processes) in (("1k", 4), ("10k", 10)):
                yield _generated(f"{name}/unwritten", "cas-register", *good, bad=True)
    for unknown in UNKNOWN:
        lost = cas_register_lines, {"operations": 1_000, "processes": 4, "unknown": unknown}
        yield _generated(f"cas/1k/4p/good/u{unknown}", "cas-register", *lost)
        yield _generated(f"cas/1k/4p/bad/u{unknown}", "cas-register", *lost, stale=True)
        yield _generated(f"cas/1k/4p/unwritten/u{unknown}", "cas-register", *lost, bad=True)
        yield _generated(f"cas/1k/4p/bad/u{unknown}-spread", "cas-register", *lost, stale=True, spread=True)


def _maps() -> Iterator[Cell]:
    for size, operations in list(SIZES.items())[2:]:
        for processes in PROCESSES:
            name = f"map/{size}/{processes}p"
            good = map_lines, {"operations": operations, "processes": processes}
            yield _generated(f"{name}/good", "map", *good, runs=RECORDED_RUNS)
            yield _generated(f"{name}/bad", "map", *good, runs=RECORDED_RUNS, stale=True)
    for unknown in UNKNOWN:
        lost = map_lines, {"operations": 1_000, "processes": 4, "unknown": unknown, "keys": 1}
        yield _generated(f"map/1k/4p/good/u{unknown}", "map", *lost)
        yield _generated(f"map/1k/4p/bad/u{unknown}", "map", *lost, stale=True)


def _queues() -> Iterator[Cell]:
    for size, operations in SIZES.items():
        for processes in PROCESSES:
            if operations < 20 * processes:
                continue  # all operations would overlap
            name = f"queue/{size}/{processes}p"
            good = queue_lines, {"operations": operations, "processes": processes}
            yield _generated(f"{name}/good", "queue", *good)
            yield _generated(f"{name}/bad", "queue", *good, stale=True)
    for size in ("200", "1k", "10k"):
        good = queue_lines, {"operations": SIZES[size], "processes": 4, "values": 20}
        yield _generated(f"queue-few/{size}/4p/good", "queue", *good)
        yield _generated(f"queue-few/{size}/4p/bad", "queue", *good, stale=True)
    for size in ("200", "1k", "10k", "100k"):
        good = queue_lines, {"operations": SIZES[size], "processes": 4, "length": 50}
        yield _generated(f"queue-long/{size}/4p/good", "queue", *good)
        yield _generated(f"queue-long/{size}/4p/bad", "queue", *good, stale=True)
    for unknown in UNKNOWN:
        lost = queue_lines, {"operations": 1_000, "processes": 4, "unknown": unknown}
        yield _generated(f"queue/1k/4p/good/u{unknown}", "queue", *lost)
        yield _generated(f"queue/1k/4p/bad/u{unknown}", "queue", *lost, stale=True)


def _easy() -> Iterator[Cell]:
    for name, values in (("few", 5), ("unique", 0)):
        easy = cas_register_lines, {"operations": 100_000, "keys": 10, "values": values}
        yield _generated(f"easy/{name}", "cas-register", *easy)
        yield _generated(f"easy/{name}/user-spec", "cas-register", *easy, spec=USER_SPEC)


def _generated(
    name: str,
    model: str,
    lines: Callable[..., Iterator[str]],
    parameters: dict[str, int],
    *,
    spec: str | None = None,
    runs: int = 1,
    **fault: bool,
) -> Cell:
    def provide(folder: Path) -> Path:
        return _store(folder, lines(**parameters, **fault))

    return Cell(name, model, provide, "violation" if fault else "linearizable", spec=spec, runs=runs)


def _given(path: Path) -> Callable[[Path], Path]:
    return lambda _folder: path.resolve()


def _observed(log: Path) -> Callable[[Path], Path]:
    return lambda folder: _store(folder, recorded.observed_lines(log))


def _store(folder: Path, lines: Iterator[str]) -> Path:
    """Write a file line by line: our own memory must stay small, see ``running``."""
    path = folder / "history.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(f"{line}\n")
    return path
