# SPDX-License-Identifier: Apache-2.0
"""``linpoint check --graph FILE``: the precedence graph, written where the user said and nowhere else.

Guarantee: what cannot be written is said before the check begins, as far as that can be known; and a verdict that was
found is told, whatever becomes of its picture.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from linpoint.checkers.graphs.edges import has_graph
from linpoint.cli.limits import TimeIsUpError, deadline, uninterrupted
from linpoint.errors import LinpointError, UsageError
from linpoint.explain import PrecedenceGraph, precedence_graph
from linpoint.explain.graphs.choosing import no_graph
from linpoint.histories.formats.format import cannot_follow
from linpoint.histories.formats.reading import write
from linpoint.specs.protocol import Spec
from linpoint.verdicts import Budget, Verdict

_ENDINGS: Final = (".dot", ".json", ".svg")
_GRACE: Final = 0.5
"""Seconds past the budget that it may take: a check that has used all its time still gets its picture, if it is small."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the graph: how much it shows; or the error that kept it from being written, or nothing, if it was
    time.
    """

    file: str
    graph: PrecedenceGraph | None = None
    error: LinpointError | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the document of the check."""
        if self.graph is None:
            return {"file": self.file, "written": False} | ({"error": self.error.as_dict()} if self.error else {})
        shown, notes = len(self.graph.vertices), list(self.graph.notes)
        return {"file": self.file, "written": True, "shown": shown, "operations": self.graph.operations, "notes": notes}

    @property
    def line(self) -> str:
        """For people."""
        if self.graph is None:
            return f"Graph: there was no time to write {self.file}"
        return f"Graph: {self.file} ({self.graph.size})"


def validate(path: str | None, files: list[str], *, follow: bool) -> None:
    """Refuse what can be refused before anything is read."""
    if path is None:
        return
    if len(files) != 1:
        raise UsageError(
            "LP-U001", f"--graph is for one file, not {len(files)}.", remedy="Check each by itself, or leave it out."
        )
    if follow:
        raise cannot_follow("a graph is of a whole history.", None, "Leave --graph out, or check the finished file.")
    target = Path(path)
    if target.suffix not in _ENDINGS:
        raise UsageError(
            "LP-U005",
            f'the ending "{target.suffix}" says no kind of graph.',
            place=path,
            remedy=f"Use one of {', '.join(_ENDINGS)}.",
        )
    if target.is_dir():
        raise _unwritable(path, "it is a folder")
    if target.exists() and files[0] != "-" and Path(files[0]).exists() and target.samefile(files[0]):
        raise _unwritable(path, "it is the history itself")
    if not target.parent.is_dir():
        raise _unwritable(path, "its folder is not there")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise _unwritable(path, "you may not write it")


def validate_spec(path: str | None, spec: Spec) -> None:
    """Refuse a spec that has no graph."""
    if path is not None and not has_graph(spec):
        raise no_graph(spec)


def write_graph(path: str, verdict: Verdict, budget: Budget) -> Written:
    """Write the graph of a verdict in the format that the ending says: whole, or not at all if the time is up."""
    try:
        with deadline(budget, grace=_GRACE):
            graph = precedence_graph(verdict)
            content = _content(path, graph)
        with uninterrupted():
            write(path, content)
    except LinpointError as error:
        return Written(path, error=error)
    except (KeyboardInterrupt, TimeIsUpError):
        return Written(path)
    return Written(path, graph)


def _content(path: str, graph: PrecedenceGraph) -> str | bytes:
    match Path(path).suffix:
        case ".dot":
            return graph.as_dot()
        case ".svg":
            return graph.as_svg()
    document = graph.as_dict()
    try:
        return msgspec.json.format(msgspec.json.encode(document, enc_hook=repr), indent=2) + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair; only as an escape can it be in a document
        return json.dumps(document, default=repr, indent=2) + "\n"


def _unwritable(path: str, why: str) -> UsageError:
    return UsageError("LP-U005", f"the file cannot be written: {why}.", place=path, remedy="Choose another path.")
