# SPDX-License-Identifier: Apache-2.0
"""The zones of the values of a register (Gibbons and Korach, *Testing shared memories*): when each was current.

A value whose operations do not all overlap was certainly current from the first of their returns to the last of their
calls: its forward zone. The others could have been current at one instant within all of them: a backward zone. Two
forward zones that overlap, or a backward one inside a forward one, are a violation. Here they are for people to look
at; the verdict does not rest on them, and values that were written twice are left out. Cost: O(operations of the key).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.explain.explanation import Explanation
from linpoint.explain.html.escaping import escaped, plain
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.values import Value, canonical, show
from linpoint.specs.protocol import Spec
from linpoint.verdicts import KeyVerdict, Status

_MOST: Final = 24
_MOST_OPERATIONS: Final = 200_000
_WIDTH: Final = 900.0
_ROW: Final = 24.0
_LABEL: Final = 110.0


@dataclass(slots=True)
class Zone:
    """The operations that wrote or saw one value, by their times."""

    value: Value
    written: int = 0
    first_return: Time = float("inf")
    last_call: Time = float("-inf")
    operations: set[int] = field(default_factory=set)

    @property
    def forward(self) -> bool:
        """Whether the value was certainly current for a while."""
        return self.first_return < self.last_call

    @property
    def span(self) -> tuple[Time, Time]:
        """From where to where it is drawn."""
        return min(self.first_return, self.last_call), max(self.first_return, self.last_call)


def zones(explanation: Explanation) -> list[Zone]:
    """The zones around a violation of a register, those of its operations among them; empty for anything else."""
    key = _violated(explanation)
    if key is None or not has_zones(explanation.verdict.spec) or len(key.positions) > _MOST_OPERATIONS:
        return []
    ops = explanation.verdict.history.operations
    found: dict[Any, Zone] = {}
    for position in key.positions:
        op = ops[position]
        for value, writes in _values(explanation.verdict.spec, op):
            zone = found.setdefault(canonical(value), Zone(value))
            zone.written += writes
            zone.operations.add(position)
            zone.first_return = min(zone.first_return, op.end)
            zone.last_call = max(zone.last_call, op.call)
    core = set(explanation.core)
    once = [zone for zone in found.values() if zone.written <= 1 and zone.span[1] < float("inf")]
    told = [zone for zone in once if len(zone.operations & core) > 1]
    if not told:
        return []
    middle = max(zone.span[0] for zone in told)
    near = sorted((zone for zone in once if zone not in told), key=lambda zone: abs(zone.span[0] - middle))
    return sorted([*told[:_MOST], *near[: max(0, _MOST - len(told))]], key=lambda zone: zone.span)


def has_zones(spec: Spec) -> bool:
    """Whether values of this spec have zones: registers, and the entries of a map."""
    return spec.twin is not None and spec.twin.kind in ("register", "map")


def _violated(explanation: Explanation) -> KeyVerdict | None:
    bad = [key for key in explanation.verdict.keys if key.status is Status.VIOLATION]
    return next((key for key in bad if key not in explanation.others), None)


def _values(spec: Spec, op: Operation) -> Iterator[tuple[Value, bool]]:
    """The values that an operation wrote (True) or saw (False); what it may have done counts for nothing."""
    if op.outcome is not Outcome.OK:
        return
    args = spec.arguments(op)[spec.key_argument :]
    match spec.step(op).name, args:
        case (("read" | "get"), ()):
            if op.result is not None:
                yield op.result, False
        case (("write" | "put"), (value,)):
            yield value, True
        case "insert", (value,) if op.result is not False:
            yield value, True
        case "cas", (old, new) if op.result is not False:
            yield old, False
            yield new, True
        case "swap", (value,):
            yield op.result, False
            yield value, True


def picture(found: Sequence[Zone], core: Iterable[int]) -> str:
    """The zones as an SVG: a row for each value, full bars for forward zones, hollow ones for backward zones."""
    told = set(core)
    ranks = {time: at for at, time in enumerate(sorted({time for zone in found for time in zone.span}))}
    step = (_WIDTH - _LABEL - 20) / max(len(ranks), 1)
    height = len(found) * _ROW + 8
    parts = [
        (
            f'<svg class="zones" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" width="{_WIDTH:.0f}" height="{height:.0f}" '
            'role="img" aria-label="When each value was current">'
        )
    ]
    for row, zone in enumerate(found):
        start, end = (_LABEL + ranks[time] * step for time in zone.span)
        kind = ("forward" if zone.forward else "backward") + (" told" if len(zone.operations & told) > 1 else "")
        y = 4 + row * _ROW
        what = "certainly current" if zone.forward else "current at an instant within this time"
        said = f"{show(zone.value)}: {what}, from {zone.span[0]} to {zone.span[1]}"
        parts.append(
            f'<g class="zone {kind}"><title>{escaped(said)}</title>'
            f'<line class="lane" x1="{_LABEL:.0f}" x2="{_WIDTH:.0f}" y1="{y + _ROW / 2:.1f}" y2="{y + _ROW / 2:.1f}"/>'
            f'<text x="{_LABEL - 10:.0f}" y="{y + 16:.1f}" text-anchor="end">{escaped(plain(show(zone.value), 14))}</text>'
            f'<rect x="{start:.1f}" y="{y + 4:.1f}" width="{max(end - start, 5):.1f}" height="{_ROW - 8:.0f}" rx="3"/></g>'
        )
    return "".join([*parts, "</svg>"])
