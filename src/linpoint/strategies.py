# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for scenarios, for users who write their own ``@given`` tests.

Guarantee: every example is a scenario that the test can run, and examples shrink towards few threads, few operations,
and few and simple arguments. Importing this module does not import Hypothesis.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Final

from linpoint.scenarios.argument_sources import ArgumentSource, require_hypothesis
from linpoint.scenarios.concurrent_test import ConcurrentTest, ConcurrentTestDefinition, definition_of
from linpoint.scenarios.json_arguments import json_value
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.setting_validation import check_number
from linpoint.scenarios.tested_operation import TestedOperation

if TYPE_CHECKING:  # an optional dependency
    from hypothesis.strategies import SearchStrategy

_MAX_LISTED_CALLS: Final = 1_000
"""Maximum number of calls of one operation that are listed."""


def scenarios(
    test: type[ConcurrentTest] | ConcurrentTestDefinition,
    *,
    threads: int | None = None,
    operations: int | None = None,
    before: int | None = None,
    after: int | None = None,
) -> SearchStrategy[Scenario]:
    """A strategy of scenarios for ``test``: one to ``threads`` threads of one to ``operations`` operations each.

    At most ``before`` and ``after`` operations run alone. Bounds that are not given are those of the test. Arguments
    are drawn from the complete strategies of the test, not only from the few values that other engines enumerate.
    """
    require_hypothesis("linpoint.strategies")
    from hypothesis import strategies as st  # noqa: PLC0415 - an optional dependency, imported only on use

    definition = test if isinstance(test, ConcurrentTestDefinition) else definition_of(test)
    bounds = {
        "threads": (1, definition.threads if threads is None else threads),
        "operations": (1, definition.operations_per_thread if operations is None else operations),
        "before": (0, definition.before if before is None else before),
        "after": (0, definition.after if after is None else after),
    }
    for name, (least, most) in bounds.items():
        check_number(definition.name, name, most, least)
    # Examples shrink to the first alternative and to fewer choices, so both should contain the same operation.
    by_arguments = sorted(definition.operations.values(), key=lambda each: len(each.parameters))
    call = st.one_of(*(_calls(st, each, at) for at, each in enumerate(by_arguments, 1)))

    def sequences(name: str) -> SearchStrategy[list[Call]]:
        least, most = bounds[name]
        return st.lists(call, min_size=least, max_size=most)

    least, most = bounds["threads"]
    return st.builds(
        Scenario,
        threads=st.lists(sequences("operations"), min_size=least, max_size=most),
        before=sequences("before"),
        after=sequences("after"),
    )


def _calls(st: Any, operation: TestedOperation, number: int) -> SearchStrategy[Call]:
    """Calls of an operation, as one choice for each call where they can be listed.

    Hypothesis shrinks equal choices together. Two threads that need the same key both reach the simplest one only if no
    other choice has the same number as that key, in particular not the number of the operation. Each operation
    therefore has numbers of its own.
    """
    pools = [source.values for source in operation.sources if source.strategy is None]
    count = math.prod(map(len, pools))
    if len(pools) == len(operation.sources) and 1 < count <= _MAX_LISTED_CALLS:
        listed = list(itertools.product(*pools))
        first = number * _MAX_LISTED_CALLS
        chosen: SearchStrategy[int] = st.integers(first, first + count - 1)
        return chosen.map(lambda choice: Call(operation.name, listed[choice - first]))
    values = (_values(st, operation, at) for at in range(len(operation.sources)))
    made: SearchStrategy[Call] = st.builds(Call, st.just(operation.name), st.tuples(*values))
    return made


def _values(st: Any, operation: TestedOperation, at: int) -> SearchStrategy[Any]:
    source: ArgumentSource = operation.sources[at]
    if source.strategy is None:
        made: SearchStrategy[Any] = st.sampled_from(source.values)
        return made
    what = f'a value of "{operation.parameters[at]}" of {operation.name}'
    drawn: SearchStrategy[Any] = source.strategy
    return drawn.map(lambda value: json_value(value, place=operation.place, what=what))
