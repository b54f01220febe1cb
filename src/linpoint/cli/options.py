# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, with the texts of their ``--help``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Final

import typer

from linpoint.cli.output import standard_streams
from linpoint.errors import UsageError
from linpoint.histories.operation import Time
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
KeyedOption = Annotated[
    str | None,
    typer.Option(
        "--keyed",
        metavar="yes|no",
        help="Whether values of event formats are pairs of key and value. Default: look at them.",
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option("--columns", metavar="MAP", help="Columns of a table, as our field = its column: op=f,call=start."),
]
FormatOption = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="The format of the file. Default: look at its content.")
]
GraphOption = Annotated[
    str | None,
    typer.Option(
        "--graph",
        metavar="FILE",
        help="Write the precedence graph, pruned to what matters: .svg, .dot or .json. For mwcas and registers.",
    ),
]
ReportOption = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        help="Write the explanation as a page for a browser; over several files an overview, and pages beside it.",
    ),
]
JunitOption = Annotated[
    str | None,
    typer.Option("--junit", metavar="FILE.xml", help="Write JUnit XML: a suite for each file, a case for each key."),
]
GithubOption = Annotated[
    bool, typer.Option("--github", help="Print annotations for GitHub Actions, at the lines of the files.")
]
SummaryOption = Annotated[bool, typer.Option("--summary", help="Print one line for each file, and nothing else.")]

NO_VALUE: Final[Any] = object()
DEFAULT_BUDGET: Final = "30s"
"""Of commands that run code."""
BudgetOption = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Time for the whole command, such as 30s or 5m.")
]
GranularityOption = Annotated[
    str,
    typer.Option(
        "--granularity", metavar="NAME", help="Where threads may switch: at each shared access, line or opcode."
    ),
]
BackendOption = Annotated[
    str,
    typer.Option(
        "--backend", metavar="NAME", help="How shared accesses are seen: auto, native (in frames) or ast (rewritten)."
    ),
]

_UNITS: Final = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
"""What one unit of a file's times may be, in nanoseconds."""
_SPANS: Final = _UNITS | {"m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_SPAN: Final = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([a-z]*)\s*", re.ASCII)


def validate_name(option: str, given: str, known: Sequence[str]) -> None:
    """Refuse what is not one of the names that an option knows."""
    if given not in known:
        raise UsageError("LP-U001", f"{option} {given!r} is none.", remedy=f"It is one of {', '.join(known)}.")


def parse_keyed(text: str | None) -> bool | None:
    """``--keyed yes|no``."""
    if text is None:
        return None
    if text not in ("yes", "no"):
        raise UsageError(
            "LP-U001", f"--keyed {text!r} is neither yes nor no.", remedy="Write --keyed yes or --keyed no."
        )
    return text == "yes"


def parse_columns(text: str | None) -> dict[str, str] | None:
    """``--columns op=f,call=start``."""
    if text is None:
        return None
    columns = {}
    for pair in text.split(","):
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise UsageError(
                "LP-U001", f"--columns {text!r} is not a map.", remedy="Write it as --columns op=f,call=start."
            )
        columns[field.strip()] = column.strip()
    return columns


def parse_initial(text: str | None) -> Any:
    """``--initial JSON``; NO_VALUE when it was not given."""
    if text is None:
        return NO_VALUE
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(
            "LP-U001", f"--initial {text!r} is not JSON.", remedy="Strings need quotes: --initial '\"a\"'."
        ) from None


def parse_clock_skew(text: str | None, unit: str) -> Time:
    """``--clock-skew 5ms`` in units of ``--time-unit``; a bare number is in those units already. 0 if not given."""
    if unit not in _UNITS:
        raise UsageError(
            "LP-U001", f"--time-unit {unit!r} is not a unit of time.", remedy=f"Write one of {', '.join(_UNITS)}."
        )
    match = _SPAN.fullmatch("0" if text is None else text)
    if match is None or (match[2] and match[2] not in _SPANS):
        raise UsageError(
            "LP-U001",
            f"--clock-skew {text!r} is not a time span.",
            remedy="Write it as 500us, 5ms or 1s, or as a number in the unit of the file's times.",
        )
    amount = Fraction(match[1]) * (Fraction(_SPANS[match[2]], _UNITS[unit]) if match[2] else 1)
    return int(amount) if amount.denominator == 1 else float(amount)


def find_spec(text: str, initial: Any = NO_VALUE) -> Spec:
    """The spec that ``text`` names, with its first value. Its code may be the user's and print: stdout stays ours."""
    standard_streams.keep_stdout()
    return find(text) if initial is NO_VALUE else find(text, initial=initial)
