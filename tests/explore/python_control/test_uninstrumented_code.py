# SPDX-License-Identifier: Apache-2.0
"""Code that is not interleaved: a call of it is one step, and what nobody sees takes place when it takes place."""

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
    """A class whose code passes for the standard library's, which is left alone."""
    module = types.ModuleType("hidden")
    exec(compile(SOURCE, string.__file__, "exec"), module.__dict__)
    return module.Box  # type: ignore[no-any-return]


def test_operations_that_nobody_sees_are_not_moved_to_a_later_moment() -> None:
    """Once: both ran before the first step, and were then told to have been called in any order. A false violation."""
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


def test_an_operation_between_two_of_those_is_seen() -> None:
    """Two calls of what is left alone are two steps, and another thread may come in between."""

    def twice(each: object) -> tuple[int, int]:
        return each.read(), each.add()  # type: ignore[attr-defined]

    result = run_definition(definition_of_object(hidden_box(), {"twice": twice}))
    assert result.status is Status.VIOLATION
    assert result.findings[0].preemptions == 1


def test_operations_without_any_effect_fit_everywhere() -> None:
    result = run_definition(definition_of_object(list, {"seven": lambda _: 7}))
    assert result.status is Status.LINEARIZABLE
    assert result.exhaustive
