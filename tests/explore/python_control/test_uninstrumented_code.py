# SPDX-License-Identifier: Apache-2.0
"""Uninstrumented code is not interleaved: each call is one step, and its effects occur at that step."""

from __future__ import annotations

import string
import types

import linpoint
from linpoint.scenarios.concurrent_test import definition_of_object
from linpoint.verdicts import Status
from tests.subjects.python_object.run_object_test import run_definition

SOURCE = """
class Box:
    def __init__(self):
        self.value = 0

    def read(self):
        return self.value

    def write(self, value):
        self.value = value

    def add(self):
        self.value += 1
        return self.value
"""


def hidden_box() -> type:
    """A class whose code passes for code of the standard library, which is not instrumented."""
    module = types.ModuleType("hidden")
    exec(compile(SOURCE, string.__file__, "exec"), module.__dict__)
    return module.Box  # type: ignore[no-any-return]


def test_uninstrumented_operations_keep_their_position() -> None:
    """Both once ran before the first step and were reported as called in any order: a false violation."""
    box = hidden_box()
    calls = {"read": None, "write": {"value": [1]}}
    result = run_definition(definition_of_object(box, calls, spec=linpoint.specs.register(initial=0)))
    assert result.status is Status.LINEARIZABLE, str(result.explain())
    assert result.exhaustive


def test_each_call_is_one_step_and_every_order_is_tried() -> None:
    box = hidden_box()
    result = run_definition(definition_of_object(box, {"add": lambda each: each.add()}))
    assert result.status is Status.LINEARIZABLE
    assert result.tested.bounded_schedules > 10


def test_an_operation_between_two_uninstrumented_calls_is_seen() -> None:
    """Two uninstrumented calls are two steps, and another thread may run in between."""

    def twice(each: object) -> tuple[int, int]:
        return each.read(), each.add()  # type: ignore[attr-defined]

    result = run_definition(definition_of_object(hidden_box(), {"twice": twice}))
    assert result.status is Status.VIOLATION
    assert result.findings[0].preemptions == 1


def test_operations_without_effects_may_take_any_position() -> None:
    result = run_definition(definition_of_object(list, {"seven": lambda _: 7}))
    assert result.status is Status.LINEARIZABLE
    assert result.exhaustive
