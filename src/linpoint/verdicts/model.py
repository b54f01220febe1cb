# SPDX-License-Identifier: Apache-2.0
"""What checking a model by refinement found: whoever explores it fills this in, whoever explains shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from linpoint.errors import UndecidedError, ViolationError
from linpoint.histories.values import Value
from linpoint.traces.trace import Trace
from linpoint.verdicts import replay_token
from linpoint.verdicts.program import Answer

if TYPE_CHECKING:
    from linpoint.explain.model.model_text import ModelText


@dataclass(frozen=True, slots=True)
class Survivor:
    """One way in which the spec may have gone along with a run: its state, and of each process what took effect."""

    state: Value
    pending: Mapping[int, str]
    """Operations that were called and have not taken effect, by process."""
    done: Mapping[int, tuple[str, Value]]
    """Operations that have taken effect and not returned, with their results."""


@dataclass(frozen=True, slots=True)
class ModelStep:
    """One step of a run: the positions of its parts in the trace, what changed, and what the spec allows then."""

    process: int
    first: int
    last: int
    changes: tuple[tuple[str, Value, Value], ...] = ()
    """Cells whose values changed: name, before, after."""
    survivors: tuple[Survivor, ...] = ()
    more_survivors: int = 0
    """How many there are that ``survivors`` leaves out."""
    memory: tuple[tuple[str, Value], ...] = field(default=(), repr=False)
    """All cells, and the fields of nodes that somebody can reach, after the step."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelFinding:
    """A run of a model that goes wrong. ``kind`` is a key of ``FAILURES``."""

    kind: str
    message: str
    """One sentence."""
    trace: Trace = field(repr=False)
    steps: tuple[ModelStep, ...] = field(default=(), repr=False)
    switches: int = 0
    """How often another process went on."""
    shortest: bool = True
    """No run with fewer steps goes wrong."""
    refused: str = ""
    """Why the spec refuses the last response, in a sentence; empty where it is not the spec that complains."""
    replay: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What a replay token holds."""
    allowed: tuple[Value, ...] = ()
    """The results that the spec would have allowed instead."""
    memory: tuple[tuple[str, Value], ...] = field(default=(), repr=False)
    """As that of a step, before the first one."""

    @property
    def length(self) -> int:
        """How many steps the run has."""
        return len(self.steps)

    @property
    def replay_words(self) -> list[str]:
        """The arguments that, after ``linpoint``, show it again; none if only its author's code can make the model."""
        return ["replay", replay_token.encode({"kind": "refine", **self.replay})] if self.replay.get("file") else []


@dataclass(frozen=True, slots=True)
class ModelExplored:
    """What was covered. ``depth`` is in steps; ``spec_sets`` counts what the spec allowed after different runs."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    bytes_per_state: float = 0.0
    spec_sets: int = 0

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON contract."""
        return {
            "seconds": round(self.seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "bytes_per_state": round(self.bytes_per_state, 1),
            "spec_sets": self.spec_sets,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ModelResult:
    """The answer for a model: three-valued, with what was covered and the finding, if there is one."""

    name: str
    answer: Answer
    exhaustive: bool
    """Every state within the bounds was reached and expanded."""
    why: str
    findings: tuple[ModelFinding, ...]
    explored: ModelExplored
    bounds: Mapping[str, Any] = field(default_factory=dict)
    """Processes, operations, and what else limits what was covered."""
    file: str | None = None
    spec: str = ""
    remedy: str = ""
    """For UNKNOWN: what to do about it."""
    warnings: tuple[str, ...] = ()
    interrupted: bool = False
    """By Ctrl-C, so that it is only what was known by then."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has three values: compare result.answer, or call result.raise_for_violation()")

    def explain(self) -> ModelText:
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


def _unregistered(_result: ModelResult) -> NoReturn:
    raise RuntimeError("import linpoint first")  # unreachable through the public package


_explainer: Callable[[ModelResult], ModelText] = _unregistered


def register_model_explainer(explainer: Callable[[ModelResult], ModelText]) -> None:
    """Tell results how to explain themselves; explanations live in a layer above this one."""
    global _explainer  # noqa: PLW0603 - set once, when the package is imported
    _explainer = explainer
