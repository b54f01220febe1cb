# SPDX-License-Identifier: Apache-2.0
"""The scenario of a finding as tables: the calls and results of each thread, and the results of valid orders.

``templates/test.html`` shows them as plain HTML, so that they need no script and print on paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from linpoint.explain.test.result_text import allowed_text, outcome_text, parts_of, scenario_note
from linpoint.explain.wording.value_text import fit_value
from linpoint.text.phrases import one_line
from linpoint.verdicts.evidence import ShownOperation
from linpoint.verdicts.finding import Finding

_MAX_ORDERS: Final = 8


@dataclass(frozen=True, slots=True)
class ShownCall:
    """An operation with its result, which is wrong if it is impossible in every order or missing."""

    call: str
    outcome: str
    allowed: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class OrderColumn:
    """The heading of an operation's column in the table of orders."""

    thread: str
    call: str


@dataclass(frozen=True, slots=True)
class ScenarioTables:
    """The scenario, and the results of some orders if no result is wrong by itself."""

    note: str
    threads: tuple[str, ...]
    before: tuple[ShownCall, ...]
    rows: tuple[tuple[ShownCall | None, ...], ...]
    """For each row, the call of each thread, or None."""
    after: tuple[ShownCall, ...]
    order_columns: tuple[OrderColumn, ...]
    orders: tuple[tuple[str, ...], ...]
    more_orders: int
    seen: tuple[str, ...]
    """The results of the failing run."""


def scenario_tables(finding: Finding) -> ScenarioTables | None:
    """The tables of a finding that has operations."""
    if not finding.operations:
        return None
    before, threads, after = parts_of(finding.operations)
    columns = [[_shown(each, finding) for each in column] for column in threads.values()]
    ordered = [each for each in finding.operations if each.thread is not None or each.after]
    shown = finding.orders[:_MAX_ORDERS]
    return ScenarioTables(
        scenario_note(finding).strip(" ()"),
        tuple(f"thread {thread + 1}" for thread in threads),
        tuple(_shown(each, finding) for each in before),
        tuple(zip_longest(*columns)),
        tuple(_shown(each, finding) for each in after),
        tuple(
            OrderColumn("after" if each.thread is None else f"thread {each.thread + 1}", one_line(each.call))
            for each in ordered
        ),
        tuple(tuple(map(fit_value, results)) for results in shown),
        len(finding.orders) - len(shown),
        tuple(outcome_text(each, finding).removeprefix("-> ") for each in ordered),
    )


def _shown(each: ShownOperation, finding: Finding) -> ShownCall:
    return ShownCall(
        one_line(each.call),
        outcome_text(each, finding).replace("-> ", "→ ", 1),
        "" if each.allowed is None else allowed_text(each),
        each.allowed is not None or (not each.returned and finding.kind != "crash"),
    )
