# SPDX-License-Identifier: Apache-2.0
"""Contradictions of a precedence graph in words: who must come before whom, and why that cannot be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import one_line, show
from linpoint.verdicts import Link, Precedence

Names = Mapping[int, str]


def short_names(positions: Sequence[int]) -> dict[int, str]:
    """Letters for operations, in the order in which they are listed: A, B, ..., Z, A1, B1, ..."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rounds = ("" if number == 0 else str(number) for number in itertools.count())
    names = (letter + number for number in rounds for letter in letters)
    return dict(zip(positions, names, strict=False))


def contradictions(history: History, found: Precedence, names: Names) -> list[str]:
    """A sentence for each contradiction, and for each operation that is there although its outcome is unknown."""
    return [
        *(_kept(link, names) for link in found.kept),
        *([_failures(history, found, names)] if found.failed else []),
        *(_contradiction(history, links, names) for links in found.contradictions),
    ]


def _failures(history: History, found: Precedence, names: Names) -> str:
    """Who failed, before the contradictions into which each way to explain it runs."""
    failed = [names[position] for position in found.failed]
    if len(failed) > 1:
        who = f"{', '.join(failed[:-1])} and {failed[-1]}"
        return f"{who} failed, and there is no way to explain {'both' if len(failed) == 2 else 'all of them'}:"
    name = failed[0]
    if found.reason != "disconnected-failure":
        return f"{name} failed, and there is no way to explain that:"
    expected = " or ".join(f"{value}{place}" for place, value in _expected(history.operations[found.failed[0]]))
    more = "" if not found.contradictions else ", so it can only have come before that was written:"
    return f"{name} failed although nobody replaced the {expected} that it expected{more or '.'}"


def _expected(op: Operation) -> Iterator[tuple[str, str]]:
    """The words that a failed operation may blame, with what it expected there."""
    if len(op.args) > 1:
        yield "", _short(op.args[0])
        return
    blamed = op.result["at"] if isinstance(op.result, Mapping) and "at" in op.result else None
    for word, expected, _ in op.args[0]:
        if blamed is None or show(word) == show(blamed):
            yield _in(word), _short(expected)


def _kept(link: Link, names: Names) -> str:
    source = "somebody" if link.source is None else names[link.source]
    return f"{source} had its effect, although its outcome is unknown: {names[link.target]} saw the {_what(link)}."


def _contradiction(history: History, links: Sequence[Link], names: Names) -> str:
    first = links[0]
    if first.source is None:
        return f"{names[first.target]} saw {_short(first.value)}{_where(first)}, which nobody wrote."
    if len(links) == 2 and all(link.because == "replaced" for link in links):
        both = f"{names[first.source]} and {names[first.target]}"
        return f"Both {both} saw {_short(first.value)}{_where(first)} and replaced it: each would have to be first."
    said = [f"{names[link.source or 0]} < {names[link.target]}, {_because(history, link, names)}" for link in links]
    return f"{'; '.join(said[:-1])}. However, {said[-1]}: a contradiction."


def _because(history: History, link: Link, names: Names) -> str:
    assert link.source is not None
    source, target = names[link.source], names[link.target]
    match link.because:
        case "reads-from":
            return f"because {target} saw the {_what(link)} that {source} wrote"
        case "replaced":
            return f"because {source} saw the {_what(link)} that {target} replaced"
        case "failed-after":
            return f"if {target} failed since {source} had replaced the {_what(link)}"
        case "failed-before":
            return f"if {source} failed since {target} had not yet written the {_what(link)}"
    return f"because {_in_time(history, link.source, link.target, source, target)}"


def _in_time(history: History, first: int, second: int, source: str, target: str) -> str:
    a, b = history.operations[first], history.operations[second]
    if a.outcome is Outcome.OK and a.end + history.clock_skew < b.call:
        return f"{source} returned before {target} was called"
    if a.order is not None and b.order is not None and a.order < b.order:
        return f"{source} has the smaller order"
    if a.process == b.process:
        return f"{source} comes before {target} in their process"
    return f"a crash lies between {source} and {target}"


def _what(link: Link) -> str:
    return f"{_short(link.value)}{_where(link)}"


def _where(link: Link) -> str:
    return "" if link.word is None else _in(link.word)


def _in(word: object) -> str:
    """A number alone would pass for a value: "saw 0 in word 2"."""
    return f" in {'' if isinstance(word, str) else 'word '}{_short(word)}"


def _short(value: object) -> str:
    return one_line(show(value))
