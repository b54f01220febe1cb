# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the schedules of an explorer.

The main thread is process 0, a controlled thread like any other. As in Python, the program continues after the end of
the main thread until all non-daemon threads have ended, and then calls the functions registered with ``atexit``. A run
ends at its first problem; later problems, in the same or another thread, are left to other runs. Guarantee: runs share
only the state that C modules, files and the standard library keep.
"""

from __future__ import annotations

import linecache
import sys
import threading
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python_control import controlled_thread_class
from linpoint.explore.python_control.control_session import BlockedThread, ControlSession
from linpoint.explore.python_control.run_abort import StopRun, is_ctrl_c
from linpoint.explore.python_control.trace_recorder import TraceRecorder, is_own
from linpoint.judging.scenario_run import RunEnding
from linpoint.subjects.python_program.own_modules import OwnModules
from linpoint.subjects.python_program.program import PythonProgram
from linpoint.subjects.python_program.restored_process_state import AtExit, CapturedOutput, isolated_process

MAIN_THREAD: Final = 0
MAIN_NAME: Final = "MainThread"
_MAX_PRINTED_LINES: Final = 10
_GIVEN_UP: Final = "given up"
"""Stands in for the kind of a failure if the run was given up."""
_DOES_NOT_COME_BACK: Final = "LP-T022"
_ENDLESS_RUN_FACTOR: Final = 10
"""A run that takes the steps of the usual run times this factor counts as endless."""
_IMPORTING: Final = (ImportError, SyntaxError)


@dataclass(frozen=True, slots=True)
class ProgramProblem:
    """A problem with its kind, a key of ``FAILURES``, and its process."""

    kind: str
    message: str
    process: int | None = None
    place: str = ""
    """``file:line`` in the program."""
    unloaded: BaseException | None = None
    """The exception that prevented the program from loading, before it had any threads."""

    def key(self) -> tuple[object, ...]:
        """A key that is equal for equal problems."""
        return self.kind, self.message, self.process, self.place


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """The run of one schedule of a program."""

    ending: RunEnding
    problem: ProgramProblem | None
    names: tuple[str, ...]
    """The names of the threads, by process."""
    waiting: tuple[BlockedThread, ...]
    printed: tuple[str, ...]
    """The last lines of the output."""
    steps: int

    @property
    def given_up(self) -> str:
        """The reason why the run was given up; empty if it was not."""
        return self.problem.message if self.problem is not None and self.problem.kind == _GIVEN_UP else ""

    def key(self) -> object:
        """A key that is equal for a run and its repetition."""
        return (
            self.ending,
            None if self.problem is None else self.problem.key(),
            self.names,
            tuple((each.process, each.owner) for each in self.waiting),
            self.steps,
        )


class ProgramRunner:
    """Runs a program repeatedly."""

    def __init__(self, program: PythonProgram, session: ControlSession, modules: OwnModules) -> None:
        self.program = program
        self._session = session
        self._modules = modules
        self._usual: int | None = None

    def run(self, explorer: native.Explorer, narrator: TraceRecorder | None = None) -> ProgramRun | None:
        """The next run; None if it is redundant for the explorer. Call ``explorer.begin()`` first."""
        main = types.ModuleType("__main__")
        vars(main).update(__file__=self.program.file, __builtins__=__builtins__, __spec__=None, __cached__=None)
        printed, at_exit = CapturedOutput(), AtExit()
        current = _Current(self._session.code(self.program.code), main, at_exit, narrator)
        self._session.prepare()
        with (
            isolated_process(self.program, main, printed, at_exit),
            controlled_thread_class.listening(current),
            self._modules.found(),
        ):
            try:
                with controlled_thread_class.as_process(threading.main_thread(), MAIN_THREAD):
                    ending = self._session.run(explorer, [current.main])
            except TestError as error:
                if error.code != _DOES_NOT_COME_BACK:
                    raise
                ending, current.problem = RunEnding.STALLED, ProgramProblem(_GIVEN_UP, error.message.rstrip("."))
            finally:
                self._modules.forget()
        vars(main).clear()  # its functions refer to it, and cycles are not collected between runs
        if ending is RunEnding.REDUNDANT:
            return None
        waiting, steps = tuple(self._session.waiting()), native.control_steps()
        problem = current.problem
        if problem is None and ending is RunEnding.STUCK:
            problem = ProgramProblem("deadlock", _deadlock(waiting, current.names))
        elif problem is None and ending is RunEnding.CUT:
            problem = self._endless(steps, current.names)
        names = tuple(current.names[process] for process in sorted(current.names))
        return ProgramRun(ending, problem, names, waiting, printed.lines(_MAX_PRINTED_LINES), steps)

    def _endless(self, steps: int, names: dict[int, str]) -> ProgramProblem:
        """The problem of a run that reached the step limit.

        A livelock needs two running threads, since a single one may still finish. They must also wait for each other in
        loops, or take many times the steps of the default schedule.
        """
        going = [process for process, turn in enumerate(native.control_last_turns()) if turn > steps // 2]
        if len(going) == 1:
            who = names[going[0]]
            return ProgramProblem(
                _GIVEN_UP,
                f"after {steps:,} steps only {who} still runs: its work is long, or it waits for an event that no "
                "thread produces",
            )
        if not native.control_goes_round() and self._usual_steps() * _ENDLESS_RUN_FACTOR > steps:
            return ProgramProblem(
                _GIVEN_UP, f"after {steps:,} steps the threads still run: their work is long or does not terminate"
            )
        message = f"livelock: the threads did not finish after {steps:,} steps, although each of them was scheduled"
        return ProgramProblem("livelock", message)

    def _usual_steps(self) -> int:
        """The number of steps that the program takes under the default schedule."""
        if self._usual is None:
            self._usual = sys.maxsize  # the run below must not start another one
            explorer = native.explore_again([])
            explorer.begin()
            run = self.run(explorer)
            self._usual = sys.maxsize if run is None else run.steps
        return self._usual


class _Current:
    """The current run, a listener to its threads."""

    def __init__(
        self, code: types.CodeType, main: types.ModuleType, at_exit: AtExit, narrator: TraceRecorder | None
    ) -> None:
        self.names = {MAIN_THREAD: MAIN_NAME}
        self.problem: ProgramProblem | None = None
        self._code = code
        self._main = main
        self._at_exit = at_exit
        self._narrator = narrator
        self._awaited: list[int] = []

    def main(self) -> None:
        """The body of process 0."""
        native.control_aside(self.begins, MAIN_THREAD, MAIN_NAME)
        with controlled_thread_class.current(threading.main_thread()):
            try:
                self._run()
            except StopRun:
                pass
            except BaseException as error:  # any exception that ends the program
                if is_ctrl_c(error):
                    raise
                native.control_aside(self.raised, MAIN_THREAD, error)

    def _run(self) -> None:
        try:
            exec(self._code, vars(self._main))  # noqa: S102 - the program under test
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
        for function in reversed(threading._threading_atexits):  # type: ignore[attr-defined]  # noqa: SLF001 - closes pools
            function()
        for process in self._awaited:  # grows while threads start others
            native.control_join(process, -1.0)
        self._at_exit.run()

    def begins(self, process: int, name: str) -> None:
        """Record that a thread begins."""
        self.names[process] = name
        if self._narrator is not None:
            self._narrator.begins(process, name)

    def started(self, process: int, by: int, daemon: bool) -> None:
        """Record that a thread has started another one."""
        if not daemon:
            self._awaited.append(process)
        if self._narrator is not None:
            self._narrator.started(process, by)

    def raised(self, process: int, error: BaseException) -> None:
        """Record that a thread ended with an exception: the problem of the run, unless it already has one."""
        if native.control_stopping() or self.problem is not None:
            return
        place = _place(error)
        if isinstance(error, SystemExit):
            problem = ProgramProblem("crash", f"the program exited with {_exit_code(error)}", process, place)
        else:
            unloaded = error if isinstance(error, _IMPORTING) and len(self.names) == 1 else None
            kind = "assertion" if isinstance(error, AssertionError) else "exception"
            message = _raised(error, place, self.names[process])
            problem = ProgramProblem(kind, message, process, place, unloaded)
        self.problem = problem
        if self._narrator is not None:
            self._narrator.failed(process, error, assertion=problem.kind == "assertion")
        native.control_stop_run()


def _deadlock(waiting: tuple[BlockedThread, ...], names: dict[int, str]) -> str:
    told = []
    for each in waiting:
        if each.owner is None or each.owner == each.process:  # a condition waits for a lock that it holds itself
            told.append(f"{names[each.process]} waits for an event that no thread can produce")
        else:
            told.append(f"{names[each.process]} waits for {names[each.owner]}")
    return "deadlock: no thread can continue: " + ", ".join(told)


def _exit_code(error: SystemExit) -> str:
    return f"code {error.code}" if isinstance(error.code, int) else f"code 1: {error.code}"


def _raised(error: BaseException, place: str, name: str) -> str:
    text = str(error)
    where = f" at {place}" if place else ""
    told = f": {text}" if text else ""
    if isinstance(error, AssertionError):
        file, _, line = place.rpartition(":")
        source = linecache.getline(str(Path(file).resolve()), int(line)).strip() if line.isdigit() else ""
        return f"{source or 'an assertion'} fails{where} in {name}{told}"
    return f"{name} raised {type(error).__name__}{where}{told}"


def _place(error: BaseException) -> str:
    """The innermost line of the program in the traceback of an exception."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if is_own(trace.tb_frame):
            found = f"{_relative(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _relative(file: str) -> str:
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file
