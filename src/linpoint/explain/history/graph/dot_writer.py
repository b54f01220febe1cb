# SPDX-License-Identifier: Apache-2.0
r"""Writes a precedence graph in the language of Graphviz.

All content of the history is inside double quotes, with backslashes, quotes and ampersands escaped, since Graphviz
interprets escapes such as ``\N`` and entities such as ``&lt;`` there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from linpoint.explain.history.graph.edge_style import RED, STROKES
from linpoint.explain.history.graph.memory_operation_text import clean, detail, full, heading
from linpoint.histories.operation import Outcome

if TYPE_CHECKING:
    from linpoint.explain.history.graph.precedence_graph import Edge, PrecedenceGraph, Vertex

_DASHES: Final = {"real-time": "dotted", "reads-from": "solid", "replaced": "dashed"}
_MAX_TEXT_CHARS: Final = 400


def dot(graph: PrecedenceGraph) -> str:
    """The graph as input of ``dot``."""
    title = "\n".join(clean(each, _MAX_TEXT_CHARS) for each in (graph.sentence, f"{graph.size}.", *graph.notes))
    lines = [
        "digraph precedence {",
        f'  graph [rankdir=LR, labelloc=t, labeljust=l, fontname="Helvetica", label={_quoted(title)}];',
        '  node [shape=box, style=rounded, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
    ]
    if graph.has("genesis"):
        lines.append('  genesis [label="genesis", shape=ellipse];')
    if graph.has("nobody"):
        lines.append(f'  nobody [label="no writer", shape=ellipse, style=dashed, color="{RED}"];')
    lines += [_vertex(vertex) for vertex in graph.vertices]
    lines += [_edge(graph, index, edge) for index, edge in enumerate(graph.edges)]
    return "\n".join([*lines, "}", ""])


def _vertex(vertex: Vertex) -> str:
    op = vertex.operation
    label = f"{heading(vertex.position, op)}\n{detail(op)}\nprocess {clean(str(op.process))}"
    style = '"rounded,dashed"' if op.outcome is Outcome.UNKNOWN else "rounded"
    colour = f', color="{RED}", penwidth=2.5' if vertex.contradicts else ""
    return f"  n{vertex.position} [label={_quoted(label)}, tooltip={_quoted(full(op))}, style={style}{colour}];"


def _edge(graph: PrecedenceGraph, index: int, edge: Edge) -> str:
    source = f"n{edge.source}" if isinstance(edge.source, int) else edge.source
    number = graph.number(index)
    label = clean(edge.says, _MAX_TEXT_CHARS)
    attributes = [f"style={_DASHES.get(edge.because, 'dashed')}"]
    if number:
        label = f"{number}: {edge.because} {label}".rstrip()
        attributes += [f'color="{RED}"', f'fontcolor="{RED}"', "penwidth=2.5"]
    else:
        colour = STROKES[edge.because].colour + ("80" if graph.reason is not None else "")  # half transparent
        attributes += [f'color="{colour}"', f'fontcolor="{STROKES[edge.because].colour}"']
    tip = clean(f"{edge.because} {edge.says}".rstrip(), _MAX_TEXT_CHARS)
    attributes += [f"label={_quoted(label)}"] if label else []
    return f"  {source} -> n{edge.target} [{', '.join([*attributes, f'tooltip={_quoted(tip)}'])}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n")
    return f'"{escaped}"'
