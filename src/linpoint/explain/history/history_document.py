# SPDX-License-Identifier: Apache-2.0
"""The JSON document of an explanation."""

from __future__ import annotations

from typing import Any

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.json_values import as_json, operation_dict
from linpoint.verdicts import Link, Status


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """The JSON document of an explanation."""
    data: dict[str, Any] = {"text": explanation.text, "key": as_json(explanation.key)}
    if explanation.verdict.status is Status.UNKNOWN:
        reached = next((key.reached for key in explanation.verdict.keys if key.reached is not None), None)
        data["stopped"] = {"why": explanation.verdict.why} | ({} if reached is None else reached.as_dict())
    if explanation.verdict.status is not Status.VIOLATION:
        return data
    history = explanation.verdict.history
    names = dict(zip(explanation.core, explanation.names, strict=False))
    data["operations"] = [
        operation_dict(history, position) | ({"name": names[position]} if position in names else {})
        for position in explanation.core
    ]
    data["steps"] = [step.as_dict() for step in explanation.steps]
    data["causes"] = [cause.as_dict() for cause in explanation.causes]
    data["needed"] = list(explanation.needed)
    data["minimal"] = explanation.minimal
    data["irreducible"] = explanation.irreducible
    data["verified"] = explanation.verified
    data["picture"] = explanation.picture
    data["claims"] = [claim.as_dict() for claim in explanation.claims]
    if explanation.pattern:
        data["reason"] = explanation.pattern.reason
        data["because"] = explanation.pattern.sentence
        data["telling"] = list(explanation.pattern.operations)
    if explanation.precedence:
        found = explanation.precedence
        data["reason"] = found.reason
        data["because"] = found.sentence
        data["telling"] = list(found.operations)
        data["contradictions"] = [list(map(link_dict, links)) for links in found.contradictions]
        data["failed"] = list(found.failed)
        data["kept"] = list(map(link_dict, found.kept))
    if explanation.culprit:
        data["culprit"] = {
            "position": explanation.culprit.position,
            "allowed": [as_json(value) for value in explanation.culprit.allowed],
            "complete": explanation.culprit.complete,
            "at_return": explanation.culprit.at_return,
        }
    if explanation.stuck:
        data["longest_legal_prefix"] = list(explanation.stuck.prefix)
        data["blocked"] = [
            {"position": each.position, "allowed": [as_json(value) for value in each.allowed]}
            for each in explanation.stuck.blocked
        ]
    if explanation.other_initial is not None:
        data["other_initial"] = as_json(explanation.other_initial[0])
    return data


def link_dict(link: Link) -> dict[str, Any]:
    """A link of the precedence graph as JSON values."""
    data: dict[str, Any] = {"source": link.source, "target": link.target, "because": link.because}
    return data if link.because == "real-time" else data | {"word": as_json(link.word), "value": as_json(link.value)}
