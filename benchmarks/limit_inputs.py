# SPDX-License-Identifier: Apache-2.0
"""One history in any format, of any size: the inputs of ``benchmarks.limits``.

Operations take effect one after the other and begin and end nearby, as in ``benchmarks.steady``; with crashes, all open
operations return before each. Guarantee: the file depends only on the parameters, and the memory needed to create it on
the number of processes; except Parquet and Arrow, which are created in batches. Cost: 2 to 10 microseconds per
operation.

    python -m benchmarks.limit_inputs csv map 1000000 history.csv
"""

from __future__ import annotations

import gzip
import heapq
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from benchmarks.steady import KINDS, Step

PROCESSES: Final = 8
_REACH: Final = 5 * PROCESSES - 1  # so that a process has returned before it calls again
_CRASHES: Final = 3
_BATCH: Final = 1 << 17


class Operation(NamedTuple):
    """An operation, with its arguments and its result as JSON."""

    process: int
    name: str
    argument: str
    result: str
    call: int
    end: int
    key: int | None


def _map(rng: random.Random) -> Callable[[int], Step]:
    held: dict[int, int] = {}

    def step(number: int) -> Step:
        key = number % 1000
        if rng.random() < 0.5:
            return "get", str(key), str(held.get(key, "null"))
        held[key] = number
        return "put", f"{key}, {number}", "null"

    return step


def _few(names: tuple[str, str], *, first: bool) -> Callable[[random.Random], Callable[[int], Step]]:
    """Values that occur repeatedly, in a queue or a stack that grows: searches keep finding new states."""

    def begin(rng: random.Random) -> Callable[[int], Step]:
        items: list[int] = []

        def step(_number: int) -> Step:
            if rng.random() < 0.6 or not items:
                items.append(rng.randrange(3))
                return names[0], str(items[-1]), "null"
            return names[1], "", str(items.pop(0 if first else -1))

        return step

    return begin


def _cas(rng: random.Random) -> Callable[[int], Step]:
    held = 0

    def step(_number: int) -> Step:
        nonlocal held
        kind, value, other = rng.random(), rng.randrange(5), rng.randrange(5)
        if kind < 0.3:
            return "read", "", str(held)
        if kind < 0.6:
            held = value
            return "write", str(value), "null"
        fits = held == value
        held = other if fits else held
        return "cas", f"{value}, {other}", "true" if fits else "false"

    return step


def _lists(rng: random.Random) -> Callable[[int], Step]:
    held = "null"

    def step(number: int) -> Step:
        nonlocal held
        if rng.random() < 0.5:
            return "read", "", held
        held = f'[{number}, [{rng.randrange(100)}, {rng.randrange(100)}], {{"a": {number}}}]'
        return "write", held, "null"

    return step


def _hidden(rng: random.Random) -> Callable[[int], Step]:
    """A queue with one wrong early result, where only a search of all orders could find it."""
    step, wrong = _few(("enqueue", "dequeue"), first=True)(rng), 40

    def spoiled(number: int) -> Step:
        name, argument, result = step(number)
        if name == "dequeue" and number > wrong:
            return name, argument, str((int(result) + (number % 97 == 0)) % 3)
        return name, argument, result

    return spoiled


STEPS: Final[dict[str, Callable[[random.Random], Callable[[int], Step]]]] = {
    **KINDS,
    "map": _map,
    "queue-few": _few(("enqueue", "dequeue"), first=True),
    "stack-few": _few(("push", "pop"), first=False),
    "queue-wrong": _hidden,
    "cas-register": _cas,
    "lists": _lists,
}


