# SPDX-License-Identifier: Apache-2.0
"""sys.monitoring is shared with other tools, and restored afterwards."""

from __future__ import annotations

import sys
import threading

import pytest

from linpoint import errors
from linpoint.explore.python_control import sys_monitoring_hook
from linpoint.explore.python_control.control_session import ControlSession
from tests.explore.python_control.outcomes import explore

pytestmark = pytest.mark.skipif(not sys_monitoring_hook.NEEDED, reason="before 3.12 there is no sys.monitoring")


class Counter:
    def __init__(self):
        self.n = 0

    def increment(self):
        value = self.n
        self.n = value + 1
        return value


THREADS = [[("increment",)], [("increment",)]]


def test_another_tool_keeps_its_events():
    told = []
    tool = 3
    sys.monitoring.use_tool_id(tool, "another")
    try:
        sys.monitoring.register_callback(tool, sys.monitoring.events.LINE, lambda code, line: told.append(line))
        sys.monitoring.set_local_events(tool, Counter.increment.__code__, sys.monitoring.events.LINE)
        found = explore(Counter, THREADS)
        first = Counter.increment.__code__.co_firstlineno
        assert len(found.results) == 3
        assert set(told) == {first + 1, first + 2, first + 3}
        told.clear()
        Counter().increment()
        assert told == [first + 1, first + 2, first + 3]
        assert sys.monitoring.get_tool(tool) == "another"
    finally:
        sys.monitoring.set_local_events(tool, Counter.increment.__code__, 0)
        sys.monitoring.register_callback(tool, sys.monitoring.events.LINE, None)
        sys.monitoring.free_tool_id(tool)


def test_nothing_is_left_behind():
    before = [sys.monitoring.get_tool(tool) for tool in range(6)]
    explore(Counter, THREADS)
    assert [sys.monitoring.get_tool(tool) for tool in range(6)] == before
    code = Counter.increment.__code__
    for tool in range(6):
        if before[tool] is None:
            sys.monitoring.use_tool_id(tool, "look")
            assert sys.monitoring.get_local_events(tool, code) == 0
            assert sys.monitoring.get_events(tool) == 0
            sys.monitoring.free_tool_id(tool)


def test_a_session_sees_events_that_the_previous_one_disabled():
    assert {explore(Counter, THREADS).runs for _ in range(3)} == {4}
    assert explore(Counter, THREADS, granularity="opcode").results == explore(Counter, THREADS).results


def test_the_error_for_exhausted_tool_ids_names_the_tools():
    real = threading.Lock
    taken = [tool for tool in range(6) if sys.monitoring.get_tool(tool) is None]
    for tool in taken:
        sys.monitoring.use_tool_id(tool, f"tool {tool}")
    try:
        with pytest.raises(errors.TestError, match=r"LP-T020: every place .* is taken: .*tool 3"), ControlSession():
            pass
    finally:
        for tool in taken:
            sys.monitoring.free_tool_id(tool)
    assert threading.Lock is real
    explore(Counter, THREADS)


def test_a_concurrent_trace_function_still_sees_its_lines():
    lines = []

    def trace(frame, event, argument):
        if event == "line" and frame.f_code is Counter.increment.__code__:
            lines.append(frame.f_lineno)
        return trace

    def traced(counter):
        sys.settrace(trace)
        try:
            return counter.increment()
        finally:
            sys.settrace(None)

    class Traced(Counter):
        def twice(self):
            return traced(self)

    found = explore(Traced, [[("twice",)], [("increment",)]])
    assert len(found.results) == 3
    assert len(set(lines)) == 3
