# SPDX-License-Identifier: Apache-2.0
"""A walk as a picture: one row for each layer, top to bottom; modules from left to right in the order of their first calls."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from tools.walks.walk import Walk

_BOX_WIDTH: Final = 176
_BOX_HEIGHT: Final = 34
_GAP: Final = 12
_ROW_GAP: Final = 46
_LABEL_WIDTH: Final = 150
_MODULES_A_LINE: Final = 8
_STYLE: Final = """
text { font: 11px sans-serif; fill: #1b1f24 }
.layer { font-weight: bold; font-size: 13px }
.number { fill: #57606a; font-size: 10px }
rect { fill: #f6f8fa; stroke: #8c959f; rx: 5px }
path { fill: none; stroke: #0969da; stroke-opacity: .22 }
path.up { stroke: #cf222e; stroke-opacity: .9; stroke-width: 2px }
"""


def draw_walk(walk: Walk, ranks: Mapping[str, int]) -> str:
    """The picture as SVG."""
    rows = _rows(walk, ranks)
    places: dict[str, tuple[int, int]] = {}
    boxes: list[str] = []
    y = _GAP
    numbers = {module: number for number, module in enumerate(walk.modules, 1)}
    for layer, modules in rows:
        boxes.append(f'<text class="layer" x="{_GAP}" y="{y + 21}">{escape(layer)}</text>')
        for at, module in enumerate(modules):
            line, column = divmod(at, _MODULES_A_LINE)
            x = _LABEL_WIDTH + column * (_BOX_WIDTH + _GAP)
            top = y + line * (_BOX_HEIGHT + _GAP)
            places[module] = x + _BOX_WIDTH // 2, top
            boxes.append(_box(x, top, numbers[module], module))
        y += (1 + (len(modules) - 1) // _MODULES_A_LINE) * (_BOX_HEIGHT + _GAP) + _ROW_GAP
    up = {(each.caller, each.callee) for each in walk.upward_calls(ranks)}
    pairs = dict.fromkeys((each.caller, each.callee) for each in walk.calls)
    lines = [_line(places[one], places[other], up=(one, other) in up) for one, other in pairs]
    width = _LABEL_WIDTH + _MODULES_A_LINE * (_BOX_WIDTH + _GAP)
    size = f'width="{width}" height="{y}" viewBox="0 0 {width} {y}"'
    title = f"<title>{escape(walk.engine)}: {len(walk.modules)} modules</title>"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            title,
            f"<style>{_STYLE}</style>",
            *lines,
            *boxes,
            "</svg>",
        ]
    )


def _rows(walk: Walk, ranks: Mapping[str, int]) -> list[tuple[str, list[str]]]:
    """Modules by package, packages from the highest layer to the lowest."""
    packages: dict[str, list[str]] = {}
    for module in walk.modules:
        packages.setdefault(module.partition(".")[0], []).append(module)
    return sorted(packages.items(), key=lambda row: (-ranks.get(row[0], len(ranks)), row[0]))


def _box(x: int, y: int, number: int, module: str) -> str:
    package, _, name = module.rpartition(".")
    inner = package.partition(".")[2]
    return (
        f'<rect x="{x}" y="{y}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}"/>'
        f'<text class="number" x="{x + 6}" y="{y + 12}">{number} {escape(inner)}</text>'
        f'<text x="{x + 6}" y="{y + 27}">{escape(name)}</text>'
    )


def _line(start: tuple[int, int], end: tuple[int, int], *, up: bool) -> str:
    (x1, y1), (x2, y2) = (start[0], start[1] + _BOX_HEIGHT), end
    if y2 < y1:  # within a row, or up
        y1, y2 = start[1], end[1] + (_BOX_HEIGHT if end[1] < start[1] else 0)
        bend = min(y1, y2) - _ROW_GAP // 2
        path = f"M{x1} {y1} Q{(x1 + x2) // 2} {bend} {x2} {y2}"
    else:
        middle = (y1 + y2) // 2
        path = f"M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}"
    return f'<path class="up" d="{path}"/>' if up else f'<path d="{path}"/>'
