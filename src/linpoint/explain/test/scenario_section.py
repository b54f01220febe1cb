# SPDX-License-Identifier: Apache-2.0
"""The scenario of a finding as tables: what each thread called and got, and what orders of the operations would give.

Guarantee: all calls and values are escaped text. It is plain HTML, so that it is there without a script and on paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.explain.pages.script_data import escaped
from linpoint.explain.test.result_text import allowed_told, outcome_told, parts_of, scenario_note, value_told
from linpoint.histories.values import one_line
from linpoint.verdicts.finding import Finding, Ran

_LONGEST: Final = 300
_MOST_ORDERS: Final = 8


def scenario_tables(finding: Finding) -> str:
    """The scenario, and beside it what orders give, where no result is wrong by itself."""
    if not finding.operations:
        return ""
    note = f'<span class="count">{escaped(scenario_note(finding).strip(" ()"))}</span>'
    left = f'<div><h2>The scenario {note}</h2><div class="scroll">{_scenario(finding)}</div></div>'
    if not finding.orders:
        return f'<div class="evidence one">{left}</div>'
    right = (
        '<div><h2>What it should give <span class="count">one operation after the other, in any order</span></h2>'
        f'<div class="scroll">{_orders(finding)}</div></div>'
    )
    return f'<div class="evidence">{left}{right}</div>'


def _scenario(finding: Finding) -> str:
    before, threads, after = parts_of(finding.operations)
    width = max(1, len(threads))
    head = "".join(f'<th scope="col">thread {thread + 1}</th>' for thread in threads)
    corner = "<td></td>" if before or after else ""
    rows = [_alone("before", each, finding, width) for each in before]
    rows += [f'<tr class="heads">{corner}{head}</tr>'] if threads else []
    for number in range(max(map(len, threads.values()), default=0)):
        cells = [
            _ran(column[number], finding) if number < len(column) else '<td class="none"></td>'
            for column in threads.values()
        ]
        rows.append(f"<tr>{corner}{''.join(cells)}</tr>")
    rows += [_alone("after", each, finding, width) for each in after]
    return f'<table class="scenario"><tbody>{"".join(rows)}</tbody></table>'


def _alone(when: str, each: Ran, finding: Finding, width: int) -> str:
    return f'<tr class="alone"><th scope="row">{when}</th>{_ran(each, finding, width)}</tr>'


def _ran(each: Ran, finding: Finding, width: int = 1) -> str:
    """An operation with its result; marked where that is impossible whatever the others do, or never came."""
    wrong = each.allowed is not None or (not each.returned and finding.kind != "crash")
    outcome = outcome_told(each, finding).replace("-> ", "→ ", 1)
    told = f'{_call(each)} <span class="outcome">{escaped(outcome)}</span>' if outcome else _call(each)
    allowed = f' <small class="allowed">{escaped(allowed_told(each))}</small>' if each.allowed is not None else ""
    span = f' colspan="{width}"' if width > 1 else ""
    return f"<td{span}{' class=wrong' if wrong else ''}>{told}{allowed}</td>"


def _call(each: Ran) -> str:
    return f"<code>{escaped(one_line(each.call), _LONGEST)}</code>"


def _orders(finding: Finding) -> str:
    """A row for what each kind of order gives, and one for what happened here."""
    calls = [each for each in finding.operations if each.thread is not None or each.after]
    head = "".join(
        f'<th scope="col"><small>{"after" if each.thread is None else f"thread {each.thread + 1}"}</small> {_call(each)}</th>'
        for each in calls
    )
    shown = finding.orders[:_MOST_ORDERS]
    rows = [_results("some order", [value_told(value) for value in results]) for results in shown]
    more = len(finding.orders) - len(shown)
    if more > 0:
        rows.append(f'<tr><td colspan="{len(calls) + 1}">... and {more:,} more</td></tr>')
    seen = [outcome_told(each, finding).removeprefix("-> ") for each in calls]
    rows.append(_results("here", seen, ' class="wrong"'))
    return (
        f'<table class="scenario"><thead><tr class="heads"><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _results(who: str, results: Sequence[str], kind: str = "") -> str:
    cells = "".join(f"<td><code>{escaped(text)}</code></td>" for text in results)
    return f'<tr{kind}><th scope="row">{who}</th>{cells}</tr>'
