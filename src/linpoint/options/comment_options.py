# SPDX-License-Identifier: Apache-2.0
"""Options in comments of a C++ file, so that the user who runs the file need not know them.

    // linpoint: --spec stack --memory-model tso -- -Iinclude stack.cpp

Guarantee: a mistake is a coded error at its line. Paths in a comment are relative to the directory of the file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from linpoint.errors import LinpointError, UsageError
from linpoint.options.layers import Layer
from linpoint.options.nearest_name import did_you_mean
from linpoint.options.schema import Option, Surface

_COMMENT: Final = re.compile(r"^[ \t]*//[ \t]*linpoint:(.*)$", re.MULTILINE)
_SEPARATOR: Final = "--"


def comment_layers(options: Mapping[str, Option], file: str) -> Iterator[tuple[str, Layer]]:
    """The place and the layer of each comment of a file. An unreadable file has none; building it reports the error."""
    for line, comment in _comments_in(file):
        place = f"{file}:{line}"
        try:
            layer = Layer(Surface.COMMENT, _values(options, comment, Path(file).parent))
        except LinpointError as error:
            raise error.at(place) from None
        yield place, layer


def _comments_in(file: str) -> Iterator[tuple[int, str]]:
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for comment in _COMMENT.finditer(text):
        yield text.count("\n", 0, comment.start()) + 1, comment[1]


def _values(options: Mapping[str, Option], comment: str, directory: Path) -> dict[str, Any]:
    try:
        words = shlex.split(comment)
    except ValueError as error:
        raise UsageError("LP-U001", f"the options cannot be read: {error}.", remedy="Close the quotes.") from None
    known = {name: each for name, each in options.items() if Surface.COMMENT in each.surfaces}
    at = words.index(_SEPARATOR) if _SEPARATOR in words else len(words)
    texts = _read_words(known, words[:at])
    values = {name: known[name].type.parse_all(given, known[name].flag) for name, given in texts.items()}
    for name, each in known.items():
        if each.passthrough and words[at + 1 :]:
            values[name] = each.type.parse_all(words[at + 1 :], _SEPARATOR)
    return {name: known[name].type.in_directory(value, directory) for name, value in values.items()}


def _read_words(known: Mapping[str, Option], words: Sequence[str]) -> dict[str, list[str]]:
    """The texts given for each option; ``true`` for a flag."""
    named = {flag: name for name, each in known.items() if not each.passthrough for flag in (each.flag, each.short)}
    texts: dict[str, list[str]] = {}
    unknown: list[str] = []
    rest = iter(words)
    for word in rest:
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        name = named.get(flag) if flag else None
        if name is None:
            unknown.append(word)
            # the value of an unknown option belongs to that option
            unknown += [] if equals or not word.startswith("-") else _value_of_unknown(rest)
            continue
        if not known[name].type.takes_value:
            texts.setdefault(name, []).append("true")
            continue
        text = value if equals else next(rest, None)
        if text is None or (not equals and text in named):
            raise _refusal(f"argument {flag}: expected one argument", flag, named)
        texts.setdefault(name, []).append(text)
    if unknown:
        raise _refusal(f"unrecognized arguments: {' '.join(unknown)}", unknown[0], named)
    return texts


def _value_of_unknown(rest: Iterator[str]) -> list[str]:
    return [word] if (word := next(rest, None)) is not None else []


def _refusal(fact: str, word: str, named: Mapping[str, str]) -> UsageError:
    flags = sorted(flag for flag in named if flag.startswith("--"))
    hint = did_you_mean(word.partition("=")[0], flags) if word not in named else ""
    return UsageError(
        "LP-U001",
        f"a comment `// linpoint:` must contain options of the command: {fact}.",
        remedy=f"{hint}Use {', '.join(flags)}, or compiler flags and sources after --.",
    )
