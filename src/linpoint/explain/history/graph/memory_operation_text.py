# SPDX-License-Identifier: Apache-2.0
"""Short and safe texts of operations on a memory: ``x: 0→1`` instead of ``[["x", 0, 1]]``.

A history is untrusted: the texts have no control characters and no unpaired surrogates, and their length is limited.
The writers of formats must escape quotes and brackets.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical, equal_values, format_value
from linpoint.text.terminal_text import ELLIPSIS, escape_controls

_MAX_CHARS: Final = 30
_MAX_FULL_CHARS: Final = 2_000


def clean(text: str, longest: int = _MAX_CHARS) -> str:
    """One line without invisible characters, shortened with an ellipsis if it is too long."""
    text = escape_controls(text[: 2 * longest])
    return text if len(text) <= longest else text[: longest - 1] + ELLIPSIS


def heading(position: int, op: Operation, *, name: str = "") -> str:
    """The first line of a vertex: its short name if it has one, position, operation, and whether it failed."""
    return clean(f"{name} #{position} {op.name}{_outcome(op)}".lstrip())


def detail(op: Operation) -> str:
    """The second line of a vertex: the observed and the written values."""
    text = _short(op)
    key = "" if op.key is None else f"[{format_value(op.key)}] "
    return clean(f"{key}{text}")


def full(op: Operation) -> str:
    """The complete operation, for tooltips."""
    end = "never" if op.return_ is None else f"at {op.return_}"
    line = "" if op.line is None else f", line {op.line}"
    text = f"{op}, by process {op.process}, called at {op.call}, returned {end}{line}"
    return clean(text, _MAX_FULL_CHARS)


def memory_words_of(op: Operation) -> set[Hashable]:
    """The words that an operation works on; a register is a word without a name."""
    cells = op.args[0] if len(op.args) == 1 and isinstance(op.args[0], tuple) else None
    if cells is None:
        return {None}
    return {canonical(cell[0] if isinstance(cell, tuple) and cell else cell) for cell in cells}


def _outcome(op: Operation) -> str:
    if op.outcome is Outcome.UNKNOWN:
        return " ?"
    name, result = _name(op), op.result
    if name not in ("cas", "mwcas") or result is True or result is None:
        return ""
    if result is False:
        return " failed"
    if isinstance(result, dict) and set(result) == {"at"}:
        return f" failed at {_word(result['at'])}"
    expected = _expected(op)
    return "" if expected is not None and equal_values(expected, result) else " failed"


def _name(op: Operation) -> str:
    return op.name.replace("_", "-")


def _short(op: Operation) -> str:
    """The notation of the paper for its operations, else the call."""
    known = op.outcome is Outcome.OK
    match _name(op), op.args:
        case "read", ():
            return f"= {format_value(op.result)}" if known else "= ?"
        case "write", (value,):
            return f":= {format_value(value)}"
        case "cas", (old, new):
            return f"{format_value(old)}→{format_value(new)}"
        case "swap", (new,):
            return f"{format_value(op.result) if known else '?'}→{format_value(new)}"
        case "read", (tuple() as words,):
            seen = _seen(op, len(words))
            return ", ".join(f"{_word(word)}={value}" for word, value in zip(words, seen, strict=True))
        case "mwcas", (tuple() as cells,) if _cells(cells, 3):
            return ", ".join(f"{_word(word)}: {format_value(old)}→{format_value(new)}" for word, old, new in cells)
        case "mwswap", (tuple() as cells,) if _cells(cells, 2):
            seen = _seen(op, len(cells))
            return ", ".join(
                f"{_word(word)}: {old}→{format_value(new)}" for (word, new), old in zip(cells, seen, strict=True)
            )
        case "mwwrite", (tuple() as cells,) if _cells(cells, 2):
            return ", ".join(f"{_word(word)}:={format_value(new)}" for word, new in cells)
    result = f" → {format_value(op.result)}" if known and op.result is not None else ""
    return f"({', '.join(map(format_value, op.args))}){result}"


def _cells(cells: tuple[Any, ...], size: int) -> bool:
    return all(isinstance(cell, tuple) and len(cell) == size for cell in cells)


def _expected(op: Operation) -> tuple[Value, ...] | None:
    cells = op.args[0] if len(op.args) == 1 else None
    return tuple(cell[1] for cell in cells) if isinstance(cells, tuple) and _cells(cells, 3) else None


def _seen(op: Operation, count: int) -> list[str]:
    result = op.result
    if op.outcome is not Outcome.OK or not isinstance(result, tuple) or len(result) != count:
        return ["?"] * count
    return [format_value(value) for value in result]


def _word(word: Value) -> str:
    return word if isinstance(word, str) else format_value(word)
