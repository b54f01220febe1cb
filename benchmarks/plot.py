# SPDX-License-Identifier: Apache-2.0
"""Plots as plain SVG, on two logarithmic axes: a scatter of two tools, and curves with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

COLOURS: Final = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#475569", "#111827", "#db2777", "#ca8a04")
_WIDTH, _HEIGHT, _MARGIN, _LEGEND = 720, 620, 70, 150


@dataclass(frozen=True, slots=True)
class Point:
    """A point with its label; ``low`` and ``high`` are its interval, ``open_end`` marks a lower bound."""

    x: float
    y: float
    label: str
    low: float | None = None
    high: float | None = None
    open_end: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis, laid out on pixels; ``low`` and ``high`` are powers of ten."""

    title: str
    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    @classmethod
    def around(cls, title: str, values: Iterable[float], start: float, end: float) -> Axis:
        """An axis of whole decades that shows all values."""
        logs = [math.log10(max(value, 1e-9)) for value in values] or [0.0]
        low = math.floor(min(logs))
        high = max(math.ceil(max(logs)), low + 1)
        return cls(title, low, high, start, end, tuple(10.0**power for power in range(low, high + 1)))

    @classmethod
    def through(cls, title: str, values: Iterable[float], start: float, end: float) -> Axis:
        """An axis with a tick at each of the values and a little room at both ends."""
        ticks = tuple(sorted(set(values))) or (1.0,)
        return cls(title, math.log10(ticks[0]) - 0.15, math.log10(ticks[-1]) + 0.15, start, end, ticks)

    def at(self, value: float) -> float:
        """The pixel of a value; a value beyond the axis is drawn at its end."""
        share = (math.log10(max(value, 1e-9)) - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def scatter(title: str, x_title: str, y_title: str, groups: Mapping[str, Sequence[Point]]) -> str:
    """Points of several groups on equal axes, with the lines where y is 1, 10 and 100 times x."""
    values = [value for points in groups.values() for point in points for value in (point.x, point.y)]
    x = Axis.around(x_title, values, _MARGIN, _WIDTH - _MARGIN)
    y = Axis.around(y_title, values, _HEIGHT - _MARGIN, _MARGIN)
    body = _frame(title, x, y)
    for factor in (1, 10, 100):
        body.append(_diagonal(x, y, factor))
    for colour, (name, points) in zip(_colours(groups), groups.items(), strict=True):
        body += [_mark(x.at(point.x), y.at(point.y), colour, f"{name}: {point.label}", point) for point in points]
    return _document(body, list(zip(groups, _colours(groups), strict=True)))


def curves(title: str, x_title: str, y_title: str, series: Mapping[str, Sequence[Point]]) -> str:
    """A line for each series, with a bar for the interval of each point."""
    points = [point for line in series.values() for point in line]
    x = Axis.through(x_title, [point.x for point in points], _MARGIN, _WIDTH - _MARGIN)
    reach = [value for point in points for value in (point.y, point.low, point.high) if value]
    y = Axis.around(y_title, reach, _HEIGHT - _MARGIN, _MARGIN)
    body = _frame(title, x, y)
    for colour, (name, line) in zip(_colours(series), series.items(), strict=True):
        path = " ".join(f"{x.at(point.x):.1f},{y.at(point.y):.1f}" for point in line)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for point in line:
            at = x.at(point.x)
            if point.low is not None and point.high is not None:
                ends = f'y1="{y.at(point.low):.1f}" y2="{y.at(point.high):.1f}"'
                body.append(f'<line x1="{at:.1f}" x2="{at:.1f}" {ends} stroke="{colour}"/>')
            body.append(_mark(at, y.at(point.y), colour, f"{name}: {point.label}", point))
    return _document(body, list(zip(series, _colours(series), strict=True)))


def _colours(names: Iterable[str]) -> list[str]:
    return [COLOURS[index % len(COLOURS)] for index, _ in enumerate(names)]


def _mark(x: float, y: float, colour: str, label: str, point: Point) -> str:
    """A disc for a decided point and a triangle for an undecided one; the label is shown on hover."""
    title = f"<title>{escape(label)}</title>"
    if point.open_end:
        corners = f"{x:.1f},{y - 6:.1f} {x - 5:.1f},{y + 4:.1f} {x + 5:.1f},{y + 4:.1f}"
        return f'<polygon points="{corners}" fill="none" stroke="{colour}">{title}</polygon>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}" fill-opacity="0.6">{title}</circle>'


def _diagonal(x: Axis, y: Axis, factor: float) -> str:
    """The line on which y is ``factor`` times x, between the edges of equal axes."""
    low, high = 10.0**x.low, 10.0**x.high / factor
    ends = f'x1="{x.at(low):.1f}" y1="{y.at(low * factor):.1f}" x2="{x.at(high):.1f}" y2="{y.at(high * factor):.1f}"'
    name = f'<text x="{x.at(high) - 4:.1f}" y="{y.at(high * factor) - 6:.1f}" text-anchor="end">{factor}x</text>'
    return f'<line {ends} stroke="#999" stroke-dasharray="{"none" if factor == 1 else "4 4"}"/>{name}'


def _frame(title: str, x: Axis, y: Axis) -> list[str]:
    """The title, the axes and a faint grid."""
    body = [f'<text x="{_WIDTH / 2}" y="28" text-anchor="middle" font-size="16">{escape(title)}</text>']
    for value in x.ticks:
        at = x.at(value)
        body.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y.start}" y2="{y.end}" stroke="#e5e5e5"/>')
        body.append(f'<text x="{at:.1f}" y="{y.start + 18}" text-anchor="middle">{value:g}</text>')
    for value in y.ticks:
        at = y.at(value)
        body.append(f'<line x1="{x.start}" x2="{x.end}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e5e5e5"/>')
        body.append(f'<text x="{x.start - 6}" y="{at + 4:.1f}" text-anchor="end">{value:g}</text>')
    middle = (x.start + x.end) / 2, (y.start + y.end) / 2
    body.append(f'<text x="{middle[0]}" y="{y.start + 42}" text-anchor="middle">{escape(x.title)}</text>')
    turned = f'transform="rotate(-90 18 {middle[1]})"'
    body.append(f'<text x="18" y="{middle[1]}" text-anchor="middle" {turned}>{escape(y.title)}</text>')
    return body


def _document(body: list[str], legend: list[tuple[str, str]]) -> str:
    for row, (name, colour) in enumerate(legend):
        at = _MARGIN + 20 * row
        body.append(f'<rect x="{_WIDTH - _MARGIN + 16}" y="{at - 9}" width="10" height="10" fill="{colour}"/>')
        body.append(f'<text x="{_WIDTH - _MARGIN + 32}" y="{at}">{escape(name)}</text>')
    size = f'width="{_WIDTH + _LEGEND}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH + _LEGEND} {_HEIGHT}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
            '<rect width="100%" height="100%" fill="white"/>',
            *body,
            "</svg>\n",
        ]
    )
