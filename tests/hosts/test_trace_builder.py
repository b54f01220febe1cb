# SPDX-License-Identifier: Apache-2.0
"""Addresses of a real target as lines, variables and values, and the traces built from them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from linpoint.hosts.address_symbols import AddressSymbols, place_of
from linpoint.hosts.memory_names import MemoryNames, readable_value
from linpoint.hosts.search_messages import CodeModule, SearchResult, StepMessage
from linpoint.hosts.trace_builder import failure_message, host_schedule_text
from linpoint.subjects.cpp_program.finding_builder import program_finding
from linpoint.traces.trace import SourcePlace

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

SOURCE = """\
#include <atomic>
int plain;
int row[4];
struct Pair { int a; int b; } pair;
namespace { std::atomic<int> hidden; }
inline int inlined() { return hidden.load(); }
int outer() {
    return inlined() + row[2] + pair.b + plain;
}
"""
BASE = 0x7000_0000_0000


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    (folder / "a.cpp").write_text(SOURCE)
    subprocess.run(["g++", "-g", "-O2", "-fPIC", "-shared", folder / "a.cpp", "-o", folder / "target.so"], check=True)
    return folder / "target.so"


@pytest.fixture
def symbols(library: Path) -> AddressSymbols:
    return AddressSymbols(library, [CodeModule("/host", 0x5000_0000), CodeModule(str(library), BASE)])


def address_of(library: Path, name: str) -> int:
    told = subprocess.run(["nm", "-C", library], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^([0-9a-f]+) \w (?:\(anonymous namespace\)::)?{re.escape(name)}$", told, re.MULTILINE)
    assert found is not None
    return int(found[1], 16)


def test_code_is_identified_by_its_lines(symbols: AddressSymbols, library: Path) -> None:
    begin = address_of(library, "outer()")
    frames = [frame for offset in range(begin, begin + 24) for frame in symbols.frames(offset)]
    names = {frame.function for frame in frames if frame.users}
    assert "outer()" in names
    assert any(not frame.users for frame in frames)  # inlined from the standard library
    place = place_of(next(frame for frame in frames if frame.users), str(library.parent))
    assert (place.file, place.text) == ("a.cpp", SOURCE.splitlines()[place.line - 1].strip())
    assert symbols.frames(1) == () or not symbols.frames(1)[0].users


def test_addresses_are_offsets_or_absolute(symbols: AddressSymbols) -> None:
    assert symbols.offset(0x1234, 1) == 0x1234
    assert symbols.offset(BASE + 0x1234, 1) == symbols.offset(BASE + 0x1234) == 0x1234
    assert symbols.offset(0x1234, 0) is None
    assert symbols.offset(0x5000_1000) is None


def test_data_is_identified_by_its_variables(symbols: AddressSymbols, library: Path) -> None:
    symbols.look_up(range(address_of(library, "outer()"), address_of(library, "outer()") + 24))
    assert symbols.variable(address_of(library, "plain"), 4) == "plain"
    assert symbols.variable(BASE + address_of(library, "hidden"), 4) == "hidden"
    assert symbols.variable(address_of(library, "row") + 8, 4) == "row[2]"
    assert symbols.variable(address_of(library, "pair"), 8) == "pair"
    assert symbols.variable(address_of(library, "pair") + 4, 4) == "pair+4"
    assert symbols.variable(0x10_0000_0000, 4) is None


def test_a_missing_target_has_no_names(tmp_path: Path) -> None:
    nothing = AddressSymbols(tmp_path / "nowhere.so", [])
    assert not any(frame.users for frame in nothing.frames(5))
    assert nothing.variable(5) is None


def test_blocks_and_stack_variables_have_names(symbols: AddressSymbols) -> None:
    heap, stack = 0x6000_0008, 0x6FFF_0000
    steps = [
        StepMessage(0, "write", heap, 4, 1, order="relaxed", block=(3, 8, 16)),
        StepMessage(0, "write", stack, 4, 1, order="relaxed"),
        StepMessage(1, "read", stack + 64, 4, 1, order="relaxed"),
        StepMessage(1, "lock", stack + 128),
        StepMessage(1, "read", stack + 256, 4, 1),
    ]
    texts = [
        "node->next.store(1);",
        "ready.store(1, relaxed);",
        "if (other.ready.load()) {",
        "lock_guard g(m);",
        "x.load();",
    ]
    locations = MemoryNames(symbols, steps, [SourcePlace("a.cpp", 1, None, text) for text in texts])
    assert [locations.name(step) for step in steps] == ["block 3+8", "ready", "other.ready", "m", hex(stack + 256)]
    assert readable_value(0x6000_0000, 8, locations) == 0x6000_0000
    assert locations.pointed(0x6000_0000) == "&block 3"


def test_values_are_readable(symbols: AddressSymbols, library: Path) -> None:
    locations = MemoryNames(symbols, [], [])
    assert readable_value(2**32 - 1, 4, locations) == -1
    assert readable_value(2**64 - 3, 8, locations) == -3
    assert [readable_value(1, size, locations) for size in (1, 2, 4, 8)] == [1] * 4
    assert [readable_value(0, size, locations) for size in (1, 2, 4, 8)] == [0] * 4
    assert readable_value(3_000_000_000, 4, locations) == 3_000_000_000
    assert readable_value("0xabc", 16, locations) == "0xabc"
    assert readable_value(BASE + address_of(library, "plain"), 8, locations) == "&plain"
    assert readable_value(0x7FFF_1234_5678, 8, locations) == "0x7fff12345678"


def test_schedules_name_threads_and_buffers() -> None:
    assert host_schedule_text(((4, 1), (9, 0)), "sc") == "4:1 9:0"
    assert host_schedule_text(((4, 2), (9, 1)), "tso") == "4:1 9:0b"
    assert host_schedule_text(((4, 35),), "pso") == "4:2b"
    assert host_schedule_text((), "tso") == "default order"


def finding_of(library: Path, model: str = "tso", **result: Any) -> Any:
    modules = [{"path": "/host", "base": 0x5000_0000}, {"path": str(library), "base": BASE}]
    said = msgspec.convert({"ended": "finding", "modules": modules} | result, SearchResult)
    assert said.finding is not None
    return program_finding(said.finding, said, {}, library, model, minimal=True)


def test_a_trace_has_lines_names_buffers_and_preemptions(library: Path) -> None:
    code, plain = address_of(library, "outer()") + 5, address_of(library, "plain")
    user = {"pc": code, "module": 1}
    steps = [
        {"thread": 0, "kind": "write", "address": plain, "symbol_module": 1, "size": 4, "value": 7, "order": "relaxed"}
        | user
        | {"buffer": [[BASE + plain, 4, 7]]},
        {"thread": 0, "kind": "read", "address": 0x6FFF_0000, "size": 8, "value": 0, "buffer": [[BASE + plain, 4, 7]]}
        | user,
        {"thread": 1, "kind": "read", "address": 0x99, "size": 4, "value": 0, "preempts": True},
        {"thread": 1, "kind": "read", "address": plain, "symbol_module": 1, "size": 4, "value": 0} | user,
        {"thread": 0, "kind": "drain", "address": plain, "symbol_module": 1, "size": 4, "value": 7},
        {"thread": 1, "kind": "block", "other": 0} | user,
        {"thread": 1, "kind": "crash", "message": "segmentation fault at 0x0"} | user,
    ]
    finding = finding_of(
        library,
        finding={"kind": "crash", "message": "segmentation fault at 0x0", "schedule": [[1, 2]], "preemptions": 1},
        trace={"threads": [{"id": 0, "name": "main"}, {"id": 1, "name": "T1"}], "steps": steps},
    )
    trace = finding.trace
    assert trace is not None
    assert [step.kind.value for step in trace.steps] == ["write", "read", "drain", "block", "exception"]
    first, read, drain, block, _ = trace.steps
    assert (first.location, first.value, first.memory_order, first.buffer) == ("plain", 7, "relaxed", (("plain", 7),))
    assert read.preempts  # the preempting step is not shown, since it is in no line of the user
    assert (drain.location, drain.value) == ("plain", 7)
    assert (block.location, block.other) == ("the end of main", None)
    assert trace.failure.step == 4
    assert re.fullmatch(r"segmentation fault at 0x0, at .*a.cpp:\d in T1", finding.message)


def test_an_inconsistent_trace_is_reported_without_steps(library: Path) -> None:
    finding = finding_of(
        library,
        finding={"kind": "assertion", "message": "assertion `x` fails in int main() {0}", "places": [5]},
        trace={"threads": [{"id": 0}], "steps": [{"thread": 3, "kind": "exit"}]},
    )
    assert finding.trace is None
    assert finding.message == "assertion `x` fails"


def test_sentences_have_places_and_names(library: Path, symbols: AddressSymbols) -> None:
    code = BASE + address_of(library, "outer()") + 5
    message = "a write by thread 0 at {0} and a read by thread 1 at {1} are not ordered"
    race = {"kind": "race", "message": message, "places": [code, code], "address": address_of(library, "plain")}
    found = msgspec.convert({"ended": "finding", "finding": race}, SearchResult).finding
    assert found is not None
    assert re.fullmatch(
        r"data race on plain: a write by thread 0 at \S+a.cpp:\d and a read by thread 1 at \S+a.cpp:\d are not ordered",
        failure_message(found, symbols),
    )
