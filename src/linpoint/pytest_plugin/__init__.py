# SPDX-License-Identifier: Apache-2.0
"""Runs tests of concurrent objects under pytest: each class derived from ``ConcurrentTest`` is one test.

A class is one test because it has one verdict and one budget, as on the command line. Its fixed scenarios run first,
and a failure names the scenario that fails. ``_linpoint_pytest`` registers this module when pytest collects the first
such class or the first C++ test (``cpp_items``).

Guarantee: a violation fails with its explanation, without a traceback into linpoint; UNKNOWN fails as well. A
definition that cannot be run is an error of its test, not of the whole run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import traceback
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from linpoint.api.test_object import test as run
from linpoint.errors import LinpointError, TestError, UndecidedError, ViolationError
from linpoint.histories.formats.file_content import write_content
from linpoint.limits.budget import seconds
from linpoint.options.project_words import project_words
from linpoint.pytest_plugin.option_names import options_of
from linpoint.scenarios.concurrent_test import ConcurrentTest, definition_of
from linpoint.scenarios.tested_operation import mark_of
from linpoint.subjects.cpp_object.cpp_token import CPP_KIND, CppObjectToken
from linpoint.subjects.python_object.code_identity import ReplayedFinding, replayed_finding
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts import Status, replay_token
from linpoint.verdicts.result import Result
from linpoint.verdicts.token_trust import foreign_words, refuse_foreign_words


def check_options(config: pytest.Config) -> None:
    """Reject invalid times, tokens, numbers and directories, which pytest itself accepts."""
    try:
        seconds(config.getoption("--linpoint-budget"))
        _replayed(config)
    except LinpointError as error:
        raise pytest.UsageError(str(error)) from None
    for name in ("threads", "operations"):
        value = config.getoption(f"--linpoint-{name}")
        if value is not None and value < 1:
            raise pytest.UsageError(f"--linpoint-{name} {value} is not a whole number of at least 1.")
    directory = config.getoption("--linpoint-report")
    if directory is not None:
        try:
            Path(directory).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"--linpoint-report {directory}: {error.strerror}. Choose another directory."
            raise pytest.UsageError(message) from None


def collect(
    collector: pytest.Module | pytest.Class, name: str, tested: type[ConcurrentTest]
) -> list[pytest.Item | pytest.Collector] | None:
    """The item of a test class, followed by pytest's own collector if the class has ordinary tests as well."""
    if not tested.__test__ or tested is ConcurrentTest:
        return None
    module = collector.getparent(pytest.Module)
    if module is not None and tested.__module__ != module.obj.__name__:
        return []  # imported from the module that tests it already
    marks = _marks(tested)
    if any(mark.name == "parametrize" for mark in marks):
        raise collector.CollectError(
            f"{name}: pytest cannot parametrize a ConcurrentTest. Derive a class for each set of settings."
        )
    found: list[pytest.Item | pytest.Collector] = [
        ConcurrentTestItem.from_parent(collector, name=name, callobj=_callable(tested, marks), tested=tested)
    ]
    if any(collector.funcnamefilter(each) and mark_of(getattr(tested, each)) is None for each in dir(tested)):
        found.append(pytest.Class.from_parent(collector, name=name, obj=tested))
    return found


class ResultItem(pytest.Item):
    """A test of an object in Python or C++ that has a result."""

    result: Result | None = None

    def conclude(self, result: Result) -> None:
        """Store the result, write the requested report, and raise unless the result is a pass."""
        self.result = result
        self.user_properties += _properties(result)
        directory = self.config.getoption("--linpoint-report")
        if result.status is not Status.LINEARIZABLE and directory:
            self._write_report(Path(directory))
        result.raise_for_violation()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """Show the explanation of a violation, or the error in the test; pytest shows everything else."""
        error = excinfo.value
        if isinstance(error, (ViolationError, UndecidedError)) and self.result is not None:
            lines = [self.result.explain().text, *self._advice()]
            if self.config.getoption("showcapture", "all") != "all":  # pytest does not show the sections
                lines += ["", *self.replay_lines()]
            return FailureText("\n".join(lines))
        if isinstance(error, LinpointError):
            return FailureText("\n".join([str(error), *_cause(error)]))
        return super().repr_failure(excinfo)

    def replay_lines(self) -> list[str]:
        """The commands that replay the first finding; an empty list without a finding."""
        if self.result is None or not self.result.findings:
            return []
        found = self.result.findings[0]
        lines = [shell_command(["pytest", self._place(), "--linpoint-replay", found.token])]
        return lines + ([shell_command(["linpoint", *found.replay_words])] if found.replay_words else [])

    def _place(self) -> str:
        """The name of the test, relative to the directory in which pytest was started."""
        file = os.path.relpath(self.path, self.config.invocation_params.dir)
        return f"{file}::{str(self.nodeid).partition('::')[2]}"

    def _advice(self) -> list[str]:
        """Advice about an unknown result, which is never a pass."""
        if self.result is None or self.result.findings:
            return []
        return ["", "Increase the budget (--linpoint-budget 2m), or decrease the bounds (--linpoint-operations 1)."]

    def _write_report(self, directory: Path) -> None:
        """Write the failure to three files named like the test."""
        assert self.result is not None
        name = re.sub(r"[^\w.]+", "-", str(self.nodeid))
        commands = self.replay_lines()
        command = shell_command(["pytest", self._place()])
        explained = self.result.explain()
        page = explained.as_html(command=command, replay=commands[-1] if commands else "")
        told = explained.as_dict() | {"report": {"file": f"{name}.html", "written": True}}
        write_content(str(directory / f"{name}.html"), page)
        write_content(str(directory / f"{name}.txt"), "\n".join([explained.text, "", *commands, ""]))
        write_content(str(directory / f"{name}.json"), msgspec.json.format(msgspec.json.encode(told, enc_hook=repr)))


