# SPDX-License-Identifier: Apache-2.0
"""What testing crashes of a persistent object found: whoever tests fills this in, whoever explains shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from linpoint.errors import UndecidedError, ViolationError
from linpoint.histories.values import Value
from linpoint.traces.trace import SourcePlace
from linpoint.verdicts import replay_token
from linpoint.verdicts.program import Answer
from linpoint.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from linpoint.explain.crash.crash_text import CrashText


@dataclass(frozen=True, slots=True)
class StoreShown:
    """A store to persistent memory around a crash."""

    place: SourcePlace | None
    name: str | None
    """What it stores to, as the line of source calls it."""
    address: int
    size: int
    value: str
    """In hexadecimal digits, as in memory."""
    line: int
    """The address of its cache line."""
    kind: str
    operation: str
    """The call that it is of."""
    thread: int
    persisted: bool
    """It certainly was persistent."""
    kept: bool
    """It is in the crash state; what is not was lost."""
    role: str = ""
    """``cause`` is to be made durable, ``also`` too, ``before`` what must wait for it, ``unrecovered`` what was not undone, ``sync``
    the one that was tested."""


@dataclass(frozen=True, slots=True)
class Done:
    """An operation around a crash."""

    call: str
    when: str
    """``before`` the crash, ``open`` at it, ``beside`` what was open, or a probe ``after`` it."""
    returned: bool
    result: Value = None
    allowed: tuple[Value, ...] | None = None
    """What the spec would have allowed, where it does not allow the result; else None."""


@dataclass(frozen=True, slots=True, eq=False)
class CrashFinding:
    """A crash that the object does not survive, or what went wrong without any. ``kind`` is that of the contract."""

    kind: str
    message: str
    """One sentence."""
    classes: tuple[str, ...] = ()
    place: SourcePlace | None = None
    """The store to make durable; for other kinds, where it went wrong."""
    violates: tuple[str, ...] = ()
    """Conditions."""
    remedy: str = ""
    proven: bool = False
    """With the store made durable, the same crash is survived."""
    count: int = 1
    """Crash states that were found to have this cause."""
    operations: tuple[Done, ...] = ()
    stores: tuple[StoreShown, ...] = field(default=(), repr=False)
    verdict: Verdict | None = field(default=None, repr=False)
    """Of the history, where there is one."""
    minimal: bool = True
    """No operation of the workload can be left out."""
    replay: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What a replay token holds."""

    @property
    def replay_words(self) -> list[str]:
        """The arguments that, after ``linpoint``, show it again."""
        return ["replay", replay_token.encode({"kind": "crash", **self.replay})] if self.replay.get("file") else []


@dataclass(frozen=True, slots=True)
class Needless:
    """A flush or a fence that changes nothing, as often as it was run."""

    kind: str
    place: SourcePlace | None
    count: int


@dataclass(frozen=True, slots=True)
class CrashTested:
    """What was covered."""

    operations: int = 0
    tests: Mapping[str, int] = field(default_factory=dict)
    """By kind."""
    schedules: int = 0
    """Of two operations at the same time."""
    infeasible: int = 0
    duplicates: int = 0
    """Crash states that were like another one, and not tested again."""
    retests: int = 0
    judgements: int = 0
    stores: int = 0
    flushes: int = 0
    fences: int = 0
    allocations: int = 0
    points: Mapping[str, int] = field(default_factory=dict)
    edges: int = 0
    probes: int = 0
    seconds: float = 0.0
    testing_seconds: float = 0.0
    """Of them, how long crashes were tested."""
    peak_memory_bytes: int = 0

    @property
    def crash_tests(self) -> int:
        """Of all kinds."""
        return sum(self.tests.values())

    @property
    def rate(self) -> float:
        """Tests a second."""
        return self.crash_tests / self.testing_seconds if self.testing_seconds > 0 else 0.0

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON contract."""
        return {
            "seconds": round(self.seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "operations": self.operations,
            "schedules": self.schedules,
            "crash_tests": self.crash_tests,
            "crash_tests_by_kind": dict(self.tests),
            "crash_tests_a_second": round(self.rate, 1),
            "duplicates": self.duplicates,
            "retests": self.retests,
            "infeasible_schedules": self.infeasible,
            "judgements": self.judgements,
            "probes": self.probes,
            "stores": self.stores,
            "flushes": self.flushes,
            "fences": self.fences,
            "allocations": self.allocations,
            "points": dict(self.points),
            "edges": self.edges,
        }


@dataclass(frozen=True, slots=True, eq=False)
class CrashResult:
    """The answer for a persistent object: three-valued, with what was covered and the findings."""

    name: str
    answer: Answer
    exhaustive: bool
    """Every crash state of the workload was tested, as far as recovery and probes can tell them apart."""
    why: str
    findings: tuple[CrashFinding, ...]
    tested: CrashTested
    spec: str = ""
    condition: str = "strict"
    bounds: Mapping[str, Any] = field(default_factory=dict)
    """Kinds of tests, persistency, and what else limits what was covered."""
    advice: tuple[Needless, ...] = ()
    warnings: tuple[str, ...] = ()
    """Why a pass proves less."""
    file: str | None = None
    interrupted: bool = False
    """By Ctrl-C, so that it is only what was known by then."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has three values: compare result.answer, or call result.raise_for_violation()")

    def explain(self) -> CrashText:
        """The result in words, as JSON and as a page."""
        return _explainer(self)

    def raise_for_violation(self) -> None:
        """Raise ``ViolationError`` for a violation and ``UndecidedError`` for UNKNOWN; else return."""
        __tracebackhide__ = True  # pytest shows the line that asked
        if self.answer is Answer.VIOLATION:
            words = self.findings[0].replay_words
            again = f"\nShow it again: {' '.join(('linpoint', *words))}" if words else ""
            raise ViolationError(f"{self.explain().text}{again}")
        if self.answer is Answer.UNKNOWN:
            raise UndecidedError(f"not decided: {self.why}")


def _unregistered(_result: CrashResult) -> NoReturn:
    raise RuntimeError("import linpoint first")  # unreachable through the public package


_explainer: Callable[[CrashResult], CrashText] = _unregistered


def register_crash_explainer(explainer: Callable[[CrashResult], CrashText]) -> None:
    """Tell results how to explain themselves; explanations live in a layer above this one."""
    global _explainer  # noqa: PLW0603 - set once, when the package is imported
    _explainer = explainer
