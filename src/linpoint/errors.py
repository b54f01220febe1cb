# SPDX-License-Identifier: Apache-2.0
"""Coded errors: the fact, its place, the nearest evidence, and a remedy.

Guarantee: every error that a user can provoke is a ``LinpointError`` with a code of ``CODES``. Each code has an anchor
in ``docs/reference/errors.md`` and a test.

    Exception
    └── LinpointError
        ├── HistoryError   LP-H...  the recorded history or its file
        ├── ModelError     LP-M...  a model in restricted Python
        ├── SpecError      LP-S...  the specification, its name, parameters or code
        ├── ResultError    LP-R...  the JSON document of a result
        ├── TestError      LP-T...  the definition of a test, or a scenario
        │                  LP-C...  a test of a persistent object, its workload or its probes
        ├── UsageError     LP-U...  options and arguments of a command or function
        ├── CertificateError  LP-V001  a verdict that failed its certification (a bug in linpoint)
        └── ViolationError / UndecidedError  raised by ``Verdict.raise_for_violation``
"""

from __future__ import annotations

CODES: dict[str, str] = {
    "LP-C001": "a file has no tests of persistent objects",
    "LP-C002": "a workload cannot be read",
    "LP-C003": "unknown kind of crash test",
    "LP-C004": "a probe cannot be run",
    "LP-H001": "the file cannot be read",
    "LP-H002": "a line or form cannot be parsed",
    "LP-H003": "a return without a call",
    "LP-H004": "a process calls while its previous operation is still open",
    "LP-H005": "an operation returns before its call",
    "LP-H006": "a field is missing",
    "LP-H007": "a field has a value that is not allowed",
    "LP-H008": "the input is empty",
    "LP-H009": "two formats are mixed in one file",
    "LP-H010": "the compressed data is truncated or corrupt",
    "LP-H011": "a value is nested too deeply, or a number is too large",
    "LP-H012": "a completion does not match its invocation",
    "LP-H013": "a complete operation spans a crash of its process",
    "LP-H014": "some operations have a key and some have none",
    "LP-H015": "the format is not recognised",
    "LP-H016": "a drawing cannot be read",
    "LP-H017": "the text is not UTF-8",
    "LP-H018": "two events have the same index",
    "LP-H019": "the format needs a library that is not installed",
    "LP-H020": "a call comes before an earlier watermark",
    "LP-M001": "the source of a model cannot be read",
    "LP-M002": "a model uses unsupported syntax",
    "LP-M003": "a name is unknown in a model",
    "LP-M004": "a cell is used as a value, or a value as a cell",
    "LP-M005": "a value has the wrong shape",
    "LP-M006": "a variable may have no value here",
    "LP-M007": "a method of a model calls itself",
    "LP-M008": "a call in a model is invalid",
    "LP-M009": "a parameter of an operation of a model has no valid values",
    "LP-M010": "a declaration of a model is invalid",
    "LP-M011": "an operation of a model is too large",
    "LP-M012": "a model has no operations",
    "LP-M013": "unknown constant of a model",
    "LP-M014": "a constant cannot be computed",
    "LP-M015": "a file of models cannot be loaded",
    "LP-M016": "unknown model",
    "LP-M017": "a model names no spec",
    "LP-M018": "unknown role of a model",
    "LP-M019": "a model marks no linearization points",
    "LP-M020": "a number is too large for a model",
    "LP-M021": "a model that is the specification lacks an operation",
    "LP-M022": "a model that is the specification fails itself",
    "LP-R001": "not a result of linpoint",
    "LP-S001": "unknown spec",
    "LP-S002": "unknown operation of a spec",
    "LP-S003": "an operation has the wrong number of arguments",
    "LP-S004": "an argument or parameter has a value the spec cannot take",
    "LP-S005": "a user's spec cannot be loaded",
    "LP-S006": "a user's spec raised an exception",
    "LP-S007": "a user's spec breaks the protocol of specs",
    "LP-S008": "a step of a user's spec changes the state that it is given",
    "LP-S009": "a user's spec gives different results for the same operations",
    "LP-T001": "a scenario cannot be read",
    "LP-T002": "a test has no operations",
    "LP-T003": "a test has no setup",
    "LP-T004": "a parameter has no values to draw from",
    "LP-T005": "a source of values is empty or infinite",
    "LP-T006": "unknown parameter of an operation",
    "LP-T007": "unknown operation",
    "LP-T008": "a call has the wrong number of arguments",
    "LP-T009": "a value is not JSON",
    "LP-T010": "a setting or method of a test is invalid",
    "LP-T011": "a strategy needs Hypothesis, which is not installed",
    "LP-T012": "an operation cannot have this name",
    "LP-T013": "a test cannot be created",
    "LP-T014": "setup raised an exception",
    "LP-T015": "a file of tests cannot be loaded",
    "LP-T016": "unknown test",
    "LP-T017": "the roles or values of a C++ test are invalid",
    "LP-T020": "all tool ids of sys.monitoring are in use",
    "LP-T021": "a lock that linpoint does not control is used",
    "LP-T022": "a thread does not respond",
    "LP-T023": "the backend does not support this interpreter",
    "LP-T024": "an operation cannot be stopped",
    "LP-T025": "the code under test uses an unsupported feature of its event loop",
    "LP-T026": "the code under test forks",
    "LP-T030": "a program cannot be loaded",
    "LP-T031": "this kind of program cannot be explored",
    "LP-T032": "programs in this language have a different memory model",
    "LP-T033": "a C++ program cannot be built",
    "LP-T034": "there is no C++ compiler",
    "LP-T035": "the host of C++ programs cannot be built",
    "LP-U001": "an option has a value that is not allowed",
    "LP-U002": "unknown checker",
    "LP-U003": "unknown condition",
    "LP-U004": "a replay token cannot be read",
    "LP-U005": "a file cannot be written",
    "LP-U006": "clocks do not determine the order of the history",
    "LP-U007": "this input cannot be checked while it grows",
    "LP-U008": "the spec has no precedence graph",
    "LP-U009": "the object under test cannot be created",
    "LP-U010": "a replay token names code or flags that tokens may not use",
    "LP-U011": "a limit was reached before the work was done",
    "LP-V001": "a verdict failed its own certification",
}


