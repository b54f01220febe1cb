# SPDX-License-Identifier: Apache-2.0
"""A parser of EDN, the notation of Jepsen's histories. It gives plain JSON-like values.

Keywords, symbols and characters become strings, lists and vectors become lists, sets become sorted lists without
duplicates, maps become dicts (a key that is not a string is represented by its text), and tagged literals become the
value without its tag. Ratios and ``##NaN`` are rejected, because no JSON number equals them.

Guarantee: nothing is ever evaluated; there is no recursion, and nesting is bounded by ``MAX_NESTING_DEPTH``. Every
error is an LP-H002, LP-H007 or LP-H011 with its line. Cost: O(length), about 1 microsecond per token. Source:
github.com/edn-format/edn.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.errors import HistoryError
from linpoint.histories.formats.file_format import format_error, shortened
from linpoint.histories.formats.value_validation import too_deep
from linpoint.histories.values import MAX_INTEGER_DIGITS, MAX_NESTING_DEPTH, canonical, format_value

# Possessive quantifiers: no input makes the scanner backtrack, so the cost stays linear. The last two groups
# match at the end and at any other character, so that `finditer` never skips anything.
_TOKEN: Final = re.compile(
    r"""(?:[\s,]++|;[^\n]*+)*+
    (?: (:[^\s,;"()\[\]{}\\]++)                    # 1 keyword
      | ([^\s,;"()\[\]{}\\\#:][^\s,;"()\[\]{}\\]*+)  # 2 number or symbol
      | ([()\[\]{}]|\#\{)                          # 3 bracket
      | ("[^"\\]*+(?:\\.[^"\\]*+)*+")              # 4 string
      | (\\.[^\s,;"()\[\]{}\\]*+)                  # 5 character
      | (\#_)                                      # 6 discard
      | \#(:?[^\W\d_][^\s,;"()\[\]{}\\]*+)         # 7 tag
      | (\Z)                                       # 8 end
      | (.)                                        # 9 anything else
    )""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORD, _ATOM, _BRACKET, _STRING, _CHARACTER, _DISCARD, _TAG, _END = range(1, 9)
_INTEGER: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]*+)N?")
_FLOAT: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]++)?M?")
_NUMBER_LIKE: Final = re.compile(r"[+-]?\.?[0-9]")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "r": "\r", "n": "\n", "b": "\b", "f": "\f", "\\": "\\", '"': '"', "/": "/", "'": "'"}
_CHARACTERS: Final = {"newline": "\n", "return": "\r", "space": " ", "tab": "\t", "formfeed": "\f", "backspace": "\b"}
_NAMED: Final = {"nil": None, "true": True, "false": False}
_CLOSES: Final = {"[": "]", "(": ")", "{": "}", "#{": "}"}


@dataclass(slots=True)
class _Frame:
    """An open bracket, or a tag or discard marker that waits for its value."""

    kind: str
    start: int
    items: list[Any] = field(default_factory=list)
    flattened: bool = False


def edn_values(text: str, *, flatten: bool = False) -> list[tuple[int, Any]]:  # noqa: C901, PLR0912 - one loop over tokens, for speed
    """The forms of a text, each with the line where it begins.

    With ``flatten``, the elements of a top-level vector or list count as forms of their own: a history is one form per
    event, or one vector or list of events.
    """
    found: list[tuple[int, Any]] = []
    stack: list[_Frame] = []
    outer = 0  # frames at the bottom of the stack that only wrap the events
    inside: list[Any] | None = None  # container of the next value, None after a tag
    line, counted = 1, 0
    for match in _TOKEN.finditer(text):
        which = match.lastindex or 0
        value: Any
        if which == _KEYWORD:
            value = match[_KEYWORD][1:]
        elif which == _ATOM:
            token = match[_ATOM]
            value = _NAMED[token] if token in _NAMED else _atom(text, token, match.start(_ATOM))
        elif which == _STRING:
            value = _string(text, match[_STRING], match.start(_STRING))
        elif which == _CHARACTER:
            value = _character(text, match[_CHARACTER], match.start(_CHARACTER))
        elif which == _BRACKET and match[_BRACKET] not in _CLOSES:
            frame = _closed(text, stack, match[_BRACKET], match.start(_BRACKET))
            if frame.flattened:
                outer -= 1
                continue
            value = _container(text, frame)
            inside = stack[-1].items if len(stack) > outer and stack[-1].kind in _CLOSES else None
        elif which in (_BRACKET, _DISCARD, _TAG):
            kind = match[_BRACKET] or match[_DISCARD] or "#"
            frame = _Frame(kind, match.start(which), flattened=flatten and not stack and kind in ("[", "("))
            stack.append(frame)
            outer += frame.flattened
            if len(stack) - outer > MAX_NESTING_DEPTH + 1:  # the map of the event itself, and a value of maximum depth
                raise too_deep(_line(text, frame.start))
            inside = frame.items if kind in _CLOSES and not frame.flattened else None
            continue
        elif which == _END:
            break
        else:
            raise _unreadable(text, match.start(which))
        if inside is not None:
            inside.append(value)
            continue
        kept = True
        while kept and stack and stack[-1].kind not in _CLOSES:
            kept = stack.pop().kind != "#_"
        if len(stack) > outer and stack[-1].kind in _CLOSES:
            inside = stack[-1].items
            if kept:
                inside.append(value)
        elif kept:
            start = match.start(which) if which != _BRACKET else frame.start
            line += text.count("\n", counted, start)
            counted = start
            found.append((line, value))
    if stack:
        raise _unclosed(text, stack[-1])
    return found


def _closed(text: str, stack: list[_Frame], bracket: str, at: int) -> _Frame:
    if not stack:
        raise format_error(
            "LP-H002",
            f"{bracket} has no opening bracket.",
            _line(text, at),
            "Remove it, or restore the part before it.",
        )
    frame = stack.pop()
    if frame.kind in ("#", "#_"):
        raise format_error("LP-H002", f"{frame.kind} has no value after it.", _line(text, at), "Put a value after it.")
    if _CLOSES[frame.kind] != bracket:
        raise format_error(
            "LP-H002",
            f"{bracket} closes the {frame.kind} of line {_line(text, frame.start)}.",
            _line(text, at),
            f"Close it with {_CLOSES[frame.kind]}.",
        )
    return frame


def _unclosed(text: str, frame: _Frame) -> HistoryError:
    line = _line(text, frame.start)
    if frame.kind in ("#", "#_"):
        return format_error("LP-H002", f"{frame.kind} has no value after it.", line, "Put a value after it.")
    return format_error(
        "LP-H002",
        f"the {frame.kind} is never closed.",
        line,
        "The file may be truncated: complete it or remove the rest.",
    )


def _container(text: str, frame: _Frame) -> Any:
    if frame.kind == "#{":
        return _set(frame.items)
    if frame.kind != "{":
        return frame.items
    items = frame.items
    if len(items) % 2:
        raise format_error(
            "LP-H002",
            f"a map has the key {format_value(items[-1])[:40]} without a value.",
            _line(text, frame.start),
            "Give each key one value.",
        )
    return {
        key if type(key) is str else format_value(key): value
        for key, value in zip(items[::2], items[1::2], strict=True)
    }


def _set(items: list[Any]) -> list[Any]:
    """Numbers by size, then the other values by their text, so that equal sets become equal lists."""
    unique = {canonical(item): item for item in items}.values()
    numbers = sorted(item for item in unique if type(item) in (int, float))
    return numbers + sorted((item for item in unique if type(item) not in (int, float)), key=format_value)


def _atom(text: str, token: str, at: int) -> Any:
    if token.isascii() and token.isdigit() and token[0] != "0" and len(token) <= MAX_INTEGER_DIGITS:
        return int(token)
    if not _NUMBER_LIKE.match(token):
        return token
    if _INTEGER.fullmatch(token):
        if len(token) > MAX_INTEGER_DIGITS:
            raise format_error(
                "LP-H011",
                f"an integer has more than {MAX_INTEGER_DIGITS} digits.",
                _line(text, at),
                "Record it as a string.",
            )
        return int(token.rstrip("N"))
    if _FLOAT.fullmatch(token):
        number = float(token.rstrip("M"))
        if math.isinf(number):
            raise format_error(
                "LP-H011", f"the number {token[:40]} is too large.", _line(text, at), "Record it as a string."
            )
        return number
    if "/" in token:
        raise format_error(
            "LP-H007",
            f"the value {token[:40]} is a ratio.",
            _line(text, at),
            "Record it as a decimal number or as a string.",
        )
    raise format_error(
        "LP-H002",
        f"{token[:40]} is not an EDN number.",
        _line(text, at),
        "Write integers without leading zeros, as in 42.",
    )


def _string(text: str, token: str, at: int) -> str:
    body = token[1:-1]
    if "\\" not in body:
        return body

    def unescape(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        if match[2] not in _ESCAPES:
            raise format_error(
                "LP-H002",
                f"\\{match[2]} is not an EDN escape.",
                _line(text, at),
                'Use \\t \\r \\n \\\\ \\" or \\uXXXX.',
            )
        return _ESCAPES[match[2]]

    return _joined(text, _ESCAPE.sub(unescape, body), at)


def _character(text: str, token: str, at: int) -> str:
    name = token[1:]
    if len(name) == 1:
        return name
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    if re.fullmatch("u[0-9a-fA-F]{4}", name):
        return _joined(text, chr(int(name[1:], 16)), at)
    raise format_error(
        "LP-H002",
        f"{token[:40]} is not an EDN character.",
        _line(text, at),
        "Use \\newline, \\space, \\tab, \\uXXXX or \\c.",
    )


def _joined(text: str, characters: str, at: int) -> str:
    """Join two escapes that form one character (a surrogate pair). Half of a pair is not valid text."""
    try:
        return characters.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise format_error(
            "LP-H002",
            "an escape is half of a surrogate pair.",
            _line(text, at),
            "Write both halves, or the character itself.",
        ) from None


def _unreadable(text: str, at: int) -> HistoryError:
    line = _line(text, at)
    if token := re.compile(r"##\w*").match(text, at):
        return format_error("LP-H007", f"{token[0]} is not a JSON number.", line, "Record nil or a string instead.")
    if text[at] == '"':
        return format_error(
            "LP-H002", "a string is never closed.", line, "The file may be truncated: complete it or remove the rest."
        )
    return format_error(
        "LP-H002",
        f"cannot read {shortened(text[at : at + 40].split(chr(10), maxsplit=1)[0])}.",
        line,
        "Write each event as an EDN map.",
    )


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
