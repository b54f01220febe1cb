# SPDX-License-Identifier: Apache-2.0
"""The text form of scenarios: ``push(1); pop() | push(2); pop()``.

Operations are separated by ``;``, threads by ``|``, and arguments are JSON literals separated by commas. White space
between them has no meaning. A string may contain any of the separators: arguments are parsed, never searched.
Guarantee: any text gives calls, or LP-T001 with the column of the first error.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from linpoint.errors import TestError
from linpoint.histories.values import Value
from linpoint.scenarios.json_arguments import json_value

NAME: Final = re.compile(r"[^\W\d][\w-]*")
"""The names of operations: identifiers, optionally with hyphens."""

ParsedCall = tuple[str, tuple[Value, ...]]

_SPACE: Final = re.compile(r"\s*")
_REMEDY: Final = 'Write it as in "push(1); pop() | push(2); pop()", with JSON literals as arguments.'


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def parse_threads(text: str) -> list[list[ParsedCall]]:
    """The calls of each thread."""
    reader = _Reader(text, "scenario")
    threads = [[reader.call()]]
    while not reader.at_end():
        if reader.take(";"):
            threads[-1].append(reader.call())
        elif reader.take("|"):
            threads.append([reader.call()])
        else:
            reader.fail("expected ; or | or the end")
    return threads


def parse_calls(text: str, where: str) -> list[ParsedCall]:
    """The calls of one sequence, which may be empty; ``where`` names it in messages."""
    reader = _Reader(text, where)
    if reader.at_end():
        return []
    calls = [reader.call()]
    while not reader.at_end():
        if not reader.take(";"):
            reader.fail("expected ; or the end")
        calls.append(reader.call())
    return calls


class _Reader:
    """A position in a text. Not shared between threads."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._at = 0
        self._skip()

    def at_end(self) -> bool:
        return self._at == len(self._text)

    def take(self, letter: str) -> bool:
        """Whether ``letter`` comes next; if so, move past it."""
        if not self._text.startswith(letter, self._at):
            return False
        self._at += 1
        self._skip()
        return True

    def call(self) -> ParsedCall:
        name = NAME.match(self._text, self._at)
        if name is None:
            self.fail("expected the name of an operation")
        self._at = name.end()
        self._skip()
        if not self.take("("):
            self.fail(f"expected ( after {name[0]}")
        args: list[Value] = []
        while not self.take(")"):
            if args and not self.take(","):
                self.fail("expected , or )")
            args.append(self._argument())
        return name[0], tuple(args)

    def fail(self, wanted: str) -> NoReturn:
        rest = self._text[self._at :]
        found = repr(rest if len(rest) <= 30 else f"{rest[:27]}...") if rest else "the end of the text"
        raise TestError("LP-T001", f"{wanted}, found {found}.", place=self._place(), remedy=_REMEDY)

    def _argument(self) -> Value:
        begin = self._at
        try:
            value: Any
            value, self._at = _DECODER.raw_decode(self._text, begin)
        except (ValueError, RecursionError):  # also raised for an integer with more digits than Python converts
            self.fail("expected a JSON literal")
        admitted = json_value(value, place=self._place(begin))
        self._skip()
        return admitted

    def _place(self, at: int | None = None) -> str:
        return f"{self._where}, column {(self._at if at is None else at) + 1}"

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        assert space is not None
        self._at = space.end()
