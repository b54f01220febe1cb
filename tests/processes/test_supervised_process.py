# SPDX-License-Identifier: Apache-2.0
"""A process always has an outcome, whatever it does, and leaves no running process behind."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linpoint.processes.process_launch import INPUT, MESSAGES
from linpoint.processes.process_limits import (
    DEADLINE_PASSED,
    MEMORY_EXCEEDED,
    MESSAGE_TOO_LONG,
    OUTPUT_TOO_LONG,
    SILENT_TOO_LONG,
    ProcessLimits,
)
from linpoint.processes.supervised_process import INTERRUPTED, SupervisedProcess, read_messages

_PREAMBLE = """
import os, signal, subprocess, sys, time
messages, answers = int(sys.argv[1]), int(sys.argv[2])
def say(text): os.write(messages, text.encode() + b"\\n")
"""


def start(code: str, **options: Any) -> SupervisedProcess:
    """A Python process that runs ``code``."""
    words = [sys.executable, "-I", "-S", "-c", _PREAMBLE + code, MESSAGES, INPUT]
    return SupervisedProcess.start(words, **options)


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def descriptors() -> int:
    """The number of open descriptors, without those of unreferenced objects."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def gone(pid: int) -> bool:
    """Whether a process has ended, waiting up to a long time for it."""
    for _ in range(2000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


# Exits and signals


def test_messages_and_the_exit_code_are_reported() -> None:
    with start("say('one'); say('two'); print('why', file=sys.stderr); sys.exit(3)") as process:
        assert list(process.messages()) == [b"one", b"two"]
        outcome = process.outcome()
        assert (outcome.exit_code, outcome.signal, outcome.by_itself, outcome.stopped) == (3, None, True, "")
        assert outcome.stderr == b"why\n"
        assert outcome.peak_memory_bytes > 2**20
        assert not outcome.interrupted
        assert process.outcome() == outcome


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGRTMIN + 3])
def test_a_signal_differs_from_an_exit_code(number: int) -> None:
    with start(f"say('alive'); os.kill(os.getpid(), {int(number)})") as process:
        assert list(process.messages()) == [b"alive"]
        outcome = process.outcome()
    assert (outcome.exit_code, outcome.signal, outcome.by_itself) == (None, number, True)
    expected = signal.Signals(number).name if number in set(signal.Signals) else f"signal {int(number)}"
    assert outcome.signal_name == expected


def test_arguments_that_look_like_placeholders_are_passed_on() -> None:
    words = ["{messages}", "{input}"]
    code = "import os, sys; os.write(int(sys.argv[1]), ' '.join(sys.argv[2:]).encode())"
    command = [sys.executable, "-I", "-S", "-c", code, MESSAGES, *("".join(list(word)) for word in words)]
    with SupervisedProcess.start(command) as process:
        assert process.read_block(60) == b"{messages} {input}"


def test_a_program_that_does_not_exist_raises() -> None:
    before = descriptors()
    with pytest.raises(FileNotFoundError):
        SupervisedProcess.start(["/nowhere/at/all", MESSAGES, INPUT], stdin=b"text")
    assert descriptors() == before


def test_no_descriptor_and_no_thread_is_left() -> None:
    def resources() -> tuple[int, int]:
        return descriptors(), threading.active_count()

    before = resources()
    for _ in range(5):
        with start("say('here'); time.sleep(60)", stdin=b"text") as process:
            assert next(process.messages()) == b"here"
    for _ in range(1000):
        if resources() == before:
            break
        time.sleep(0.01)
    assert resources() == before


def test_a_process_that_closes_its_messages_and_stays_is_killed() -> None:
    with start("os.close(messages); time.sleep(600)") as process:
        assert not list(process.messages())
        outcome = process.outcome(grace_s=0.1)
    assert (outcome.signal, outcome.by_itself, outcome.stopped) == (signal.SIGKILL, False, "")


def test_a_finished_process_may_exit_by_itself() -> None:
    with start("say('result'); os.read(answers, 1); sys.exit(5)") as process:
        for _ in process.messages():
            process.finish()
        process.write(b".")
        assert process.outcome(grace_s=60).exit_code == 5


def test_standard_input_and_the_environment_are_passed_on() -> None:
    code = "say(sys.stdin.read()); say(os.environ['WORD']); say(os.getcwd())"
    with start(code, stdin=b"x" * 300_000, env=os.environ | {"WORD": "yes"}, cwd=Path("/")) as process:
        assert list(process.messages()) == [b"x" * 300_000, b"yes", b"/"]


def test_a_process_answers_requests() -> None:
    with start("for _ in range(3): say('got ' + os.read(answers, 1).decode())") as process:
        heard = []
        process.write(b"0")
        for at, line in enumerate(process.messages()):
            heard.append(line)
            process.write(str(at + 1).encode())
        process.write(b"to nobody")
    assert heard == [b"got 0", b"got 1", b"got 2"]


