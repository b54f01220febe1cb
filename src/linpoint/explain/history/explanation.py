# SPDX-License-Identifier: Apache-2.0
"""An explanation as data, made from a verdict alone: it does not know which algorithm found it.

For a violation: the operations that conspire, the one that cannot be right and what it could have returned, the
longest legal order and who is stuck behind it, and whether another first value would remove the violation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from linpoint.explain.history.reasons import ArgumentStep, LikelyCause
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, show
from linpoint.verdicts import KeyVerdict, Link, Pattern, Precedence, Status, StuckFrontier, Verdict


@dataclass(frozen=True, slots=True)
class Culprit:
    """The operation whose result does not fit, and the results that would have made the rest fit."""

    position: int
    allowed: tuple[Value, ...]
    complete: bool = True
    """These are all; else only the conspiring operations were looked at, and there may be more."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a history has its verdict. ``text`` is for people, ``as_dict()`` for programs."""

    verdict: Verdict
    key: Value = None
    core: tuple[int, ...] = ()
    """Operations that are a violation by themselves, by call."""
    needed: tuple[int, ...] = ()
    """Those of the core that contradict each other; the others tell where their results could have come from."""
    minimal: bool = False
    """Without any single one of ``needed`` there would be no contradiction."""
    verified: bool = True
    """They contradict each other also among all other operations, not only by themselves."""
    pattern: Pattern | None = None
    """The typed reason, where one was found."""
    precedence: Precedence | None = None
    """Who must come before whom, in circles, where that was found."""
    culprit: Culprit | None = None
    stuck: StuckFrontier | None = None
    other_initial: tuple[Any] | None = None
    """In a tuple, since null is a first value too."""
    names: tuple[str, ...] = ()
    """Short names of the operations of ``core``, in its order: A, B, C..."""
    steps: tuple[ArgumentStep, ...] = ()
    """Why they contradict each other, step by step."""
    causes: tuple[LikelyCause, ...] = ()
    """What may be behind it, the likeliest first."""
    picture: str = ""
    others: tuple[KeyVerdict, ...] = field(default=(), repr=False)
    text: str = ""
    """The explanation in words, the sentence first."""

    def __str__(self) -> str:
        return self.text

    def as_html(self, *, file: str = "", arguments: Sequence[str] = (), command: str = "", replay: str = "") -> str:
        """The explanation and the whole history as one page for a browser, which needs nothing else.

        ``file`` is what the history is called there; ``command`` and ``replay`` are shown as what checks it again.
        ``arguments`` are the options of ``linpoint check``, word by word, with which the minimal history is checked.
        """
        from linpoint.explain.history.history_page import history_page  # noqa: PLC0415 - only who asks for a page is to wait for it

        return history_page(self, file=file, arguments=arguments, command=command, replay=replay)

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        data: dict[str, Any] = {"text": self.text, "key": as_json(self.key)}
        if self.verdict.status is Status.UNKNOWN:
            reached = next((key.reached for key in self.verdict.keys if key.reached is not None), None)
            data["stopped"] = {"why": self.verdict.why} | ({} if reached is None else reached.as_dict())
        if self.verdict.status is not Status.VIOLATION:
            return data
        history = self.verdict.history
        names = dict(zip(self.core, self.names, strict=False))
        data["operations"] = [
            operation_dict(history, position) | ({"name": names[position]} if position in names else {})
            for position in self.core
        ]
        data["steps"] = [step.as_dict() for step in self.steps]
        data["causes"] = [cause.as_dict() for cause in self.causes]
        data["needed"] = list(self.needed)
        data["minimal"] = self.minimal
        data["verified"] = self.verified
        data["picture"] = self.picture
        if self.pattern:
            data["reason"] = self.pattern.reason
            data["because"] = self.pattern.sentence
            data["telling"] = list(self.pattern.operations)
        if self.precedence:
            found = self.precedence
            data["reason"] = found.reason
            data["because"] = found.sentence
            data["telling"] = list(found.operations)
            data["contradictions"] = [list(map(link_dict, links)) for links in found.contradictions]
            data["failed"] = list(found.failed)
            data["kept"] = list(map(link_dict, found.kept))
        if self.culprit:
            data["culprit"] = {
                "position": self.culprit.position,
                "allowed": [as_json(value) for value in self.culprit.allowed],
                "complete": self.culprit.complete,
            }
        if self.stuck:
            data["longest_legal_prefix"] = list(self.stuck.prefix)
            data["blocked"] = [
                {"position": each.position, "allowed": [as_json(value) for value in each.allowed]}
                for each in self.stuck.blocked
            ]
        if self.other_initial is not None:
            data["other_initial"] = as_json(self.other_initial[0])
        return data


def link_dict(link: Link) -> dict[str, Any]:
    """Why one operation comes before another, as JSON values."""
    data: dict[str, Any] = {"source": link.source, "target": link.target, "because": link.because}
    return data if link.because == "real-time" else data | {"word": as_json(link.word), "value": as_json(link.value)}


def operation_dict(history: History, position: int) -> dict[str, Any]:
    """An operation as in our operation lines, with its position."""
    return {"position": position, **operation_fields(history.operations[position])}


def operation_fields(op: Operation) -> dict[str, Any]:
    """An operation as in our operation lines."""
    data: dict[str, Any] = {"process": op.process, "op": op.name, "args": [as_json(value) for value in op.args]}
    data |= {"result": as_json(op.result), "outcome": op.outcome.value, "call": op.call, "return": op.return_}
    if op.key is not None:
        data["key"] = as_json(op.key)
    if op.order is not None:
        data["order"] = op.order
    if op.line is not None:
        data["line"] = op.line
    return data


def as_json(value: Any) -> Any:
    """A value as JSON has it; what a user's spec or program made of other things as the text that is shown of it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [as_json(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): as_json(each) for name, each in value.items()}
    return show(value)