class LinpointError(Exception):
    """An error with a stable ``code``, a ``place`` (or None), a ``message`` with the fact, and a ``remedy``.

    ``str(error)`` is one line: ``CODE PLACE: MESSAGE REMEDY``.
    """

    def __init__(self, code: str, message: str, *, place: str | None = None, remedy: str = "") -> None:
        if code not in CODES:
            raise ValueError(f"unknown error code {code}")
        self.code = code
        self.message = message
        self.place = place
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.code} {self.place}:" if self.place else f"{self.code}:"
        return " ".join(part for part in (head, self.message, self.remedy) if part)

    def at(self, place: str) -> LinpointError:
        """The same error with ``place`` in front of its place, for layers that know the file's name."""
        where = f"{place}:{self.place}" if self.place else place
        return type(self)(self.code, self.message, place=where, remedy=self.remedy)

    def as_dict(self) -> dict[str, str | None]:
        """The error as in the JSON contract: code, place, message, remedy."""
        return {"code": self.code, "place": self.place, "message": self.message, "remedy": self.remedy}


class HistoryError(LinpointError):
    """The recorded history or its file is invalid."""


class ModelError(LinpointError):
    """A model uses something outside of restricted Python, or is inconsistent."""


class SpecError(LinpointError):
    """The spec, its name, its parameters or its code is wrong."""


class ResultError(LinpointError):
    """The input is not the JSON document of a result."""


class TestError(LinpointError):
    """The definition of a test is wrong, or the test cannot run a scenario."""

    __test__ = False  # pytest would collect a class with this name wherever it is imported


class UsageError(LinpointError):
    """An option or an argument is wrong."""


class CertificateError(LinpointError):
    """A verdict failed its independent certification: a bug in linpoint, never the user's."""


class ViolationError(AssertionError):
    """Raised by ``Verdict.raise_for_violation()`` for a violation; the message is the explanation."""


class UndecidedError(Exception):
    """Raised by ``Verdict.raise_for_violation()`` if the verdict is UNKNOWN, which never passes silently."""
