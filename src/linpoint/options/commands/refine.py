# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint refine``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from linpoint.errors import UsageError
from linpoint.options.choices import FAIRNESS, HEAPS, MODEL_MEMORY_MODELS, PROGRESS_PROPERTIES, REDUCTIONS
from linpoint.options.commands.shared_options import LimitOptions, OutputOptions
from linpoint.options.option_types import Choices, OnOff, OptionType, SpecName, TimeSpan, WholeNumber, Words, choice
from linpoint.options.rules import Conflicts, Rule
from linpoint.options.schema import CONFIG, Panel, Surface, argument, option

ProcessCounts = int | tuple[tuple[str, int], ...]
_MAX_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Processes(OptionType):
    """A number of processes, or one for each role: ``reader=2,writer=1``."""

    metavar: str = "N|ROLE=N,..."

    def parse(self, text: str, name: str) -> ProcessCounts:
        """The numbers in a text."""
        if text.strip().isascii() and text.strip().isdigit():
            return int(text) if len(text) < _MAX_DIGITS else 10**_MAX_DIGITS
        pairs = [each.partition("=") for each in text.split(",")]
        counts = {role.strip(): number.strip() for role, _, number in pairs}
        numbers = [each for each in counts.values() if each.isascii() and each.isdigit() and len(each) < _MAX_DIGITS]
        if len(numbers) < len(pairs) or "" in counts:
            raise self._refusal(text, name)
        return tuple((role, int(number)) for role, number in counts.items())

    def check(self, value: Any, name: str) -> ProcessCounts:
        """A number, or a number for each role."""
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        pairs = tuple(value.items()) if isinstance(value, Mapping) else value
        if not isinstance(pairs, Sequence) or isinstance(pairs, str):
            raise self._refusal(value, name)
        found = tuple(tuple(each) for each in pairs)
        if not all(len(each) == 2 and isinstance(each[0], str) and type(each[1]) is int for each in found):
            raise self._refusal(value, name)
        return found

    def words(self, value: Any) -> list[str]:
        """As on a command line."""
        return [str(value) if isinstance(value, int) else ",".join(f"{role}={number}" for role, number in value)]

    def to_json(self, value: Any) -> Any:
        """A number, or a map from roles."""
        return value if isinstance(value, int) else dict(value)

    def _refusal(self, value: Any, name: str) -> UsageError:
        remedy = f"Write {name} 3, or a number for each role: {name} reader=2,writer=1."
        return UsageError("LP-U001", f"{name} {value!r} is not a number of processes.", remedy=remedy)


@dataclass(frozen=True, slots=True)
class Constants(OptionType):
    """Constants of a model by name; on a command line ``NAME=JSON``, which may be repeated."""

    metavar: str = "NAME=JSON"
    many: ClassVar[bool] = True

    def parse(self, text: str, name: str) -> dict[str, Any]:
        """One constant."""
        constant, equals, value = text.partition("=")
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            equals = ""
        if not equals or not constant.strip().isidentifier():
            raise UsageError(
                "LP-U001",
                f"{name} {text!r} is not NAME=JSON.",
                remedy=f"Write it as {name} repaired=true or {name} size=3; strings need quotes: {name} 'mode=\"fast\"'.",
            )
        return {constant.strip(): found}

    def parse_all(self, texts: Sequence[str], name: str) -> dict[str, Any]:
        """All of them."""
        return {key: value for text in texts for key, value in self.parse(text, name).items()}

    def check(self, value: Any, name: str) -> dict[str, Any]:
        """A map from names to values."""
        if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value):
            raise UsageError("LP-U001", f"{name} {value!r} is not a map of constants.", remedy="Map names to values.")
        return dict(value)

    def words(self, value: Any) -> list[str]:
        """A word for each constant."""
        return [f"{name}={json.dumps(each, separators=(',', ':'))}" for name, each in value.items()]


