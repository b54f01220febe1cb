# SPDX-License-Identifier: Apache-2.0
"""Writes a precedence graph as SVG, without scripts, style sheets or fonts, on its own background.

All content of the history is escaped. A shortened text is complete in the ``<title>`` of its element, which browsers
show as a tooltip and screen readers read.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from linpoint.explain.history.graph.edge_routing import Route, Strand, route
from linpoint.explain.history.graph.edge_style import INK, RED, STROKES
from linpoint.explain.history.graph.graph_layout import Box, GraphLayout, arrange
from linpoint.explain.history.graph.memory_operation_text import clean, detail, full, heading
from linpoint.histories.operation import Outcome
from linpoint.text.terminal_text import display_width

if TYPE_CHECKING:
    from linpoint.explain.history.graph.precedence_graph import Edge, PrecedenceGraph, Vertex

_MARGIN_PX: Final = 24.0
_MIN_WIDTH_PX: Final = 760.0
_MAX_TEXT_CHARS: Final = 600
_LINE_HEIGHT_PX: Final = 22.0
_MONO: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_SANS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
_GREY: Final = "#5b6470"
_PALE_OPACITY: Final = 0.62


def svg(graph: PrecedenceGraph) -> str:
    """The picture as the text of an SVG file."""
    strands = _strands(graph)
    longest = max((display_width(each.label) for each in strands if isinstance(each.source, str)), default=0)
    width = max(arrange(graph, 0, longest).width, _MIN_WIDTH_PX)
    title = _wrapped(clean(graph.sentence, _MAX_TEXT_CHARS), width, 9.7)
    notes = [
        line for note in (f"{graph.size}.", *graph.notes) for line in _wrapped(clean(note, _MAX_TEXT_CHARS), width, 8)
    ]
    top = 20 + len(title) * _LINE_HEIGHT_PX + len(notes) * 17
    layout = arrange(graph, top, longest)
    legend, bottom = _legend(graph, layout.height + 6, width)
    parts = [
        *_head(graph, width, bottom),
        f'<rect width="{_n(width)}" height="{_n(bottom)}" rx="10" fill="#ffffff" stroke="#d5dae0"/>',
        *_text_block(title, notes, graph),
        *_rows(layout, width),
    ]
    routes = sorted(route(strands, layout), key=lambda way: way.strand.red)  # red ones on top of the others
    parts += [_way(way, pale=graph.reason is not None) for way in routes]
    parts += _crashes(layout)
    parts += [_source(name, layout.boxes[name]) for name in ("genesis", "nobody") if graph.has(name)]
    parts += [_vertex(vertex, layout.boxes[vertex.position]) for vertex in graph.vertices]
    parts += [_caption(way) for way in routes if way.place is not None]
    return "\n".join([*parts, *legend, "</svg>", ""])


def _strands(graph: PrecedenceGraph) -> list[Strand]:
    """The lines to draw: one for all words that two operations share, except for edges of a contradiction."""
    together: dict[tuple[int | str, ...], list[Edge]] = {}
    for index, edge in enumerate(graph.edges):
        alone = (index,) if index in graph.contradicting else ()
        together.setdefault((edge.source, edge.target, edge.because, *alone), []).append(edge)
    strands = []
    for (*_, last), edges in together.items():
        edge = edges[0]
        words = "; ".join(map(_in_words, edges))
        if isinstance(last, int):
            label = f"{graph.number(last)} {edge.because} {clean(edge.says, 18)}".rstrip()
        else:
            label = clean(", ".join(edge.says for edge in edges), 24)
        strands.append(Strand(edge.source, edge.target, edge.because, label, words, isinstance(last, int)))
    return strands


def _head(graph: PrecedenceGraph, width: float, height: float) -> list[str]:
    kinds = [*dict.fromkeys(edge.because for edge in graph.edges)]
    colours = {kind: STROKES[kind].colour for kind in kinds} | {"red": RED}
    markers = [
        f'<marker id="tip-{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="{size}" markerHeight="{size}" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1 10 5 0 9z" fill="{colour}"/></marker>'
        for name, colour in colours.items()
        for size in [13 if name == "red" else 10]
    ]
    fades = [
        f'<linearGradient id="fade-{name}"><stop offset="0.6" stop-color="{colour}"/>'
        f'<stop offset="1" stop-color="{colour}" stop-opacity="0"/></linearGradient>'
        for name, colour in (("plain", "#eef2f6"), ("red", "#fdeceb"))
    ]
    size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc" font-family="{_SANS}">',
        f'<title id="title">{_e(clean(graph.sentence, _MAX_TEXT_CHARS))}</title>',
        f'<desc id="desc">{_e(_description(graph))}</desc>',
        f"<defs>{''.join([*markers, *fades])}</defs>",
    ]


def _description(graph: PrecedenceGraph) -> str:
    """The picture as text: its size, and the contradictions link by link."""
    sentences = [f"Precedence graph for the spec {clean(graph.spec)} with {graph.size}."]
    for number, each in enumerate(graph.contradictions, 1):
        links = "; ".join(_in_words(graph.edges[index]) for index in each[:20])
        more = f"; and {len(each) - 20} more" if len(each) > 20 else ""
        sentences.append(f"Contradiction {number}: {links}{more}.")
    return " ".join([*sentences, *(clean(note, _MAX_TEXT_CHARS) for note in graph.notes)])


def _in_words(edge: Edge) -> str:
    source = f"#{edge.source}" if isinstance(edge.source, int) else edge.source
    says = f" {clean(edge.says)}" if edge.says else ""
    return f"{source} before #{edge.target}, {edge.because}{says}"


def _text_block(title: list[str], notes: list[str], graph: PrecedenceGraph) -> list[str]:
    colour = {"violation": RED, "linearizable": "#00795a"}.get(graph.verdict, INK)
    lines = []
    y = 18.0
    for line in title:
        y += _LINE_HEIGHT_PX
        lines.append(
            f'<text x="{_n(_MARGIN_PX)}" y="{_n(y - 4)}" font-size="15" font-weight="600" fill="{colour}">{_e(line)}</text>'
        )
    for line in notes:
        y += 17
        lines.append(f'<text x="{_n(_MARGIN_PX)}" y="{_n(y)}" font-size="13" fill="{_GREY}">{_e(line)}</text>')
    return lines


def _rows(layout: GraphLayout, width: float) -> list[str]:
    lines = []
    for name, y in layout.rows:
        lines.append(
            f'<path d="M{_n(layout.left - 8)} {_n(y)}H{_n(width - _MARGIN_PX)}" stroke="#e3e8ee" stroke-width="1.5"/>'
        )
        lines.append(
            f'<text x="{_n(_MARGIN_PX)}" y="{_n(y + 4.5)}" font-size="13" font-family="{_MONO}" fill="{_GREY}">{_e(name)}</text>'
        )
    return lines


def _crashes(layout: GraphLayout) -> list[str]:
    lines = []
    for crash, x, start, end in layout.crashes:
        lines.append(
            f"<g><title>{_e(f'crash of {clean(crash.whose())} at {crash.time}')}</title>"
            f'<path d="M{_n(x)} {_n(start)}V{_n(end)}" stroke="{INK}" stroke-width="2" stroke-dasharray="7 4"/>'
            f'<rect x="{_n(x - 24)}" y="{_n(start - 3)}" width="48" height="18" rx="5" fill="{INK}"/>'
            f'<text x="{_n(x)}" y="{_n(start + 10)}" font-size="12" font-weight="600" fill="#ffffff" '
            f'text-anchor="middle">crash</text></g>'
        )
    return lines


def _way(way: Route, *, pale: bool) -> str:
    strand, stroke = way.strand, STROKES[way.strand.because]
    (x1, y1), *rest = way.curve.points
    curve = f"M{_n(x1)} {_n(y1)}C" + " ".join(f"{_n(x)} {_n(y)}" for x, y in rest)
    colour, tip, width = (RED, "red", 3.0) if strand.red else (stroke.colour, strand.because, 1.6)
    dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
    faint = _PALE_OPACITY if pale else 1.0
    faint *= _PALE_OPACITY if strand.because == "real-time" else 1.0
    opacity = "" if strand.red or faint == 1.0 else f' opacity="{faint:.2f}"'
    halo = f'<path d="{curve}" stroke="#ffffff" stroke-width="{_n(width + 4)}"/>' if strand.red else ""
    return (
        f'<g fill="none"{opacity}><title>{_e(strand.words)}</title>{halo}<path d="{curve}" stroke="{colour}" '
        f'stroke-width="{_n(width)}"{dashes} marker-end="url(#tip-{tip})"/></g>'
    )


def _caption(way: Route) -> str:
    box, red = way.place, way.strand.red
    assert box is not None
    colour = RED if red else STROKES[way.strand.because].colour
    x, y = box.middle
    border = f' stroke="{RED}" stroke-width="1"' if red else ""
    weight = ' font-weight="600"' if red else ""
    return (
        f"<g><title>{_e(way.strand.words)}</title>"
        f'<rect x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.right - box.left)}" height="{_n(box.bottom - box.top)}" '
        f'rx="5" fill="#ffffff" fill-opacity="0.92"{border}/><text x="{_n(x)}" y="{_n(y + 4)}" font-size="11.5"{weight} '
        f'font-family="{_MONO}" fill="{colour}" text-anchor="middle">{_e(way.strand.label)}</text></g>'
    )


def _source(name: str, box: Box) -> str:
    x, y = box.middle
    red = name == "nobody"
    look = f'stroke="{RED}" stroke-dasharray="5 3"' if red else f'stroke="{_GREY}"'
    title = "a value that no operation wrote" if red else "the initial values"
    return (
        f'<g><title>{title}</title><rect x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.right - box.left)}" '
        f'height="{_n(box.bottom - box.top)}" rx="17" fill="#ffffff" stroke-width="1.5" {look}/>'
        f'<text x="{_n(x)}" y="{_n(y + 4.5)}" font-size="13" text-anchor="middle" fill="{RED if red else INK}">{"no writer" if red else name}</text></g>'
    )


def _vertex(vertex: Vertex, box: Box) -> str:
    op, red = vertex.operation, vertex.contradicts
    colour, fill, width = (RED, "red", 2.5) if red else ("#8a94a0", "plain", 1.2)
    if box.open_end:
        shape = (
            f'<path d="M{_n(box.right)} {_n(box.top)}H{_n(box.left + 8)}q-8 0 -8 8V{_n(box.bottom - 8)}q0 8 8 8H{_n(box.right)}" '
            f'fill="url(#fade-{fill})" stroke="{colour}" stroke-width="{width}" stroke-dasharray="6 4"/>'
        )
    else:
        plain = "#fdeceb" if red else "#eef2f6"
        shape = (
            f'<rect x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.right - box.left)}" '
            f'height="{_n(box.bottom - box.top)}" rx="8" fill="{plain}" stroke="{colour}" stroke-width="{width}"/>'
        )
    x = box.left + 11
    return (
        f"<g><title>{_e(full(op))}</title>{shape}"
        f'<text x="{_n(x)}" y="{_n(box.top + 18)}" font-size="12" font-family="{_MONO}" fill="{_GREY}">'
        f"{_e(heading(vertex.position, op, name=vertex.name))}</text>"
        f'<text x="{_n(x)}" y="{_n(box.top + 35)}" font-size="12" font-family="{_MONO}" font-weight="600" fill="{INK}">'
        f"{_e(detail(op))}</text></g>"
    )


def _legend(graph: PrecedenceGraph, top: float, width: float) -> tuple[list[str], float]:
    """The legend of the lines, and the y of its end."""
    kinds = [kind for kind in STROKES if any(edge.because == kind for edge in graph.edges)]
    entries = [(f"{kind}: {STROKES[kind].meaning}", STROKES[kind].colour, STROKES[kind].dashes, 1.8) for kind in kinds]
    if any(vertex.operation.outcome is Outcome.UNKNOWN for vertex in graph.vertices):
        entries.append(("open box: unknown outcome", "#8a94a0", "6 4", 1.2))
    if graph.contradictions:
        entries.append(("thick and red: contradiction", RED, "", 3))
    parts = []
    x, y = _MARGIN_PX, top + 14
    for text, colour, dashes, thick in entries:
        wide = 52 + display_width(text) * 6.6
        if x > _MARGIN_PX and x + wide > width - _MARGIN_PX:
            x, y = _MARGIN_PX, y + 22
        pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(
            f'<path d="M{_n(x)} {_n(y)}h34" stroke="{colour}" stroke-width="{thick}"{pattern}/>'
            f'<text x="{_n(x + 42)}" y="{_n(y + 4)}" font-size="12" fill="{_GREY}">{_e(text)}</text>'
        )
        x += wide + 14
    return parts, y + (24 if entries else 6)


def _wrapped(text: str, width: float, letter: float) -> list[str]:
    return textwrap.wrap(text, max(20, int((width - 2 * _MARGIN_PX) / letter))) or [""]


def _e(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def _n(number: float) -> str:
    """A number with few digits, equal on every machine."""
    return f"{number:.1f}".removesuffix(".0")