def test_writing_to_a_process_that_does_not_read_ends_at_its_deadline() -> None:
    with start("time.sleep(600)", limits=ProcessLimits(deadline=time.monotonic() + 0.5)) as process:
        process.write(b"x" * 10_000_000)
        assert process.outcome().stopped == DEADLINE_PASSED


# Descendants


GRANDCHILD = """
if not os.fork():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    say(str(os.getpid()))
    while True: time.sleep(600)
"""


@pytest.mark.parametrize("end", ["time.sleep(600)", "os._exit(0)", "os.kill(os.getpid(), signal.SIGSEGV)"])
def test_a_grandchild_that_ignores_signals_is_killed(end: str) -> None:
    """The grandchild also holds the message pipe: the death of its parent still ends the messages."""
    with start(f"{GRANDCHILD}\nos.read(answers, 1)\n{end}") as process:
        for line in process.messages():
            grandchild = int(line)
            process.write(b".")
            if end.startswith("time"):
                break
    assert gone(grandchild)
    assert gone(process.pid)


def test_a_grandchild_in_another_session_does_not_delay_the_outcome() -> None:
    code = (
        "if not os.fork():\n    os.setsid()\n    say(str(os.getpid()))\n    time.sleep(600)\nos.wait4(-1, os.WNOHANG)"
    )
    with start(f"{code}\ntime.sleep(0.2)", stderr=subprocess.DEVNULL) as process:
        lines = list(process.messages())
        assert process.outcome().exit_code == 0
    for line in lines:
        os.kill(int(line), signal.SIGKILL)


# Limits


def test_the_deadline_ends_the_process() -> None:
    with start("say('begun'); time.sleep(600)", limits=ProcessLimits(deadline=time.monotonic() + 1)) as process:
        list(process.messages())
        outcome = process.outcome()
    assert (outcome.stopped, outcome.signal, outcome.by_itself) == (DEADLINE_PASSED, signal.SIGKILL, False)


def test_a_stop_with_grace_lets_the_process_report_its_results() -> None:
    code = "try:\n    say('begun'); time.sleep(600)\nexcept KeyboardInterrupt:\n    say('last words'); sys.exit(7)"
    with start(code) as process:
        lines = []
        for line in process.messages():
            lines.append(line)
            process.stop("enough", grace_s=60)
        outcome = process.outcome()
    assert lines == [b"begun", b"last words"]
    assert (outcome.exit_code, outcome.stopped, outcome.by_itself) == (7, "enough", False)


def test_a_process_that_ignores_the_grace_is_killed() -> None:
    with start("signal.signal(signal.SIGINT, signal.SIG_IGN); say('begun'); time.sleep(600)") as process:
        for _ in process.messages():
            process.stop("enough", grace_s=0.3)
        outcome = process.outcome()
    assert (outcome.signal, outcome.stopped) == (signal.SIGKILL, "enough")


def test_the_memory_of_the_whole_tree_is_limited() -> None:
    """Each of the four stays far below the limit; the child of the grandchild counts too."""
    code = """
kept = b"1" * 30_000_000
if not os.fork():
    kept = b"2" * 30_000_000
    if not os.fork():
        kept = b"3" * 30_000_000
if not os.fork():
    kept = b"4" * 30_000_000
time.sleep(600)
"""
    with start(code, limits=ProcessLimits(max_memory_bytes=100_000_000)) as process:
        list(process.messages())
        outcome = process.outcome()
    assert outcome.stopped == MEMORY_EXCEEDED
    assert outcome.peak_memory_bytes > 100_000_000
    with start("kept = b'1' * 30_000_000\nsay('done')", limits=ProcessLimits(max_memory_bytes=100_000_000)) as process:
        assert list(process.messages()) == [b"done"]


def test_memory_is_measured() -> None:
    with start("kept = b'1' * 50_000_000; say('kept'); time.sleep(600)") as process:
        assert next(process.messages()) == b"kept"
        assert 50_000_000 < process.memory_bytes() < 200_000_000
        process.stop("enough")
        assert process.memory_bytes() == 0


def test_a_message_without_an_end_stops_the_process() -> None:
    with start(
        "while True: os.write(messages, b'x' * 65536)", limits=ProcessLimits(max_message_bytes=2**20)
    ) as process:
        assert not list(process.messages())
        assert process.outcome().stopped == MESSAGE_TOO_LONG


def test_only_both_ends_of_a_flood_of_output_are_kept() -> None:
    code = "for _ in range(2000): os.write(2, b'begin' + b'x' * 65531)\nos.write(2, b'end'); say('done')"
    with start(code) as process:
        assert list(process.messages()) == [b"done"]
        kept = process.outcome().stderr
    assert kept.startswith(b"begin")
    assert kept.endswith(b"end")
    assert len(kept) == 2 * 65536


def test_output_is_limited() -> None:
    code = "while True: os.write(2, b'x' * 65536)"
    with start(code, limits=ProcessLimits(max_output_bytes=2**20)) as process:
        list(process.messages())
        assert process.outcome().stopped == OUTPUT_TOO_LONG