@dataclass(frozen=True, kw_only=True)
class RefineOptions(LimitOptions, OutputOptions):
    """How models are checked."""

    rules: ClassVar[tuple[Rule, ...]] = (Conflicts("progress", ("spec", "points", "simulate")),)
    description: ClassVar[str] = """\
Check models of algorithms against their specs, in every reachable state.

Exit code: 0 holds, 1 violation, 2 bad input, 3 unknown; over several models the worst.

Examples:
  linpoint refine treiber.py
  linpoint refine treiber.py:Treiber --spec stack --processes 3 --operations 2
  linpoint refine register.py --processes reader=2,writer=1 --operations 0
  linpoint refine treiber.py --heap free --operations 3 --report aba.html
  linpoint refine peterson.py --memory-model tso --set fenced=true
  linpoint refine lock.py --progress returns --fairness weak
  linpoint refine array_queue.py --simulate
"""

    targets: tuple[str, ...] = argument(
        "FILE.py[:MODEL]...", Words(), "Python files of models; a single model with :MODEL.", default=()
    )
    spec: str | None = option(
        None, SpecName(), "Check against this spec instead of the model's own.", Panel.INPUT,
        on=CONFIG | Surface.TOKEN, short="-s",
    )  # fmt: skip
    constants: dict[str, Any] | None = option(
        None,
        Constants(),
        "Give a constant of the model another value; may be repeated.",
        Panel.INPUT,
        flag="--set",
        on=Surface.TOKEN,
    )
    processes: ProcessCounts = option(
        2, Processes(), "Number of processes, or of processes per role.", Panel.SEARCH, on=CONFIG | Surface.TOKEN
    )
    operations: int = option(
        2,
        WholeNumber(minimum=None),
        "Operations per process; 0 = unbounded (requires a finite state space).",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    memory_model: str = option(
        "sc",
        choice(MODEL_MEMORY_MODELS),
        "sc (stores are visible immediately) or tso (as x86).",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    heap: str = option(
        "gc",
        choice(HEAPS),
        "gc (nodes are never reused), free (freed nodes are reused) or counted (reused, with counted pointers).",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    without: tuple[str, ...] = option(
        (),
        Choices(names=REDUCTIONS, noun="reduction"),
        f"Switch reductions off: {','.join(REDUCTIONS)}.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    points: bool = option(
        False,
        OnOff(),
        "Use the linearization points marked in the model: far fewer states.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    compact: bool = option(
        False,
        OnOff(),
        "Store only hashes of states: less memory, a tiny probability of missing a state.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    progress: str | None = option(
        None,
        choice(PROGRESS_PROPERTIES),
        "Check a progress property instead of the spec: deadlock-free, lock-free, obstruction-free, or returns "
        "(every call returns).",
        Panel.SEARCH,
        on=Surface.TOKEN,
    )
    fairness: str = option(
        "none", choice(FAIRNESS), "With --progress returns: none, weak or strong.", Panel.SEARCH, on=Surface.TOKEN
    )
    simulate: bool = option(
        False, OnOff(), "Step through the model by hand: choose the next step, undo, jump.", Panel.SEARCH, shown=False
    )
    budget: str | None = option(
        None,
        TimeSpan(),
        "Time for the whole command, such as 30s.",
        Panel.LIMITS,
        on=CONFIG,
        default_text="no limit",
    )
    jobs: int | None = option(
        None,
        WholeNumber(minimum=1),
        "Number of threads.",
        Panel.LIMITS,
        on=CONFIG,
        short="-j",
        shown=False,
        default_text="all processors",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "without", tuple(sorted(set(self.without))))

    def bounds(self) -> dict[str, Any]:
        """The bounds of the search."""
        roles = {} if isinstance(self.processes, int) else dict(self.processes)
        count = self.processes if isinstance(self.processes, int) else sum(roles.values())
        given = {"operations": self.operations, "memory_model": self.memory_model}
        return {"processes": count, **({"roles": roles} if roles else {}), **given}
