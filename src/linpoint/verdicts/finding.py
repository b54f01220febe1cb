# SPDX-License-Identifier: Apache-2.0
"""What running code found: a failure with the smallest scenario that shows it, its schedule and its trace.

Whoever runs code makes findings, and whoever explains shows them; they meet here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from linpoint.errors import UndecidedError, ViolationError
from linpoint.histories.values import Value
from linpoint.traces.trace import Trace
from linpoint.verdicts import replay_token
from linpoint.verdicts.verdict import Status, Verdict

if TYPE_CHECKING:  # a name of another layer, for types alone
    from linpoint.explain.test.result_text import ResultText


@dataclass(frozen=True, slots=True)
class Ran:
    """One operation of a scenario as it ran: ``call`` as text, its ``result``, and what some order would have allowed."""

    thread: int | None
    """Its thread, from 0; None for what ran alone, before or after the threads."""
    call: str
    returned: bool
    """False for one that never came back."""
    result: Value = None
    allowed: tuple[Value, ...] | None = None
    """The results that some order of the operations gives it, where the one it had is not among them; else None."""
    after: bool = False
    """It ran alone, after the threads."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A failure of the code under test. ``kind`` is a key of ``FAILURES``."""

    kind: str
    message: str
    """One sentence."""
    operations: tuple[Ran, ...]
    scenario: str
    """As text, for people and for ``--scenario``."""
    schedule: tuple[tuple[int, int], ...]
    """Where the schedule departs from the default: steps and the threads that go on there."""
    preemptions: int
    trace: Trace | None = field(repr=False)
    verdict: Verdict | None = field(default=None, repr=False)
    """Of the history, where there is one."""
    orders: tuple[tuple[Value, ...], ...] = ()
    """The results of the threads' operations, then of those after them, that orders give, where it is their combination
    that none gives."""
    minimal: bool = True
    """No thread, operation or preemption can be left out, and no argument made simpler."""
    replay: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What a replay token holds."""
    advice: tuple[str, ...] = ()
    """Sentences on how to mend it, where that was found out."""

    @property
    def token(self) -> str:
        """The finding as one word, which shows it again."""
        return replay_token.encode({"kind": "test", **self.replay})

    @property
    def replay_words(self) -> list[str]:
        """The arguments that, after ``linpoint``, show it again; none if only its author's code can make the test."""
        return ["replay", self.token] if self.replay.get("file") else []


@dataclass(frozen=True, slots=True)
class Explored:
    """What was covered. ``schedules`` are runs of searches without a bound."""

    bounded_schedules: int = 0
    schedules: int = 0
    steps: int = 0
    seconds: float = 0.0
    peak_memory_bytes: int = 0

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON contract."""
        return {
            "seconds": round(self.seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "bounded_schedules": self.bounded_schedules,
            "schedules": self.schedules,
            "steps": self.steps,
        }


@dataclass(frozen=True, slots=True)
class Tested(Explored):
    """What was covered of a test."""

    scenarios: int = 0

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON contract."""
        return {**Explored.as_dict(self), "scenarios": self.scenarios}


@dataclass(frozen=True, slots=True, eq=False)
class TestResult:
    """The answer of a test: three-valued, with what was covered and the findings."""

    __test__ = False  # for pytest, which would collect it

    name: str
    status: Status
    exhaustive: bool
    """Every schedule of every scenario within the bounds was explored."""
    why: str
    findings: tuple[Finding, ...]
    models: Mapping[str, Status]
    """The verdict for each model: ``free-threaded``, which decides, and ``gil``."""
    tested: Tested
    bounds: Mapping[str, int]
    warnings: tuple[str, ...] = ()
    file: str | None = None
    interrupted: bool = False
    """By Ctrl-C, so that it is only what was known by then."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has three values: compare result.status, or call result.raise_for_violation()")

    def explain(self) -> ResultText:
        """The result in words."""
        return _explainer(self)

    def raise_for_violation(self) -> None:
        """Raise ``ViolationError`` for a violation and ``UndecidedError`` for UNKNOWN; else return."""
        __tracebackhide__ = True  # pytest shows the line that asked
        if self.status is Status.VIOLATION:
            raise ViolationError(f"{self.explain().text}\nShow it again: {self._command()}")
        if self.status is Status.UNKNOWN:
            raise UndecidedError(f"not decided: {self.why}")

    def _command(self) -> str:
        """What shows the first finding again."""
        found = self.findings[0]
        return " ".join(("linpoint", *found.replay_words)) if found.replay_words else f'replay="{found.token}"'


def _unregistered(_result: TestResult) -> NoReturn:
    raise RuntimeError("import linpoint first")  # unreachable through the public package


_explainer: Callable[[TestResult], ResultText] = _unregistered


def register_result_explainer(explainer: Callable[[TestResult], ResultText]) -> None:
    """Tell results how to explain themselves; explanations live in a layer above this one."""
    global _explainer  # noqa: PLW0603 - set once, when the package is imported
    _explainer = explainer
