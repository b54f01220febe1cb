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
        """Read a number, or a number for each role."""
        if text.strip().isascii() and text.strip().isdigit():
            return int(text) if len(text) < _MAX_DIGITS else 10**_MAX_DIGITS
        pairs = [each.partition("=") for each in text.split(",")]
        counts = {role.strip(): number.strip() for role, _, number in pairs}
        numbers = [each for each in counts.values() if each.isascii() and each.isdigit() and len(each) < _MAX_DIGITS]
        if len(numbers) < len(pairs) or "" in counts:
            raise self._refusal(text, name)
        return tuple((role, int(number)) for role, number in counts.items())

    def check(self, value: Any, name: str) -> ProcessCounts:
        """Accept a number, or a number for each role."""
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
        """The value as it is written on a command line."""
        return [str(value) if isinstance(value, int) else ",".join(f"{role}={number}" for role, number in value)]

    def to_json(self, value: Any) -> Any:
        """A number, or a map from roles to numbers."""
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
        """Read one constant."""
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
        """Read all constants that the options give."""
        return {key: value for text in texts for key, value in self.parse(text, name).items()}

    def check(self, value: Any, name: str) -> dict[str, Any]:
        """Accept a map from names to values."""
        if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value):
            raise UsageError("LP-U001", f"{name} {value!r} is not a map of constants.", remedy="Map names to values.")
        return dict(value)

    def words(self, value: Any) -> list[str]:
        """One word for each constant."""
        return [f"{name}={json.dumps(each, separators=(',', ':'))}" for name, each in value.items()]


@dataclass(frozen=True, kw_only=True)
class RefineOptions(LimitOptions, OutputOptions):
    """Options of ``linpoint refine``."""

    rules: ClassVar[tuple[Rule, ...]] = (Conflicts("progress", ("spec", "points", "simulate")),)
    description: ClassVar[str] = """\
Check a model of an algorithm against its spec, in every reachable state.

Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown. With several models the worst counts, in the order 2, 1,
3, 0.

Examples:
  # Check all models of a file
  linpoint refine treiber.py
  # Choose the spec and increase the bounds
  linpoint refine treiber.py:Treiber --spec stack --processes 3 --operations 2
  # Choose the number of processes of each role
  linpoint refine register.py --processes reader=2,writer=1 --operations 0
  # Reuse freed nodes, and write an HTML report
  linpoint refine treiber.py --heap free --operations 3 --report aba.html
  # Change a constant and the memory model
  linpoint refine peterson.py --memory-model tso --set fenced=true
  # Check a progress property
  linpoint refine lock.py --progress returns --fairness weak
  # Step through a model interactively
  linpoint refine array_queue.py --simulate
"""

    targets: tuple[str, ...] = argument(
        "FILE.py[:MODEL]...", Words(), "Python files of models; :MODEL selects one model.", default=()
    )
    spec: str | None = option(
        None,
        SpecName(),
        "Spec to check against: a built-in (see `linpoint specs`), FILE.py:Name or module:Name.",
        Panel.INPUT,
        on=CONFIG | Surface.TOKEN,
        short="-s",
        default_text="the model's own",
    )
    constants: dict[str, Any] | None = option(
        None,
        Constants(),
        "Set a constant of the model; may be repeated.",
        Panel.INPUT,
        flag="--set",
        on=Surface.TOKEN,
        default_text="the values in the model",
    )
    processes: ProcessCounts = option(
        2, Processes(), "Number of processes, or one number per role.", Panel.SEARCH, on=CONFIG | Surface.TOKEN
    )
    operations: int = option(
        2,
        WholeNumber(minimum=None),
        "Operations per process; 0 means unbounded, which requires a finite state space.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    memory_model: str = option(
        "sc",
        choice(MODEL_MEMORY_MODELS),
        "Memory model. sc: stores are visible immediately; tso: stores are buffered, as on x86.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    heap: str = option(
        "gc",
        choice(HEAPS),
        "Memory of nodes. gc: nodes are never reused; free: freed nodes are reused; counted: reused, with counted "
        "pointers.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    without: tuple[str, ...] = option(
        (),
        Choices(names=REDUCTIONS, noun="reduction"),
        f"Reductions to disable: {','.join(REDUCTIONS)}.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
        default_text="none",
    )
    points: bool = option(
        False,
        OnOff(),
        "Use the linearization points marked in the model, which needs far fewer states.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    compact: bool = option(
        False,
        OnOff(),
        "Store only hashes of states: less memory, but a tiny probability of missing a state.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
    )
    progress: str | None = option(
        None,
        choice(PROGRESS_PROPERTIES),
        "Check a progress property instead of the spec: deadlock-free, lock-free, obstruction-free or returns, where "
        "returns means that every call returns.",
        Panel.SEARCH,
        on=Surface.TOKEN,
        default_text="none",
    )
    fairness: str = option(
        "none",
        choice(FAIRNESS),
        "With --progress returns: none, weak or strong fairness.",
        Panel.SEARCH,
        on=Surface.TOKEN,
    )
    simulate: bool = option(False, OnOff(), "Step through the model interactively.", Panel.SEARCH, shown=False)
    budget: str | None = option(
        None,
        TimeSpan(),
        "Time limit of the whole command, such as 30s or 5m.",
        Panel.LIMITS,
        on=CONFIG,
        default_text="no limit",
    )
    jobs: int | None = option(
        None,
        WholeNumber(minimum=1),
        "Maximum number of threads.",
        Panel.LIMITS,
        on=CONFIG,
        short="-j",
        shown=False,
        default_text="one per processor",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "without", tuple(sorted(set(self.without))))

    def bounds(self) -> dict[str, Any]:
        """The bounds of the search, as results report them."""
        roles = {} if isinstance(self.processes, int) else dict(self.processes)
        count = self.processes if isinstance(self.processes, int) else sum(roles.values())
        given = {"operations": self.operations, "memory_model": self.memory_model}
        return {"processes": count, **({"roles": roles} if roles else {}), **given}
