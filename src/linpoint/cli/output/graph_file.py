# SPDX-License-Identifier: Apache-2.0
"""``linpoint check --graph FILE``: the precedence graph of one history, in the format that the ending says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import msgspec

from linpoint.checkers.precedence_edges import has_graph
from linpoint.cli.output.output_files import FileContentToWrite, WrittenFile, ends_in, time_to_write, write_file
from linpoint.errors import UsageError
from linpoint.explain.history.graph import PrecedenceGraph
from linpoint.explain.history.graph.graph_selection import no_graph
from linpoint.histories.formats.file_format import cannot_follow
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, Verdict

_ENDINGS: Final = (".dot", ".json", ".svg")


def validate(path: str | None, files: list[str], *, follow: bool) -> None:
    """Refuse what has no graph, or none of that kind."""
    if path is None:
        return
    if len(files) != 1:
        raise UsageError(
            "LP-U001",
            f"--graph requires one file, not {len(files)}.",
            remedy="Check each file separately, or omit --graph.",
        )
    if follow:
        raise cannot_follow("--graph requires a complete history.", None, "Omit --graph, or check the finished file.")
    ends_in(path, _ENDINGS, "graph")


def validate_spec(path: str | None, spec: Spec) -> None:
    """Refuse a spec that has no graph."""
    if path is not None and not has_graph(spec):
        raise no_graph(spec)


def write_graph(path: str, verdict: Verdict, budget: Budget, *, interrupted: bool) -> WrittenFile:
    """Write the graph of a verdict, in what is left of the budget and a moment at least."""

    def make() -> FileContentToWrite:
        graph = verdict.precedence_graph()
        facts = {"shown": len(graph.vertices), "operations": graph.operations, "notes": list(graph.notes)}
        return FileContentToWrite(_content(path, graph), graph.size, facts)

    return write_file("Graph", path, make, time_to_write(budget, interrupted=interrupted))


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
