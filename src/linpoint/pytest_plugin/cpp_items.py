# SPDX-License-Identifier: Apache-2.0
"""Runs files ``*_linpoint.cpp`` under pytest: each ``LINPOINT_TEST`` in a file is one test.

A comment in the file, ``// linpoint: --spec stack``, gives its options (``options.comment_options``). Tests are found
by reading the file, so that collection builds nothing; a file is built when the first of its tests runs.

Guarantee: a file that does not compile or has a wrong option is an error of its tests, not of the whole run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.errors import LinpointError
from linpoint.limits.budget import seconds as parse_seconds
from linpoint.pytest_plugin import ResultItem
from linpoint.pytest_plugin.option_names import options_of
from linpoint.subjects.cpp_object.build_tests import BuiltCppTest, build_tests
from linpoint.subjects.cpp_object.cpp_token import CppObjectToken
from linpoint.targets.build_error import BuildError
from linpoint.verdicts import replay_token

_DEFAULT_BUDGET_S: Final = 30.0
_NOT_CODE: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE
)
_TEST: Final = re.compile(r"\bLINPOINT_TEST\s*\(\s*([^,()\s]+)")


class CppFile(pytest.File):
    """A file of C++ tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each ``LINPOINT_TEST``."""
        text = self.path.read_text(encoding="utf-8", errors="replace")
        code = _NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)
        for test in _TEST.finditer(code):
            yield CppTestItem.from_parent(self, name=test[1], line=code.count("\n", 0, test.start()))


class CppTestItem(ResultItem):
    """One test of a C++ object.

    Its marks come from a ``conftest.py``, as for all tests that are not written in Python.
    """

    def __init__(self, *, line: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.line = line
        self.test: BuiltCppTest | None = None

    def setup(self) -> None:
        """Build the test. A build failure is an error of the test, not a failure."""
        super().setup()
        # Relative to the working directory, so that `linpoint replay` finds the file.
        file = os.path.relpath(self.path)
        token = self.config.getoption("--linpoint-replay")
        try:
            if token is None:
                options = options_of(self.config).for_file(file)
            else:
                options = CppObjectToken.read(replay_token.decode(token)).options
            (self.test,) = build_tests(file, self.name, options)
        except BuildError as error:
            pytest.fail(f"{error}\n{error.output.decode(errors='replace')}".rstrip(), pytrace=False)
        except LinpointError as error:
            pytest.fail(str(error), pytrace=False)

    def runtest(self) -> None:
        """Test the object, or replay the schedule of a finding."""
        assert self.test is not None
        seconds = parse_seconds(options_of(self.config).budget) or _DEFAULT_BUDGET_S
        token = self.config.getoption("--linpoint-replay")
        if token is None:
            result = run_campaign(self.test.subject, seconds)
        else:
            found = CppObjectToken.read(replay_token.decode(token))
            subject, failure = self.test.replay_subject, self.test.failure(found)
            result = replay_finding(subject, failure, seconds, changed=self.test.has_changed_since(found))
        if result.interrupted:
            raise KeyboardInterrupt
        self.conclude(result)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file and line of the test, and its name."""
        return self.path, self.line, self.name
