# SPDX-License-Identifier: Apache-2.0
"""Converts the values of events to arguments and results, by the name of the operation.

An event format has one value in the invocation and one in the completion, and their use depends on the operation: the
completion of a write repeats the written value, that of a read is the result. ``_`` and ``-`` are equal in names.

| names                                                         | arguments     | result                       |
|---------------------------------------------------------------|---------------|------------------------------|
| read get dequeue deq peek pop pop-front pop-back delete-max   | none          | the completion's value       |
| acquire release increment decrement acquire-read release-read | none          | null                         |
|   acquire-write release-write                                 |               |                              |
| try-acquire                                                   | none          | a bool of the completion     |
| write put append enqueue push push-front push-back mwwrite    | the value     | null                         |
| insert add delete erase remove                                | the value (1) | a bool of the completion (2) |
| cas                                                           | old, new      | true, or a bool there        |
| swap fetch-add contains count txn mwcas mwswap                | the value (1) | the completion's value       |
| any other                                                     | the value (4) | the completion's value (3)   |

(1) None if the operation has a key and the rest of the value is nil (``delete`` and ``contains`` of a map).
(2) Null if the invocation has the same bool as its value, since it may be an echo.
(3) Null if every ok completion of this name in the file repeats the value of its invocation: an echo.
(4) None if it is nil.
In a file with an mwcas, mwswap or mwwrite, ``read`` takes the list of words as its only argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from linpoint.errors import HistoryError
from linpoint.histories.formats.file_format import format_error, shown
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, equal_values

_ANSWERS: Final = frozenset(["read", "get", "dequeue", "deq", "peek", "pop", "pop-front", "pop-back", "delete-max"])
_SILENT: Final = frozenset(
    ["acquire", "release", "increment", "decrement", "acquire-read", "release-read", "acquire-write", "release-write"]
)
_TRIES: Final = frozenset({"try-acquire"})
_WRITES: Final = frozenset(["write", "put", "append", "enqueue", "push", "push-front", "push-back", "mwwrite"])
_CHANGES: Final = frozenset(["insert", "add", "delete", "erase", "remove"])
_QUERIES: Final = frozenset(["swap", "fetch-add", "contains", "count", "txn", "mwcas", "mwswap"])
_MAY_DROP_VALUE: Final = _CHANGES | {"contains"}
_WORDS: Final = frozenset({"mwcas", "mwswap", "mwwrite"})
_LISTED: Final = _ANSWERS | _SILENT | _TRIES | _WRITES | _CHANGES | _QUERIES | {"cas"}


def plain(name: str) -> str:
    """The name as in the table."""
    return name.replace("_", "-")


def works_on_words(names: Iterable[str]) -> bool:
    """Whether these operations are those of a multi-word memory, in which ``read`` takes an argument."""
    return any(plain(name) in _WORDS for name in names)


def is_listed(name: str) -> bool:
    """Whether the table contains the name. Other names require a check for echoes."""
    return plain(name) in _LISTED


def arguments(name: str, value: Value, *, has_key: bool, words: bool, line: int | None) -> tuple[Value, ...]:
    """The arguments in the value of an invocation."""
    name = plain(name)
    if name == "read" and words:
        return (value,)
    if name in _ANSWERS or name in _SILENT or name in _TRIES:
        return ()
    if name == "cas":
        if type(value) is not tuple or len(value) != 2:
            raise _bad_cas(value, line)
        return value
    if value is None and ((has_key and name in _MAY_DROP_VALUE) or name not in _LISTED):
        return ()
    return (value,)


def result(name: str, invoked: Value, completed: Value, *, echo: bool) -> Value:
    """The result of an ok operation, from the values of its invocation and its completion."""
    name = plain(name)
    if name in _ANSWERS or name in _QUERIES:
        return completed
    if name == "cas":
        return completed if type(completed) is bool else True
    if name in _TRIES:
        return completed if type(completed) is bool else None
    if name in _CHANGES:
        return completed if type(completed) is bool and not equal_values(completed, invoked) else None
    if name in _LISTED:
        return None
    return None if echo else completed


def invocation_value(op: Operation, *, words: bool) -> Any:
    """The value of the invocation that ``arguments`` converts to the arguments of ``op``.

    Raises ValueError if there is none.
    """
    name = plain(op.name)
    if name == "cas" and len(op.args) == 2:
        return op.args
    no_value = name in _SILENT or name in _TRIES or (name in _ANSWERS and not (name == "read" and words))
    if len(op.args) > 1 or (no_value and op.args) or name == "cas":
        raise ValueError(f"its {len(op.args)} arguments do not fit into the value of an event")
    return op.args[0] if op.args else None


def completion_value(op: Operation, invoked: Any, *, echo: bool) -> Any:
    """The value of the completion that ``result`` converts to the result of ``op``."""
    name = plain(op.name)
    if op.outcome is not Outcome.OK:
        return invoked
    if name in _ANSWERS or name in _QUERIES or name in _TRIES:
        return op.result
    if name == "cas":
        return invoked if op.result is True else op.result
    if name in _CHANGES:
        return invoked if op.result is None else op.result
    return invoked if echo or name in _LISTED else op.result


def _bad_cas(value: Value, line: int | None) -> HistoryError:
    return format_error(
        "LP-H007",
        f'the value of "cas" is {shown(value)}.',
        line,
        "Write the value as [old new], or [key [old new]] if keyed.",
    )
