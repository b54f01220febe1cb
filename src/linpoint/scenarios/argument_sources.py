# SPDX-License-Identifier: Apache-2.0
"""Values for the parameters of operations: all values of an iterable, or the simplest ones of a Hypothesis strategy.

Guarantee: an ``ArgumentSource`` has at least one value. Its values are JSON, and no two are equal for linpoint. The
same source gives the same values in the same order in every run. Hypothesis is imported only when a strategy is given.

Cost: O(values) for an iterable. For a strategy, one Hypothesis search for each of at most ``STRATEGY_SAMPLE_SIZE``
values, about a tenth of a second for numbers and short text.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, overload

from linpoint.errors import TestError
from linpoint.histories.values import Value, canonical, format_value
from linpoint.scenarios.json_arguments import json_value

STRATEGY_SAMPLE_SIZE: Final = 16
"""The number of values of a strategy that are used when scenarios are enumerated or shrunk."""

MAX_ITERABLE_VALUES: Final = 10_000
"""The maximum length of an iterable. A longer one is taken to be infinite."""


@dataclass(frozen=True, slots=True)
class ArgumentSource(Sequence[Value]):
    """The values of one parameter, simplest first, and the strategy that they come from, if any."""

    values: tuple[Value, ...]
    strategy: Any = field(default=None, compare=False)

    def rank(self, value: Value) -> int:
        """The number of simpler values. A value outside the source is less simple than all values in it."""
        wanted = canonical(value)
        return next((n for n, each in enumerate(self.values) if canonical(each) == wanted), len(self.values))

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Value]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.values[index]


def source_of(given: Any, *, place: str | None = None, what: str = "a parameter") -> ArgumentSource:
    """Convert ``given`` to a source: a strategy, a finite iterable, or a source.

    ``what`` and ``place`` describe the owner of the values in LP-T005, LP-T009 and LP-T011.
    """
    if isinstance(given, ArgumentSource):
        return given
    if is_strategy(given):
        return ArgumentSource(_simplest(given, place, what), given)
    return ArgumentSource(_taken(given, place, what))


def is_strategy(given: Any) -> bool:
    """Whether ``given`` is a Hypothesis strategy. Does not import Hypothesis."""
    return any(
        kind.__name__ == "SearchStrategy" and kind.__module__.startswith("hypothesis.") for kind in type(given).__mro__
    )


def require_hypothesis(what: str, *, place: str | None = None) -> Any:
    """Import the module ``hypothesis``, or raise LP-T011, which states that ``what`` needs it."""
    try:
        import hypothesis  # noqa: PLC0415 - an optional dependency, imported only for strategies
    except ImportError:
        raise TestError(
            "LP-T011",
            f"{what} needs Hypothesis, which is not installed.",
            place=place,
            remedy="Run pip install linpoint[hypothesis], or pass a list of values.",
        ) from None
    return hypothesis


def _taken(given: Any, place: str | None, what: str) -> tuple[Value, ...]:
    if not isinstance(given, Iterable):
        raise TestError(
            "LP-T005",
            f"{what} gets {given!r}, which is not a source of values.",
            place=place,
            remedy="Use a list, a string, a range, or a Hypothesis strategy (with its parentheses: st.integers()).",
        )
    try:
        values = list(islice(given, MAX_ITERABLE_VALUES + 1))
    except Exception as error:
        raise TestError(
            "LP-T005",
            f"the values of {what} cannot be read: {type(error).__name__}: {error}.",
            place=place,
            remedy="Use a list.",
        ) from error
    if len(values) > MAX_ITERABLE_VALUES:
        raise TestError(
            "LP-T005",
            f"{what} has too many values: more than {MAX_ITERABLE_VALUES:,}.",
            place=place,
            remedy="Use a few values; small scenarios collide on them more often.",
        )
    distinct: dict[Hashable, Value] = {}
    for value in values:
        admitted = json_value(value, place=place, what=f"a value of {what}")
        distinct.setdefault(canonical(admitted), admitted)
    if not distinct:
        raise TestError("LP-T005", f"{what} gets no values.", place=place, remedy="Add at least one.")
    if isinstance(given, AbstractSet):  # the order of a set differs between runs, and a finding must be replayable
        return tuple(sorted(distinct.values(), key=lambda value: (len(format_value(value)), format_value(value))))
    return tuple(distinct.values())


def _simplest(strategy: Any, place: str | None, what: str) -> tuple[Value, ...]:
    """The values to which Hypothesis shrinks when it may not use the simpler ones."""
    hypothesis = require_hypothesis(f"the strategy of {what}", place=place)
    settings = hypothesis.settings(
        max_examples=200,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
    distinct: dict[Hashable, Value] = {}

    def is_new(value: Any) -> bool:
        return canonical(json_value(value, place=place, what=f"a value of {what}")) not in distinct

    def fill_pool() -> None:
        with contextlib.suppress(hypothesis.errors.NoSuchExample, hypothesis.errors.Unsatisfiable):
            while len(distinct) < STRATEGY_SAMPLE_SIZE:
                generator = random.Random(0)  # noqa: S311 - examples, not secrets
                found = json_value(hypothesis.find(strategy, is_new, settings=settings, random=generator))
                distinct[canonical(found)] = found

    # On a separate thread, because Hypothesis refuses to search while the test of this thread is one of its own.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(fill_pool).result()
    if not distinct:
        raise TestError(
            "LP-T005",
            f"the strategy of {what} produces no values.",
            place=place,
            remedy="Loosen its filters; st.nothing() has no values.",
        )
    return tuple(distinct.values())
