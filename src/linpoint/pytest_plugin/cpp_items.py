# SPDX-License-Identifier: Apache-2.0
"""Files ``*_linpoint.cpp`` as files of tests: each ``LINPOINT_TEST`` in one is a test of pytest.

How they are built and run is said in the file, by ``// linpoint: --spec stack`` (``explore.cpp.objects.asked``). They are
found by reading the file, so that collecting costs nothing; a file is built when the first of its tests is run.
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
from linpoint.explore.cpp.objects.asked import Asked, said_in
from linpoint.explore.cpp.objects.finding import cpp_finding
from linpoint.pytest_plugin import ResultItem, budget_of
from linpoint.subjects.cpp_object.build_tests import BuiltCppTest, build_tests
from linpoint.targets.build_error import BuildError
from linpoint.verdicts import replay_token

_DEFAULT_BUDGET_S: Final = 30.0
_NOT_CODE: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE
)
_TEST: Final = re.compile(r"\bLINPOINT_TEST\s*\(\s*([^,()\s]+)")


class CppFile(pytest.File):
    """A file of tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each ``LINPOINT_TEST``."""
        text = self.path.read_text(encoding="utf-8", errors="replace")
        code = _NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)
        for test in _TEST.finditer(code):
            yield CppTestItem.from_parent(self, name=test[1], line=code.count("\n", 0, test.start()))


class CppTestItem(ResultItem):
    """One test. Marks come from a ``conftest.py``, as for all tests that are not in Python."""

    def __init__(self, *, line: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.line = line
        self.test: BuiltCppTest | None = None

    def setup(self) -> None:
        """Build it; what cannot be built ends it here, as an error and not as a failure."""
        super().setup()
        # As seen from here, so that `linpoint replay` finds it.
        file = os.path.relpath(self.path)
        token = self.config.getoption("--linpoint-replay")
        try:
            asked = (
                self._asked().over(said_in(file)) if token is None else cpp_finding(replay_token.decode(token)).asked
            )
            (self.test,) = build_tests(file, self.name, asked)
        except BuildError as error:
            pytest.fail(f"{error}\n{error.output.decode(errors='replace')}".rstrip(), pytrace=False)
        except LinpointError as error:
            pytest.fail(str(error), pytrace=False)

    def runtest(self) -> None:
        """Test the object, or run one schedule again."""
        assert self.test is not None
        seconds = budget_of(self.config) or _DEFAULT_BUDGET_S
        token = self.config.getoption("--linpoint-replay")
        if token is None:
            result = run_campaign(self.test.subject, seconds)
        else:
            found = cpp_finding(replay_token.decode(token))
            subject, failure = self.test.replay_subject(found), self.test.failure(found)
            result = replay_finding(subject, failure, seconds, changed=self.test.has_changed_since(found))
        if result.interrupted:
            raise KeyboardInterrupt
        self.conclude(result)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test is, and its name."""
        return self.path, self.line, self.name

    def _asked(self) -> Asked:
        option = self.config.getoption
        return Asked(
            threads=option("--linpoint-threads"),
            operations=option("--linpoint-operations"),
            seed=option("--linpoint-seed"),
        )
