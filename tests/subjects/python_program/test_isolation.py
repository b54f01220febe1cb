# SPDX-License-Identifier: Apache-2.0
"""A controlled program sees the same environment as under plain Python, afresh in each run, and leaves nothing
behind.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from linpoint.errors import TestError
from linpoint.subjects.python_program.program import PythonProgram, load_program
from linpoint.verdicts.status import Answer
from tests.subjects.python_program.conftest import Explore


def _holds(explore: Explore, source: str, *args: str, **modules: str) -> None:
    result = explore(source, *args, **modules)
    assert (result.answer, result.exhaustive) == (Answer.HOLDS, True), result.findings or result.why


def test_a_program_without_threads_has_one_schedule(explore: Explore) -> None:
    result = explore("numbers = [number * 2 for number in range(10)]\nassert sum(numbers) == 90\n")
    assert (result.answer, result.exhaustive) == (Answer.HOLDS, True)
    assert (result.explored.bounded_schedules, result.explored.schedules) == (1, 0)


def test_the_program_is_the_main_module(explore: Explore) -> None:
    source = """
        import sys, threading
        assert __name__ == "__main__"
        assert sys.modules["__main__"].__dict__ is globals()
        assert sys.argv[0].endswith("prog.py") and sys.argv[1:] == ["--many", "2"]
        assert sys.stdin.read() == ""
        assert threading.current_thread() is threading.main_thread()
        assert threading.enumerate() == [threading.main_thread()]
        assert not threading.current_thread().daemon
    """
    _holds(explore, source, "--many", "2")


def test_threads_are_named_as_in_python(explore: Explore) -> None:
    source = """
        import threading
        names = []
        thread = threading.Thread(target=lambda: names.append(threading.current_thread().name))
        assert not thread.is_alive()
        thread.start()
        thread.join()
        assert not thread.is_alive()
        assert names == ["Thread-1 (<lambda>)"], names
    """
    _holds(explore, source)


def test_modules_of_the_program_are_fresh_for_each_run(explore: Explore) -> None:
    helper = """
        import threading
        lock = threading.Lock()
        value = 0
        def bump():
            global value
            with lock:
                value += 1
    """
    source = """
        import threading, helper
        assert helper.value == 0
        threads = [threading.Thread(target=helper.bump) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert helper.value == 2
    """
    _holds(explore, source, helper=helper)
    assert "helper" not in sys.modules
    broken = helper.replace("with lock:\n", "if True:\n")
    (finding,) = explore(source, helper=broken).findings
    assert finding.kind == "assertion"


def test_the_program_continues_after_its_main_thread(explore: Explore) -> None:
    source = """
        import atexit, threading
        done = []
        threading.Thread(target=lambda: done.append(1)).start()
        @atexit.register
        def check():
            assert done == [1]
    """
    _holds(explore, source)
    (finding,) = explore(source.replace("done == [1]", "done == []")).findings
    assert finding.kind == "assertion"


def test_daemon_threads_do_not_keep_the_program_alive(explore: Explore) -> None:
    source = """
        import threading
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    """
    _holds(explore, source)
    (finding,) = explore(source.replace("True", "False")).findings
    assert finding.kind == "deadlock"


def test_an_unclosed_pool_is_closed_at_the_end(explore: Explore) -> None:
    _holds(explore, "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor(1).submit(len, [])\n")


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ("sys.exit()", None),
        ("sys.exit(0)", None),
        ("sys.exit(3)", "crash"),
        ("sys.exit('no')", "crash"),
        ("raise KeyError('k')", "exception"),
        ("assert False, 'why'", "assertion"),
    ],
)
def test_the_exit_of_a_program_determines_the_finding(end: str, kind: str | None, explore: Explore) -> None:
    result = explore(f"import sys\nprint('before')\n{end}\n")
    assert [each.kind for each in result.findings] == ([] if kind is None else [kind])
    if kind is not None:
        assert result.findings[0].printed == ("before",)


def test_an_exit_in_a_thread_ends_the_thread(explore: Explore) -> None:
    _holds(explore, "import sys, threading\nthreading.Thread(target=sys.exit, args=(3,)).start()\n")


def test_only_the_last_lines_of_long_output_are_kept(explore: Explore) -> None:
    result = explore("for number in range(5_000):\n    print('line', number)\nassert False\n")
    assert result.findings[0].printed[-1] == "line 4999"
    assert len(result.findings[0].printed) == 10


def test_nothing_is_left_behind(explore: Explore, capfd: pytest.CaptureFixture[str]) -> None:
    before = (
        sys.argv,
        list(sys.path),
        sys.stdout,
        Path.cwd(),
        dict(os.environ),
        threading.active_count(),
        sys.modules["__main__"],
    )
    source = """
        import os, signal, sys, threading
        os.environ["LINPOINT_TEST"] = "1"
        os.chdir("/")
        sys.path.append("nowhere")
        signal.signal(signal.SIGTERM, lambda *_: None)
        threading.Thread(target=print, args=("loud",)).start()
    """
    _holds(explore, source)
    after = (
        sys.argv,
        list(sys.path),
        sys.stdout,
        Path.cwd(),
        dict(os.environ),
        threading.active_count(),
        sys.modules["__main__"],
    )
    assert before == after
    assert "loud" not in "".join(capfd.readouterr())


def test_threads_that_keep_yielding_to_each_other_are_a_livelock(explore: Explore) -> None:
    source = """
        import threading
        first = second = False
        def one():
            global first
            while not second: pass
            first = True
        def other():
            global second
            while not first: pass
            second = True
        threads = [threading.Thread(target=each) for each in (one, other)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    (finding,) = explore(source).findings
    assert finding.kind == "livelock"


def test_two_long_running_threads_are_not_a_livelock(explore: Explore) -> None:
    source = """
        import threading
        total = [0, 0]
        def work(mine):
            for number in range(40_000):
                total[mine] += number
        threads = [threading.Thread(target=work, args=(each,)) for each in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert total[0] == total[1]
    """
    result = explore(source)
    assert (result.answer, result.findings) == (Answer.UNKNOWN, ())
    assert "their work is long or does not terminate" in result.why


def test_counting_while_yielding_to_each_other_is_a_livelock(explore: Explore) -> None:
    source = """
        import threading
        wants = [False, False]
        rounds = 0
        def go(mine):
            global rounds
            wants[mine] = True
            while wants[1 - mine]:
                rounds += 1
            wants[mine] = False
        threads = [threading.Thread(target=go, args=(each,)) for each in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    (finding,) = explore(source).findings
    assert finding.kind == "livelock"


@pytest.mark.parametrize(
    "source",
    [
        "ready = False\nwhile not ready:\n    pass\n",
        """
        import threading
        total = 0
        def work():
            global total
            for number in range(100_000):
                total += number
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """,
    ],
    ids=["waits", "computes"],
)
def test_a_long_run_of_one_thread_alone_is_unknown(source: str, explore: Explore) -> None:
    result = explore(source)
    assert (result.answer, result.findings) == (Answer.UNKNOWN, ())
    assert "still runs: its work is long, or it waits" in result.why


def test_a_thread_that_hangs_is_unknown(explore: Explore) -> None:
    result = explore("while True:\n    pass\n", budget=1)
    assert result.answer is Answer.UNKNOWN
    assert "prog.py:2" in result.why or "prog.py:1" in result.why


@pytest.mark.parametrize("wait", ["os.read(reading, 1)", "threading.Thread(target=os.read, args=(reading, 1)).start()"])
def test_waiting_for_an_uncontrolled_resource_is_unknown(wait: str, explore: Explore) -> None:
    result = explore(f"import os, threading\nreading, writing = os.pipe()\n{wait}\n", budget=1)
    assert result.answer is Answer.UNKNOWN
    assert "has not returned" in result.why


def test_more_threads_than_in_any_earlier_run_can_start(explore: Explore) -> None:
    source = """
        import threading
        threads = [threading.Thread(target=len, args=("",)) for _ in range(40)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert threading.enumerate() == [threading.main_thread()]
    """
    _holds(explore, source)


def test_nondeterminism_is_reported(explore: Explore) -> None:
    source = """
        import os, threading
        shared = 0
        def work():
            global shared
            for _ in range(os.urandom(1)[0] % 7):
                shared += 1
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    result = explore(source)
    assert result.answer is Answer.UNKNOWN
    assert [each.kind for each in result.findings] == ["nondeterminism"]
    assert "from step" in result.findings[0].message


def test_exploration_can_be_limited_to_few_preemptions(explore: Explore) -> None:
    source = """
        import threading
        x = 0
        def work():
            global x
            x += 1
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert x == 2
    """
    result = explore(source, budget=60, preemptions=0)
    assert (result.answer, result.exhaustive, result.bounds) == (Answer.HOLDS, False, {"preemptions": 0})
    assert explore(source, budget=60, preemptions=1).answer is Answer.VIOLATION


def test_programs_that_cannot_be_loaded_are_rejected(program: Callable[..., PythonProgram], explore: Explore) -> None:
    with pytest.raises(TestError, match=r"LP-T030 .*prog.py:2: SyntaxError"):
        program("x = 1\ndef f(:\n")
    with pytest.raises(TestError, match=r"LP-T030 .*no such file"):
        load_program("nowhere.py")
    with pytest.raises(TestError, match=r"LP-T030 .*ModuleNotFoundError"):
        explore("import there_is_no_such_module\n")
    with pytest.raises(TestError, match=r"LP-T031 dekker.h: .*not a program in Python, C or C\+\+"):
        load_program("dekker.h")
    with pytest.raises(TestError, match=r"LP-T031 .*asyncio"):
        program("import asyncio\n")


def test_a_result_is_not_a_bool(explore: Explore) -> None:
    with pytest.raises(TypeError, match="three values"):
        bool(explore("pass\n"))