class ConcurrentTestItem(ResultItem, pytest.Function):
    """One test of a Python object.

    For pytest it is a function without arguments, so autouse fixtures and marks apply.
    """

    def __init__(self, *, tested: type[ConcurrentTest], **keywords: Any) -> None:
        super().__init__(**keywords)
        self.tested = tested

    def setup(self) -> None:
        """Set up fixtures, then validate the definition: a mistake in it is an error of the test, not a failure."""
        super().setup()
        try:
            definition_of(self.tested)
        except TestError as error:
            pytest.fail(self._hint(error), pytrace=False)

    def runtest(self) -> None:
        """Test the object, or replay the schedule of a finding."""
        options = options_of(self.config)
        replay = self.config.getoption("--linpoint-replay")
        # Every schedule prints the same text, so it is shown only when one schedule is replayed.
        with contextlib.nullcontext() if replay else _silence():
            result = run(
                self.tested,
                budget=options.budget,
                seed=options.seed,
                threads=options.threads,
                operations=options.operations,
                replay=replay,
            )
        self.conclude(result)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file and line of the class, and its name."""
        code = next((each.__code__ for each in vars(self.tested).values() if hasattr(each, "__code__")), None)
        return self.path, None if code is None else code.co_firstlineno - 1, self.name

    def _hint(self, error: TestError) -> str:
        takes = re.search(r"setup of .* missing a required", error.message) is not None
        extra = "\nsetup constructs an object for each schedule and takes no fixtures." if takes else ""
        return f"{error}{extra}"


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    nowhere = _Nowhere()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


class _Nowhere(io.TextIOBase):
    """Discards what is written to it."""

    def write(self, text: str) -> int:
        return len(text)


class FailureText:
    """A failure as text; pytest's summary shows its first line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.reprcrash = _Crash(text.partition("\n")[0])

    def __str__(self) -> str:
        return self.text

    def toterminal(self, terminal: Any) -> None:
        """Write the text to pytest's terminal."""
        terminal.line(self.text)


class _Crash:
    def __init__(self, message: str) -> None:
        self.message = message


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the coverage of a pass, or the commands that replay a failure, as a section of its own."""
    report = yield
    if isinstance(item, ResultItem) and call.when == "call" and item.result is not None:
        if report.passed:
            report.sections.append(("linpoint", item.result.explain().text))
        elif lines := item.replay_lines():
            report.sections.append(("linpoint replay", "\n".join(lines)))
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With a replay token, deselect all tests but that of the token."""
    found = _replayed(config)
    if found is None:
        return
    kept = [each for each in items if isinstance(each, ResultItem) and _is_of(found, each)]
    if not kept:
        place = f"{found.file}::{found.test}" if found.file else "from a call of linpoint.test"
        raise pytest.UsageError(f"the test of the token was not collected: {place}")
    config.hook.pytest_deselected(items=[each for each in items if each not in kept])
    items[:] = kept


def _is_of(found: ReplayedFinding | CppObjectToken, item: ResultItem) -> bool:
    """Whether a token belongs to this test. Its path is relative to the directory of the run or to pytest's root."""
    bases = (item.config.invocation_params.dir, item.config.rootpath)
    name = item.tested.__name__ if isinstance(item, ConcurrentTestItem) else item.name
    return name == found.test and any((base / found.file).resolve() == item.path for base in bases)


def _replayed(config: pytest.Config) -> ReplayedFinding | CppObjectToken | None:
    token = config.getoption("--linpoint-replay")
    content = {} if token is None else replay_token.decode(token)
    if content.get("kind") == CPP_KIND:
        # pytest was told to collect this file; otherwise no test remains.
        file = str(content.get("file"))
        found = foreign_words(content, {file, *project_words(CPP_KIND, file)})
        refuse_foreign_words(found, "`linpoint replay` shows the command line to use instead.")
        return CppObjectToken.read(content)
    return None if token is None else replayed_finding(content)


def _properties(result: Result) -> list[tuple[str, object]]:
    """The properties of a test in JUnit XML, for every verdict."""
    tested = result.tested
    return [
        ("linpoint_verdict", result.status.value),
        ("linpoint_exhaustive", result.exhaustive),
        ("linpoint_scenarios", tested.scenarios),
        ("linpoint_schedules", tested.bounded_schedules + tested.schedules),
    ]


def _callable(tested: type[ConcurrentTest], marks: list[pytest.Mark]) -> Callable[[], None]:
    """A function that stands for the test in pytest. It carries the marks of the class."""

    def tested_under_every_schedule() -> None:
        raise AssertionError("runtest runs the test")  # pragma: no cover

    tested_under_every_schedule.__doc__ = tested.__doc__
    tested_under_every_schedule.pytestmark = marks  # type: ignore[attr-defined]
    return tested_under_every_schedule


def _marks(tested: type) -> list[pytest.Mark]:
    """The marks of a class and of its base classes."""
    found: list[Any] = []
    for each in reversed(tested.__mro__):
        given = vars(each).get("pytestmark", [])
        found += given if isinstance(given, list) else [given]
    return [mark.mark if isinstance(mark, pytest.MarkDecorator) else mark for mark in found]


def _cause(error: LinpointError) -> list[str]:
    """The traceback of an exception in the user's code that caused the error; empty without one."""
    if error.__cause__ is None:
        return []
    shown = traceback.TracebackException.from_exception(error.__cause__)
    package = str(Path(__file__).parent)
    shown.stack = traceback.StackSummary.from_list(
        [frame for frame in shown.stack if not frame.filename.startswith(package)]
    )
    shown.__cause__ = shown.__context__ = None
    return ["", *"".join(shown.format()).splitlines()]
