# SPDX-License-Identifier: Apache-2.0
"""Options of crash tests, given directly or in comments of a file, and what a file must contain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linpoint.errors import LinpointError, TestError, UsageError
from linpoint.options.commands.crash import CrashOptions
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.persistent_object.build_tests import described_tests
from tests.crash.fake_host_campaigns import fake_host, fake_test


def test_kinds_and_lengths_have_defaults() -> None:
    assert CrashOptions().kinds == ("dl1", "dl2", "c2", "dl3", "recovery")
    assert CrashOptions().length == 1000
    assert CrashOptions(exhaustive=True).kinds == ("dl1", "dl2", "c2", "dl3", "exhaustive", "recovery")
    assert CrashOptions(exhaustive=True).length == 8
    assert CrashOptions(exhaustive=True, operations=5).length == 5
    assert CrashOptions(tests=("c2",)).kinds == ("c2",)
    assert CrashOptions(tests=KINDS.parse("C2, dl3", "--tests")).kinds == ("c2", "dl3")
    assert CrashOptions().condition == "strict"


KINDS = CrashOptions.declared()["tests"].type


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"tests": ("dl4",)}, "LP-C003"),
        ({"persistency": "flush"}, "LP-U001"),
        ({"condition": "eventual"}, "LP-U003"),
        ({"operations": 0}, "LP-U001"),
        ({"operations": 3, "workload": "w.txt"}, "LP-U001"),
        ({"pool_size": "many"}, "LP-U001"),
        ({"scenario": "get(1) | get(2) | get(3)"}, "LP-U001"),
    ],
)
def test_invalid_options_are_rejected(asked: dict[str, Any], code: str) -> None:
    with pytest.raises(LinpointError) as raised:
        CrashOptions(**asked)
    assert raised.value.code == code
    assert raised.value.remedy


def test_an_empty_list_of_kinds_is_rejected() -> None:
    with pytest.raises(TestError, match="LP-C003"):
        KINDS.parse(" , ", "--tests")


def test_comments_of_a_file_set_options(tmp_path: Path) -> None:
    file = tmp_path / "list_test.cpp"
    file.write_text(
        "// linpoint: --spec map --operations 50 --persistent-heap --pool-size 64M -- -Iinclude list.cpp\n"
        "// linpoint: --tests dl1,c2 --condition durable\n"
    )
    said = CrashOptions.in_comments(str(file))
    assert (said.spec, said.operations, said.persistent_heap, said.tests) == ("map", 50, True, ("dl1", "c2"))
    assert said.condition == "durable"
    assert said.sources == (str(tmp_path / "list.cpp"),)
    assert said.compiler_flags == (f"-I{tmp_path / 'include'}",)
    assert said.pool_bytes == 64 * 2**20
    both = CrashOptions(spec="set", scenario="get(1)", flags=("-O2",)).over(said)
    assert both.spec == "set"
    assert both.operations is None
    assert both.flags[-1] == "-O2"


def test_errors_in_comments_are_reported_with_their_place(tmp_path: Path) -> None:
    file = tmp_path / "list_test.cpp"
    file.write_text("\n// linpoint: --spec map --threads 3\n")
    with pytest.raises(UsageError, match="LP-U001") as raised:
        CrashOptions.in_comments(str(file))
    assert raised.value.place == f"{file}:2"


def test_a_file_without_a_persistent_object_is_rejected(tmp_path: Path) -> None:
    host = fake_host(tmp_path, {"persistent": False}, CrashOptions(workers=1))
    with pytest.raises(TestError, match="LP-C001"):
        described_tests(host, "map_test.cpp")


def test_a_host_that_dies_on_the_first_request_is_an_error(tmp_path: Path) -> None:
    host = fake_host(tmp_path, {"at": "start", "how": "exit"}, CrashOptions(workers=1))
    with pytest.raises(TestError, match="exited with code 3"):
        described_tests(host, "map_test.cpp")


@pytest.mark.parametrize("probes", ["peek(1)", "get()", "get(", 'get("a")'])
def test_invalid_probes_are_rejected(tmp_path: Path, probes: str) -> None:
    test = fake_test(tmp_path, {}, probes=probes)
    with pytest.raises(TestError, match="LP-C004") as raised:
        test.plan(Scenario.parse("get(1)").calls)
    assert raised.value.remedy


def test_given_probes_replace_generated_ones(tmp_path: Path) -> None:
    test = fake_test(tmp_path, {}, probes="get(1); get(2)")
    plan = test.plan(Scenario.parse("insert(1, 2)").calls)
    assert [str(each.call) for each in plan.probes] == ["get(1)", "get(2)"]
    assert plan.parts() == [b"MapTest\n0 insert [1,2]\nafter get [1]\nafter get [2]\n"]
