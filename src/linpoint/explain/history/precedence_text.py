# SPDX-License-Identifier: Apache-2.0
"""Contradictions of a precedence graph as text: the required orders of operations and their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from linpoint.explain.history.reasons import ArgumentStep
from linpoint.explain.history.step_text import in_time
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import format_value
from linpoint.text.phrases import one_line
from linpoint.verdicts import Link, Precedence

Names = Mapping[int, str]

_REASONS: Final = {
    "reads-from": "reads-from",
    "replaced": "overwritten",
    "failed-after": "failed",
    "failed-before": "failed",
}
"""The typed reasons of links, except those of real time."""


def contradictions(history: History, found: Precedence, names: Names, condition: str) -> list[str]:
    """A sentence for each contradiction, and for each operation that took effect although its outcome is unknown."""
    return [
        *(_kept(link, names) for link in found.kept),
        *([_failures(history, found, names)] if found.failed else []),
        *(_contradiction(history, links, names, condition) for links in found.contradictions),
    ]


def _failures(history: History, found: Precedence, names: Names) -> str:
    """The failed operations, before the contradictions that rule out each explanation."""
    failed = [names[position] for position in found.failed]
    if len(failed) > 1:
        who = f"{', '.join(failed[:-1])} and {failed[-1]}"
        return f"{who} failed, and no order explains {'both' if len(failed) == 2 else 'all'} failures:"
    name = failed[0]
    if found.reason != "disconnected-failure":
        return f"{name} failed, and no order explains the failure:"
    expected = " or ".join(f"{value}{place}" for place, value in _expected(history.operations[found.failed[0]]))
    more = "" if not found.contradictions else ", so it must precede the write of that value:"
    return f"{name} failed, but no operation replaced the {expected} that it expected{more or '.'}"


def _expected(op: Operation) -> Iterator[tuple[str, str]]:
    """The words on which an operation may have failed, with the values that it expected there."""
    if len(op.args) > 1:
        yield "", _short(op.args[0])
        return
    blamed = op.result["at"] if isinstance(op.result, Mapping) and "at" in op.result else None
    for word, expected, _ in op.args[0]:
        if blamed is None or format_value(word) == format_value(blamed):
            yield _in(word), _short(expected)


def _kept(link: Link, names: Names) -> str:
    source = "Another operation" if link.source is None else names[link.source]
    return f"{source} took effect, although its outcome is unknown: {names[link.target]} observed the {_what(link)}."


def _contradiction(history: History, links: Sequence[Link], names: Names, condition: str) -> str:
    first = links[0]
    if first.source is None:
        return f"{names[first.target]} observed {_short(first.value)}{_where(first)}, which no operation wrote."
    if len(links) == 2 and all(link.because == "replaced" for link in links):
        both = f"{names[first.source]} and {names[first.target]}"
        return (
            f"Both {both} observed {_short(first.value)}{_where(first)} and replaced it: each must precede the other."
        )
    return cycle_links([_step(history, link, names, condition) for link in links])


def cycle_links(steps: Sequence[ArgumentStep]) -> str:
    """Steps that put operations in a cycle, as one sentence and its contradiction."""
    texts = [step.text for step in steps]
    return f"{'; '.join(texts[:-1])}. However, {texts[-1]}: a contradiction."


def precedence_steps(history: History, found: Precedence, names: Names, condition: str) -> tuple[ArgumentStep, ...]:
    """The steps of all contradictions of a precedence graph."""
    steps = [
        ArgumentStep("unknown-took-effect", _ends(link), _kept(link, names).rstrip("."), link.source, link.target)
        for link in found.kept
    ]
    if found.failed:
        steps.append(ArgumentStep("failed", found.failed, _failures(history, found, names).rstrip(".:")))
    for links in found.contradictions:
        if links[0].source is None:
            steps.append(
                ArgumentStep(
                    "never-written", _ends(links[0]), _contradiction(history, links, names, condition).rstrip(".")
                )
            )
        elif len(links) == 2 and all(link.because == "replaced" for link in links):
            steps.append(
                ArgumentStep("replaced", _ends(links[0]), _contradiction(history, links, names, condition).rstrip("."))
            )
        else:
            steps += [_step(history, link, names, condition) for link in links]
    return tuple(dict.fromkeys(steps))


def _ends(link: Link) -> tuple[int, ...]:
    return (link.target,) if link.source is None else (link.source, link.target)


def _step(history: History, link: Link, names: Names, condition: str) -> ArgumentStep:
    assert link.source is not None
    reason = _REASONS.get(link.because) or _in_time(history, link.source, link.target, condition)[0]
    text = f"{names[link.source]} < {names[link.target]}, {_because(history, link, names, condition)}"
    return ArgumentStep(reason, _ends(link), text, link.source, link.target)


def _because(history: History, link: Link, names: Names, condition: str) -> str:
    assert link.source is not None
    source, target = names[link.source], names[link.target]
    match link.because:
        case "reads-from":
            return f"because {target} observed the {_what(link)} that {source} wrote"
        case "replaced":
            return f"because {source} observed the {_what(link)} that {target} replaced"
        case "failed-after":
            return f"if {target} failed because {source} had replaced the {_what(link)}"
        case "failed-before":
            return f"if {source} failed because {target} had not yet written the {_what(link)}"
    return f"because {_in_time(history, link.source, link.target, condition)[1].format(source, target)}"


def _in_time(history: History, first: int, second: int, condition: str) -> tuple[str, str]:
    """As ``in_time``, for operations that are known to be in this order, perhaps by the condition alone."""
    known = in_time(history, first, second)
    if known is not None and (condition != "sequential" or known[0] != "real-time"):
        return known
    a, b = history.operations[first], history.operations[second]
    if a.order is not None and b.order is not None and a.order < b.order:
        return "order-hint", "{0} has the smaller order value"
    if a.process == b.process:
        return "process-order", "{0} precedes {1} in their process"
    return "crash", "a crash occurred between {0} and {1}"


def _what(link: Link) -> str:
    return f"{_short(link.value)}{_where(link)}"


def _where(link: Link) -> str:
    return "" if link.word is None else _in(link.word)


def _in(word: object) -> str:
    """The place of a value; a number alone would look like a value: "observed 0 in word 2"."""
    return f" in {'' if isinstance(word, str) else 'word '}{_short(word)}"


def _short(value: object) -> str:
    return one_line(format_value(value))
