# SPDX-License-Identifier: Apache-2.0
"""The guard of a process ends work that does not respond, with an answer prepared in advance, and nothing else.

Native tests cover when a limit counts as reached, with an injected clock and memory reading. Here the process really
ends, so each test starts a process of its own. None of these tests reads a clock.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

_BEGIN = """
import gc, os, signal, sys, time
from linpoint.executors.thread_executor import resident_memory
from linpoint.limits.budget import Budget
from linpoint.limits.deadlines import MemoryIsUpError, TimeIsUpError, deadline, install_sigint_handler, uninterrupted
from linpoint.limits.process_guard import LIMIT_MARK, PROGRESS_MARK, guarding

MEGABYTE = 1 << 20

def compute():
    "Python code that nothing interrupts: one instruction, with the interpreter's lock held."
    7 ** (10 ** 8)
"""


def run(code: str) -> tuple[int, str, str]:
    """The exit code and the output of the process."""
    program = _BEGIN + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def prepared(code: str, before: str, budget: str = "Budget()") -> str:
    """A guarded program, with an answer to use if the program gives none."""
    return f"""
{textwrap.indent(textwrap.dedent(before), "")}
install_sigint_handler()
with guarding({budget}, resident_memory()) as guard:
    guard.frame(b"[", b", ", b"]\\n", b"", 1, 2)
    guard.part(0, LIMIT_MARK.encode() + PROGRESS_MARK.encode(), 3)
    guard.part(1, b"the other", 0)
{textwrap.indent(textwrap.dedent(code), "    ")}
"""


NO_TIME = "Budget(time.monotonic() + 0.1, None, 0.1)"


def test_the_deadline_ends_an_instruction_that_takes_hours() -> None:
    assert run(prepared("compute()", "", NO_TIME)) == (3, "[the time budget ran out, the other]\n", "")


def test_ctrl_c_ends_an_instruction_that_takes_hours() -> None:
    code = prepared("os.kill(os.getpid(), signal.SIGINT); compute()", "")
    press = "import threading; threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))"
    assert run(code)[0] in (1, 3, -2)  # The handler may run first.
    code = prepared(
        "with uninterrupted():\n    os.kill(os.getpid(), signal.SIGINT)\n    compute()",
        press,
    )
    assert run(code) == (3, "[the run was interrupted, the other]\n", "")


def test_exceeding_the_memory_ceiling_ends_the_process() -> None:
    budget = "Budget(None, resident_memory() + 20 * MEGABYTE)"
    code = prepared(
        "guard.progress(b' (7 % of 3 MB)')\nkept = bytearray(os.urandom(60 * MEGABYTE))\ntime.sleep(60)", "", budget
    )
    assert run(code) == (3, "[the memory budget ran out (7 % of 3 MB), the other]\n", "")


def test_the_memory_limit_is_raised_early_enough_to_answer() -> None:
    code = """
        kept = []
        try:
            with deadline(Budget(None, 1)):
                while True:
                    kept.append(os.urandom(MEGABYTE))
                    time.sleep(0.005)  # on a busy machine the guard too needs time
        except MemoryIsUpError as reached:
            print(reached.why)
            del kept
            guard.resume()
            try:
                with deadline(Budget(None, 1)):
                    print("there is room again")
            except MemoryIsUpError:
                print("there is room again")  # the interpreter may keep what was freed
    """
    budget = "Budget(None, resident_memory() + 100 * MEGABYTE)"
    assert run(prepared(code, "", budget)) == (0, "the memory budget ran out\nthere is room again\n", "")


def test_a_process_that_has_begun_to_answer_is_not_ended() -> None:
    code = prepared("guard.release(); print('mine'); 7 ** (10 ** 6)", "", NO_TIME)
    assert run(code) == (0, "mine\n", "")


@pytest.mark.parametrize("limit", ["time", "ctrl-c"])
def test_a_limit_swallowed_by_a_destructor_is_raised_again(limit: str) -> None:
    """Python prints an exception from a destructor and continues: the result would be a traceback and no limit."""
    begin = "signal.setitimer(signal.ITIMER_REAL, 0.05)" if limit == "time" else "os.kill(os.getpid(), signal.SIGINT)"
    code = f"""
        class Lingering:
            def __del__(self):
                {begin}
                stop = time.monotonic() + 0.2
                while time.monotonic() < stop:
                    pass

        try:
            with deadline(Budget(time.monotonic() + 60)):
                Lingering()
                while True:
                    pass
        except (TimeIsUpError, KeyboardInterrupt) as reached:
            print(type(reached).__name__)
    """
    name = "TimeIsUpError" if limit == "time" else "KeyboardInterrupt"
    assert run(prepared(code, "")) == (0, f"{name}\n", "")