def test_messages_before_a_stop_are_read() -> None:
    code = "for at in range(1000): say(str(at))\nos.write(messages, b'x' * 3_000_000)"
    with start(code, limits=ProcessLimits(max_message_bytes=2**20)) as process:
        assert list(process.messages()) == [str(at).encode() for at in range(1000)]
        assert process.outcome().stopped == MESSAGE_TOO_LONG


# Silence


@pytest.mark.parametrize("code", ["time.sleep(600)", "os.kill(os.getpid(), signal.SIGSTOP)", "while True: pass"])
def test_silence_is_limited(code: str) -> None:
    """A process that sleeps, computes or is stopped is silent; one that waits for a processor is not."""
    with start(f"say('begun')\n{code}", limits=ProcessLimits(silence_s=0.5)) as process:
        assert list(process.messages()) == [b"begun"]
        assert process.outcome().stopped == SILENT_TOO_LONG


def test_a_process_starved_of_processor_time_is_not_silent() -> None:
    """Five others compete for the only processor it may use, so its first message takes several times the limit."""
    pin = f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
    burn = "while time.process_time() < 0.6: pass\n"
    rivals = [start(f"{pin}say('runs')\nwhile True: pass") for _ in range(5)]
    try:
        for rival in rivals:
            assert next(rival.messages()) == b"runs"
        with start(f"{pin}say('begun')\n{burn}say('done')", limits=ProcessLimits(silence_s=1.5)) as process:
            assert list(process.messages()) == [b"begun", b"done"]
            assert process.outcome().exit_code == 0
    finally:
        for rival in rivals:
            rival.close()


def test_time_spent_by_the_reader_is_not_silence() -> None:
    with start("say('one'); os.read(answers, 1); say('two')", limits=ProcessLimits(silence_s=0.5)) as process:
        lines = []
        for line in process.messages():
            lines.append(line)
            time.sleep(1)
            process.write(b".")
    assert lines == [b"one", b"two"]


# Ctrl-C


def press_when(line: bytes) -> bool:
    """Ctrl-C as this process receives it, once the supervised process has begun."""
    if line == b"begun":
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    return True


def test_ctrl_c_kills_the_process() -> None:
    with start("say('begun'); time.sleep(600)") as process:
        with pytest.raises(KeyboardInterrupt):
            assert all(map(press_when, process.messages()))
        outcome = process.outcome()
    assert (outcome.interrupted, outcome.stopped, outcome.signal) == (True, INTERRUPTED, signal.SIGKILL)


def test_ctrl_c_is_forwarded_once() -> None:
    """The process has a session of its own, so a terminal's Ctrl-C reaches only linpoint."""
    code = """
presses = 0
def pressed(*_):
    global presses
    presses += 1
signal.signal(signal.SIGINT, pressed)
say('begun')
while not presses: time.sleep(0.01)
time.sleep(0.2)
say(f'{presses} {os.getsid(0) == os.getpid()}')
"""
    with start(code, on_interrupt="forward", grace_s=60) as process:
        lines = [line for line in process.messages() if press_when(line)]
        outcome = process.outcome()
    assert lines == [b"begun", b"1 True"]
    assert (outcome.interrupted, outcome.stopped, outcome.exit_code) == (True, INTERRUPTED, 0)


# Several processes


def test_several_are_read_together() -> None:
    processes = [start(f"for at in range(100): say('{name}' + str(at))") for name in "abc"]
    lines: dict[int, list[bytes]] = {0: [], 1: [], 2: []}
    ends = 0
    for index, line in read_messages(processes):
        if line is not None:
            lines[index].append(line)
        elif processes[index].over:
            ends += 1
    assert [lines[at] for at in range(3)] == [[f"{name}{at}".encode() for at in range(100)] for name in "abc"]
    assert ends == 3
    for process in processes:
        assert process.outcome().exit_code == 0
        process.close()


def test_stopping_one_process_does_not_end_the_others() -> None:
    processes = [start("say('0'); time.sleep(600)"), start("say('1'); os.read(answers, 1); say('more')")]
    lines = []
    for index, line in read_messages(processes):
        if line is not None:
            lines.append((index, line))
        if len(lines) == 2:
            processes[0].stop("enough")
            processes[1].write(b".")
    assert sorted(lines) == [(0, b"0"), (1, b"1"), (1, b"more")]
    assert processes[0].outcome().stopped == "enough"
    for process in processes:
        process.close()


def test_bytes_are_read_without_regard_to_lines() -> None:
    with start("os.write(messages, b'no line'); os.read(answers, 1)") as process:
        block = None
        while block is None:
            block = process.read_block(0.1)
        assert block == b"no line"
        assert process.read_block(0.01) is None
        process.write(b".")
        while block is None or block:
            block = process.read_block(0.1)
        assert process.outcome().exit_code == 0