def operations(kind: str, count: int, *, crashes: bool = False, stale: bool = False) -> Iterator[Operation]:
    """The operations in the order of their points. ``stale``: the last read returns a value overwritten long before."""
    rng = random.Random(1)
    step = STEPS[kind](rng)
    era = count // (_CRASHES + 1) + 1
    early = "null"
    for number in range(count):
        name, argument, result = step(number)
        argument = argument[1:-1] if kind in KINDS else argument
        if name == "read" and number == count // 2:
            early = result
        if stale and number == count - 1:
            name, argument, result = "read", "", early
        point = 10 * number + _REACH + (number // era * 10 * _REACH if crashes else 0)
        call, end = point - int(rng.random() * _REACH), point + int(rng.random() * _REACH)
        yield Operation(number % PROCESSES, name, argument, result, call, end, None)


def crash_times(count: int) -> list[int]:
    """The times of the object's crashes: between two operations, when none is open."""
    era = count // (_CRASHES + 1) + 1
    return [10 * era * n + (n - 1) * 10 * _REACH + 5 * _REACH for n in range(1, _CRASHES + 1)]


# Formats


def _operation_line(op: Operation) -> str:
    return (
        f'{{"process": {op.process}, "op": "{op.name}", "args": [{op.argument}], "result": {op.result}, '
        f'"call": {op.call}, "return": {op.end}}}\n'
    )


def _write_lines(file: TextIO, kind: str, count: int, **more: bool) -> None:
    file.writelines(map(_operation_line, operations(kind, count, **more)))
    if more.get("crashes"):
        file.writelines(f'{{"crash": true, "time": {time}}}\n' for time in crash_times(count))


def _write_csv(file: TextIO, kind: str, count: int, **more: bool) -> None:
    file.write("process,op,args,result,call,return\n")
    for op in operations(kind, count, **more):
        args = f'"[{op.argument}]"' if "," in op.argument else f"[{op.argument}]"
        file.write(f"{op.process},{op.name},{args},{op.result},{op.call},{op.end}\n")


def _events(kind: str, count: int, **more: bool) -> Iterator[tuple[str, Operation]]:
    """Calls and returns as they happen; at one instant calls come first."""
    waiting: list[tuple[int, int, int, Operation]] = []
    for number, op in enumerate(operations(kind, count, **more)):
        heapq.heappush(waiting, (op.call, 0, number, op))
        heapq.heappush(waiting, (op.end, 1, number, op))
        while waiting and waiting[0][0] < op.call - _REACH:
            _, returns, _, each = heapq.heappop(waiting)
            yield ("ok" if returns else "invoke"), each
    while waiting:
        _, returns, _, each = heapq.heappop(waiting)
        yield ("ok" if returns else "invoke"), each


def _event_value(kind: str, op: Operation) -> str:
    if kind == "invoke" or op.result == "null":
        return f"[{op.argument}]" if "," in op.argument else op.argument or "null"
    return op.result


def _write_json(file: TextIO, kind: str, count: int, **more: bool) -> None:
    for type_, op in _events(kind, count, **more):
        value = _event_value(type_, op)
        file.write(f'{{"type": "{type_}", "process": {op.process}, "f": "{op.name}", "value": {value}}}\n')


def _write_edn(file: TextIO, kind: str, count: int, **more: bool) -> None:
    for type_, op in _events(kind, count, **more):
        value = _event_value(type_, op).replace("null", "nil").replace(",", "")
        file.write(f"{{:type :{type_}, :process {op.process}, :f :{op.name}, :value {value}}}\n")


def _write_text(file: TextIO, kind: str, count: int, **more: bool) -> None:
    for type_, op in _events(kind, count, **more):
        value = _event_value(type_, op).replace("null", "nil").replace(",", "")
        file.write(f"INFO  jepsen.util - {op.process}\t:{type_}\t:{op.name}\t{value}\n")


def _write_porcupine(file: TextIO, kind: str, count: int, **more: bool) -> None:
    for type_, op in _events(kind, count, **more):
        key, _, value = op.argument.partition(", ")
        if op.name == "get":
            value = "nil" if type_ == "invoke" else f'"{op.result.replace("null", "")}"'
        else:
            value = f'"{value}"'
        file.write(f'{{:process {op.process}, :type :{type_}, :f :{op.name}, :key "{key}", :value {value}}}\n')


TEXTS: Final[dict[str, Callable[..., None]]] = {
    "operations": _write_lines,
    "csv": _write_csv,
    "jepsen-json": _write_json,
    "jepsen-edn": _write_edn,
    "jepsen-text": _write_text,
    "porcupine": _write_porcupine,
}


def write(format: str, kind: str, count: int, path: Path, **more: bool) -> None:
    """Write the history to a file, compressed if its name says so."""
    if format in TEXTS:
        if path.suffix == ".gz":
            with gzip.open(path, "wt", compresslevel=1) as packed:
                TEXTS[format](packed, kind, count, **more)
            return
        with path.open("w", encoding="utf-8") as file:
            TEXTS[format](file, kind, count, **more)
        return
    _write_columns(format, kind, count, path, **more)


def _write_columns(format: str, kind: str, count: int, path: Path, **more: bool) -> None:
    import pyarrow as pa  # noqa: PLC0415 - only these formats need it
    import pyarrow.parquet as pq  # noqa: PLC0415 - as above

    schema = pa.schema(
        [
            *(("process", pa.int64()), ("op", pa.string()), ("args", pa.string())),
            *(("result", pa.string()), ("call", pa.int64()), ("return", pa.int64())),
        ]
    )
    writer = pq.ParquetWriter(path, schema) if format == "parquet" else pa.ipc.new_file(str(path), schema)
    with writer:
        rows: list[Operation] = []
        for op in operations(kind, count, **more):
            rows.append(op)
            if len(rows) == _BATCH:
                writer.write_batch(_batch(pa, schema, rows))
                rows = []
        if rows:
            writer.write_batch(_batch(pa, schema, rows))


def _batch(pa: Any, schema: Any, rows: list[Operation]) -> Any:
    process, name, argument, result, call, end, _ = zip(*rows, strict=True)
    columns = [process, name, [f"[{each}]" for each in argument], result, call, end]
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


if __name__ == "__main__":
    to, what, number, target, *flags = sys.argv[1:]
    write(to, what, int(number), Path(target), **dict.fromkeys(flags, True))
