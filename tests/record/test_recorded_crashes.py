# SPDX-License-Identifier: Apache-2.0
"""Recorded crashes and annotations: on the clock of the operations, with the operations that they interrupt."""

from __future__ import annotations

import pytest

import linpoint
from linpoint import Outcome, UsageError


def write(recorder: linpoint.Recorder, value: int, process: str, outcome: Outcome = Outcome.OK) -> None:
    with recorder.operation("write", value, process=process) as op:
        op.outcome = outcome


def test_operations_spanning_a_crash_of_the_object_return() -> None:
    recorder = linpoint.Recorder()
    with recorder.operation("write", 1, process="A"):
        recorder.object_crash()
    (op,), (crash,) = recorder.history(), recorder.history().crashes
    assert crash.of_object
    assert op.return_ is not None
    assert op.call < crash.time < op.return_


def test_a_process_interrupted_by_an_object_crash_keeps_its_name() -> None:
    recorder = linpoint.Recorder()
    write(recorder, 1, "A", Outcome.UNKNOWN)
    recorder.object_crash()
    write(recorder, 2, "A", Outcome.UNKNOWN)
    write(recorder, 3, "A")
    history = recorder.history()
    assert [op.process for op in history] == ["A", "A", "A (1)"]
    assert [op.outcome for op in history] == [Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.OK]


def test_a_crash_of_everything_interrupts_open_operations() -> None:
    recorder = linpoint.Recorder()
    with recorder.operation("write", 1, process="A"):
        recorder.crash()
    write(recorder, 2, "A")
    history = recorder.history()
    assert [(op.process, op.outcome) for op in history] == [("A", Outcome.UNKNOWN), ("A", Outcome.OK)]
    assert [(crash.process, crash.of_object) for crash in history.crashes] == [(None, False)]
    assert linpoint.check(history, "register").condition == "durable"


def test_a_crash_of_one_process_uses_its_current_name() -> None:
    recorder = linpoint.Recorder()
    write(recorder, 1, "A", Outcome.UNKNOWN)
    write(recorder, 2, "A", Outcome.UNKNOWN)
    recorder.crash("A")
    write(recorder, 3, "A")
    with recorder.operation("write", 4, process="B"):
        recorder.crash("A")
        recorder.crash("C")
    history = recorder.history()
    assert [op.process for op in history] == ["A", "A (1)", "A (1)", "B"]
    assert [crash.process for crash in history.crashes] == ["A (1)", "A (1)", "C"]
    assert history[3].outcome is Outcome.OK


def test_annotations_mark_a_moment_or_a_block() -> None:
    recorder = linpoint.Recorder()
    recorder.annotate("warm-up is over")
    with recorder.annotate("partition"):
        write(recorder, 1, "A")
    moment, partition = recorder.history().annotations
    (op,) = recorder.history()
    assert (moment.text, moment.time, moment.until) == ("warm-up is over", 0, None)
    assert partition.until is not None
    assert partition.time < op.call < partition.until


def test_only_a_process_name_can_be_given_to_a_crash() -> None:
    with pytest.raises(UsageError, match="LP-U001"):
        linpoint.Recorder().crash(1.5)  # type: ignore[arg-type]
