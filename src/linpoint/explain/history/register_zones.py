# SPDX-License-Identifier: Apache-2.0
"""The zones of the values of a register (Gibbons and Korach, *Testing shared memories*): the times when each was
current.

A value whose operations do not all overlap was certainly current from the first of their returns to the last of their
calls: its forward zone. Other values may have been current only for an instant within all of their operations: a
backward zone. Two overlapping forward zones, or a backward zone inside a forward one, are a violation. A value and its
replacement by a CAS share a zone. These zones are only for display: the verdict does not depend on them, and values
that were written twice are left out.

That an observed value was current depends on real time and on a single object. So there are no zones if operations may
take effect outside of their times (``sequential``), a crash may undo completed operations (``buffered-durable``),
clocks may differ, or the operations belong to several keys. Cost: O(operations of the key).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.page_operations import in_violation
from linpoint.explain.pages.script_data import plain
from linpoint.explain.wording.operation_names import key_of
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.values import Value, canonical, format_value
from linpoint.specs.spec import Spec
from linpoint.verdicts import Verdict

_MAX_ZONES: Final = 24
_MIN_CONTRADICTING: Final = 2
"""The number of zones that can contradict each other."""
_MAX_OPERATIONS: Final = 200_000
_WIDTH: Final = 900.0
_ROW_HEIGHT: Final = 24.0
_LABEL_WIDTH: Final = 150.0


@dataclass(slots=True)
class ValueZone:
    """The zone of a value, or of a chain of values that replaced each other, from the times of their operations."""

    first: Value
    last: Value
    written_once: bool = True
    first_return: Time = float("inf")
    last_call: Time = float("-inf")
    operations: set[int] = field(default_factory=set)
    joined: ValueZone | None = None
    """The zone that this one was merged into."""

    @property
    def forward(self) -> bool:
        """Whether the values were certainly current for some time."""
        return self.first_return < self.last_call

    @property
    def span(self) -> tuple[Time, Time]:
        """The start and the end of its drawing."""
        return min(self.first_return, self.last_call), max(self.first_return, self.last_call)

    @property
    def name(self) -> str:
        """The value; for a chain, the first and the last value."""
        first, last = plain(format_value(self.first), 14), plain(format_value(self.last), 14)
        return first if first == last else f"{first} → {last}"

    def whole(self) -> ValueZone:
        """The zone that contains this one after all merges."""
        zone = self
        while zone.joined is not None:
            zone.joined = zone.joined.joined or zone.joined
            zone = zone.joined
        return zone


@dataclass(frozen=True, slots=True)
class ZoneRow:
    """The row of a zone in the drawing."""

    zone: ValueZone
    in_core: bool
    """Whether an operation of the minimal history wrote or observed the value."""
    top: float
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class ZoneRows:
    """The rows for ``templates/value_zones.html``."""

    rows: tuple[ZoneRow, ...]
    height: float
    width: float = _WIDTH
    label_width: float = _LABEL_WIDTH
    row_height: float = _ROW_HEIGHT


def value_zones(explanation: Explanation) -> list[ValueZone]:
    """The zones around a violation of a register, with those of its operations; empty if they are not informative."""
    verdict = explanation.verdict
    bad = in_violation(explanation)
    if not bad or not has_zones(verdict.spec) or len(bad[0].positions) > _MAX_OPERATIONS:
        return []
    if verdict.condition in NOT_LOCAL or verdict.history.clock_skew or not _of_one_object(verdict, bad[0].positions):
        return []
    core = set(explanation.core)
    found = _all_zones(verdict, bad[0].positions)
    once = [zone for zone in found if zone.written_once and zone.span[1] < float("inf")]
    of_core = [zone for zone in once if zone.operations & core]
    if len(of_core) < _MIN_CONTRADICTING:
        return []
    middle = max(zone.span[0] for zone in of_core)
    near = sorted((zone for zone in once if zone not in of_core), key=lambda zone: abs(zone.span[0] - middle))
    return sorted([*of_core[:_MAX_ZONES], *near[: max(0, _MAX_ZONES - len(of_core))]], key=lambda zone: zone.span)


def _of_one_object(verdict: Verdict, positions: Sequence[int]) -> bool:
    ops = verdict.history.operations
    return len({canonical(key_of(verdict.spec, ops[position])) for position in positions}) == 1


def _all_zones(verdict: Verdict, positions: Sequence[int]) -> list[ValueZone]:
    ops, spec = verdict.history.operations, verdict.spec
    touched = [(position, list(_values(spec, ops[position]))) for position in positions]
    seen = {
        canonical(value)
        for position, values in touched
        for value, writes in values
        if not writes and _known(ops[position])
    }
    written: dict[Any, int] = {}
    chains: dict[Any, ValueZone] = {}
    for position, values in touched:
        op = ops[position]
        unseen = not _known(op) and not all(canonical(value) in seen for value, writes in values if writes)
        if unseen or not values:
            continue
        for value, writes in values:
            written[canonical(value)] = written.get(canonical(value), 0) + writes
            chains.setdefault(canonical(value), ValueZone(value, value))
        zone, *new = (chains[canonical(value)].whole() for value, _ in values)
        if new and new[0] is not zone:
            zone = _join(zone, new[0])
        zone.operations.add(position)
        zone.first_return, zone.last_call = min(zone.first_return, op.end), max(zone.last_call, op.call)
    for form, times in written.items():
        chains[form].whole().written_once &= times <= 1
    return [zone for zone in chains.values() if zone.joined is None]


def _join(old: ValueZone, new: ValueZone) -> ValueZone:
    """Merge the zones of a value and its replacement, which were current one after the other."""
    large, small = (old, new) if len(old.operations) >= len(new.operations) else (new, old)
    large.first, large.last = old.first, new.last
    large.first_return = min(old.first_return, new.first_return)
    large.last_call = max(old.last_call, new.last_call)
    large.operations |= small.operations
    small.joined = large
    return large


def _known(op: Operation) -> bool:
    return op.outcome is Outcome.OK


def has_zones(spec: Spec) -> bool:
    """Whether values of this spec have zones: registers, and the entries of a map."""
    return spec.twin is not None and spec.twin.kind in ("register", "map")


def _values(spec: Spec, op: Operation) -> Iterator[tuple[Value, bool]]:
    """The values that an operation observed (False), then those that it wrote (True), if it took effect."""
    args = spec.arguments(op)[spec.key_argument :]
    match op.outcome, spec.step(op).name, args:
        case Outcome.OK, ("read" | "get"), () if op.result is not None:
            yield op.result, False
        case _, ("write" | "put"), (value,):
            yield value, True
        case _, "insert", (value,) if op.result is not False:
            yield value, True
        case _, "cas", (old, new) if op.result is not False:
            yield old, False
            yield new, True
        case Outcome.OK, "swap", (value,):
            yield op.result, False
            yield value, True


def zone_rows(zones: Sequence[ValueZone], core: Iterable[int]) -> ZoneRows:
    """Lay out the zones as rows, one for each value; only the order of their times is kept."""
    needed = set(core)
    ranks = {time: at for at, time in enumerate(sorted({time for zone in zones for time in zone.span}))}
    step = (_WIDTH - _LABEL_WIDTH - 20) / max(len(ranks), 1)
    rows = []
    for at, zone in enumerate(zones):
        left, right = (_LABEL_WIDTH + ranks[time] * step for time in zone.span)
        rows.append(ZoneRow(zone, not needed.isdisjoint(zone.operations), 4 + at * _ROW_HEIGHT, left, right))
    return ZoneRows(tuple(rows), len(zones) * _ROW_HEIGHT + 8)
