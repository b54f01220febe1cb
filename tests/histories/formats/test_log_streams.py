# SPDX-License-Identifier: Apache-2.0
"""Growing logs: the same operations as in the whole file, in any order of arrival, and coded errors otherwise."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import linpoint
from linpoint.errors import LinpointError
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.streams.call_sink import OpenCall
from linpoint.histories.streams.event_stream import LogStream
from linpoint.histories.streams.tail_reader import MAX_LINE_BYTES, TailReader
from tests.volume import seeds, volume

DATA = Path(__file__).parents[2] / "data"
LINES = ["kv.txt", "lock.edn", "multi.edn", "text.log", "keys.jsonl", "stale-read.jsonl", "independent.jsonl"]


class Collected:
    """A sink that keeps everything it receives."""

    def __init__(self) -> None:
        self.open: dict[OpenCall, None] = {}
        self.operations: list[Operation] = []

    def called(self, call: OpenCall) -> None:
        self.open[call] = None

    def returned(self, call: OpenCall, op: Operation) -> None:
        del self.open[call]
        self.operations.append(op)

    def failed(self, call: OpenCall) -> None:
        del self.open[call]

    def lost(self, call: OpenCall) -> None:
        del self.open[call]
        self.operations.append(call.as_open())


def grown(text: str, **options: object) -> list[Operation]:
    sink = Collected()
    log = LogStream(sink, source="log", **options)  # type: ignore[arg-type]
    log.feed(text.split("\n"))
    log.end()
    return [*sink.operations, *(call.as_open() for call in sink.open)]


def comparable_fields(op: Operation) -> tuple[object, ...]:
    return (str(op.process), op.name, op.args, op.result, op.outcome, op.key, op.line)


@pytest.mark.parametrize("name", LINES)
def test_a_stream_gives_the_operations_of_the_whole_file(name: str) -> None:
    whole = [comparable_fields(op) for op in linpoint.load(DATA / name) if op.outcome is not Outcome.FAILED]
    lines = (DATA / name).read_text().strip().removeprefix("[").removesuffix("]")
    found = [comparable_fields(op) for op in grown(lines)]
    assert sorted(found, key=repr) == sorted(whole, key=repr)


def test_event_times_are_line_numbers() -> None:
    (op,) = grown(
        '{"process": 0, "type": "invoke", "f": "read", "value": null}\n\n'
        '{"process": 0, "type": "ok", "f": "read", "value": 1}\n'
    )
    assert (op.call, op.return_) == (1, 3)


def test_two_events_on_one_line_are_ordered() -> None:
    (op,) = grown("{:process 0, :type :invoke, :f :read} {:process 0, :type :ok, :f :read, :value 1}\n")
    assert op.call < op.return_


def test_reads_of_words_take_an_argument() -> None:
    line = '{"process": 0, "type": "invoke", "f": "read", "value": ["x"]}\n'
    assert grown(line, words=True, keyed=False)[0].args == (("x",),)
    assert grown(line, keyed=False)[0].args == ()


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(300)))
def test_damaged_logs_are_coded_errors(seed: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    data = bytearray((DATA / rng.choice(LINES)).read_bytes()[:3000])
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data))
        roll = rng.random()
        if roll < 0.4:
            data[at] = rng.randrange(256)
        elif roll < 0.7:
            del data[at : at + rng.randint(1, 40)]
        else:
            data[at:at] = rng.choice([b"\n", b"{", b"[1 2]", b'{"watermark": 3}\n', b"\xff", b'"', b"null", b"}\n{"])
    path = tmp_path / "log"
    path.write_bytes(data)
    try:
        with TailReader(str(path)) as tail:
            log = LogStream(Collected(), source="log")
            while lines := tail.lines(0):
                log.feed(lines)
            log.feed(tail.rest())
            log.end()
    except LinpointError as error:
        assert error.place
        assert error.remedy


def test_a_line_without_an_end_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * (MAX_LINE_BYTES + 10))
    with TailReader(str(path)) as tail, pytest.raises(LinpointError, match="LP-H011"):
        list(iter(lambda: tail.lines(0), ["never"]))


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xef\xbb\xbfa\nb")
    with TailReader(str(path)) as tail:
        assert list(tail.lines(0)) == ["a"]
        assert list(tail.rest()) == ["b"]
