# SPDX-License-Identifier: Apache-2.0
"""Hosts greet first, and send messages of the declared schema, without undeclared fields."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from linpoint.crash.crash_plan import CrashPlan
from linpoint.hosts import host_process
from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.host_message import PROTOCOL, CrashMessage, SearchMessage
from linpoint.hosts.program_host import ProgramHost
from linpoint.options.commands.crash import CrashOptions
from linpoint.processes.supervised_process import SupervisedProcess, read_messages
from linpoint.scenarios.cpp_test_description import scenario_text
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.persistent_object.build_tests import build_crash_tests
from tests.hosts.controlled_programs import built
from tests.subjects.cpp_object.test_histories import host

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All lines sent by hosts."""
    found: list[bytes] = []

    def reading(processes: Sequence[SupervisedProcess]) -> Iterator[tuple[int, bytes | None]]:
        for index, line in read_messages(processes):
            found.extend([] if line is None else [line])
            yield index, line

    monkeypatch.setattr(host_process, "read_messages", reading)
    return found


def undeclared(value: Any, annotation: Any, path: str = "") -> Iterator[str]:
    """Names in a message that its type does not declare."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(annotation)}
        for name, each in value.items() if isinstance(value, dict) else ():
            if name in fields:
                yield from undeclared(each, fields[name], f"{path}/{name}")
            else:
                yield f"{path}/{name}"
    for part in typing.get_args(annotation):
        for each in value if isinstance(value, list) else [value]:
            yield from undeclared(each, part, path)


def kinds_of(lines: list[bytes], struct: type[msgspec.Struct]) -> set[str]:
    """The kinds of the messages; each message must follow its schema."""
    assert msgspec.json.decode(lines[0]) == {"hello": {"protocol": PROTOCOL}}
    messages = [msgspec.json.decode(line) for line in lines]
    assert all(len(each) == 1 for each in messages)
    assert not {name for each in messages for name in undeclared(each, struct)}
    return {kind for each in messages for kind in each}


def test_undeclared_fields_are_detected() -> None:
    message = {"result": {"ended": "x", "trace": {"threads": [], "steps": [{"thread": 1, "extra": 2}]}, "more": 3}}
    assert set(undeclared(message, SearchMessage)) == {"/result/more", "/result/trace/steps/extra"}


def test_messages_about_programs_follow_the_schema(lines: list[bytes]) -> None:
    target = built("thesis/peterson.cpp")
    found = ProgramHost(target.host, target.library, HostConfig("tso")).run("dpor", seconds=60, trace=True)
    assert found.result is not None
    assert found.result.finding is not None
    schedule = ",".join(f"{step}.{process}" for step, process in found.result.finding.schedule)
    del lines[:]
    ProgramHost(target.host, target.library, HostConfig("tso")).run(f"replay:{schedule}", seconds=60, trace=True)
    assert {"hello", "result"} <= kinds_of(lines, SearchMessage)


def test_messages_about_scenarios_follow_the_schema(lines: list[bytes]) -> None:
    scenario = Scenario(((Call("run", ("s0l1",)),), (Call("run", ("s1l0",)),)))
    with host("sc").search([scenario_text("ScriptTest", scenario)], "dpor", seconds=60, trace=True) as search:
        assert {message.history is not None for message in search} == {True, False}
    assert {"hello", "history", "result"} <= kinds_of(lines, SearchMessage)


def test_messages_about_crashes_follow_the_schema(lines: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples" / "persistent")
    (test,) = build_crash_tests("guest_list.cpp", "", CrashOptions(spec="set", workers=1))
    kinds_of(lines, CrashMessage)
    del lines[:]
    plan = CrashPlan(test.name, (Call("add", (1,)), Call("add", (2,))), ())
    with test.host.test(plan, ["dl1", "recovery"], 60) as testing:
        for number, message in testing:
            if message.question is not None:
                testing.answer(number, allowed=False)
    assert {"hello", "traced", "judge", "violation", "result"} <= kinds_of(lines, CrashMessage)
