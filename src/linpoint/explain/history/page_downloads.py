# SPDX-License-Identifier: Apache-2.0
"""Downloads of a page: the minimal history as operation lines, and the explanation as JSON.

Guarantee: the operation lines alone are a violation under the command shown with them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.page_operations import in_violation
from linpoint.histories.formats.operation_lines import as_dicts
from linpoint.histories.operation import Operation, Time
from linpoint.text.shell_commands import check_argv, shell_command
from linpoint.verdicts import Pattern, Status

MINIMAL: Final = "minimal.jsonl"
_MAX_OPERATIONS: Final = 20_000
"""The number of operations, or thousands of characters of JSON, beyond which the history itself is better."""
_OF_THE_FILE: Final = ("--format", "--keyed", "--columns")
_OF_THE_OUTPUT: Final = ("--report", "--graph", "--until-idle")


def downloads(explanation: Explanation) -> list[dict[str, Any]]:
    """The files, each with its name, its type and its text."""
    files = []
    lines = minimal_lines(explanation)
    if lines:
        files.append({"name": MINIMAL, "type": "application/x-ndjson", "text": lines})
    text = json.dumps(explanation.as_dict(), default=repr)
    if len(text) <= _MAX_OPERATIONS * 1_000:
        files.append({"name": "explanation.json", "type": "application/json", "text": text})
    return files


def minimal_lines(explanation: Explanation) -> str:
    """The operations that alone are a violation, as operation lines; empty if there are none or too many."""
    positions = _alone(explanation)
    if not positions or len(positions) > _MAX_OPERATIONS:
        return ""
    # In the order of the file, which orders operations of one process at the same instant.
    part = explanation.verdict.history.select(sorted(positions))
    begin = min(op.call for op in part.operations)
    end = max(_last(op) for op in part.operations)
    lines = []
    for item in as_dicts(part):
        if "annotation" in item and not begin <= item.get("until", item["time"]) <= end:
            continue  # an annotation at another time does not explain the violation
        item.pop("times", None)
        lines.append(json.dumps(item))  # ASCII: an unpaired surrogate is written as an escape
    return "\n".join([*lines, ""])


def _alone(explanation: Explanation) -> Sequence[int]:
    if explanation.verdict.status is not Status.VIOLATION:
        return ()
    if explanation.precedence is not None and not explanation.precedence.certified:
        return ()  # the paper's rules may decide a part differently
    if not explanation.claims or explanation.claims_of("by-themselves"):
        return explanation.core
    key = in_violation(explanation)[0]
    return key.refutation.scope if isinstance(key.refutation, Pattern) else key.positions


def _last(op: Operation) -> Time:
    return op.call if op.return_ is None else op.return_


def minimal_command(explanation: Explanation, arguments: Sequence[str]) -> str:
    """The command that checks the minimal history: the options of the whole one, without those about its file."""
    verdict = explanation.verdict
    words = list(arguments)
    if not words:
        words = ["--spec", verdict.spec.name, "--condition", verdict.condition]
        words += (
            ["--clock-skew", format(Decimal(str(verdict.history.clock_skew)), "f")]
            if verdict.history.clock_skew
            else []
        )
    kept: list[str] = []
    skip = False
    for word in words:
        left_out = not skip and word in (*_OF_THE_FILE, *_OF_THE_OUTPUT)
        if not skip and not left_out:
            kept.append(word)
        skip = left_out
    return f"linpoint {shell_command(check_argv(MINIMAL, kept))}"
