# SPDX-License-Identifier: Apache-2.0
"""The coverage of a campaign: its cost, its counts, and their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

_EXPLORED: Final = ("bounded_schedules", "schedules", "steps")
COUNTS: Final[Mapping[str, tuple[str, ...]]] = {
    "program": _EXPLORED,
    "test": (*_EXPLORED, "scenarios"),
    "model": ("states", "transitions", "depth", "bytes_per_state", "spec_sets"),
    "crash": (
        "operations",
        "schedules",
        "crash_tests",
        "crash_tests_by_kind",
        "crash_tests_a_second",
        "duplicates",
        "retests",
        "infeasible_schedules",
        "judgements",
        "probes",
        "stores",
        "flushes",
        "fences",
        "allocations",
        "points",
        "edges",
    ),
    "stress": ("runs", "operations"),
}
"""The counts of each kind of subject, in the order of the JSON contract. Stress tests add measurements."""
_MAPPINGS: Final = frozenset(("crash_tests_by_kind", "points"))
_DECIMALS: Final = {"bytes_per_state": 1, "crash_tests_a_second": 1}


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of a campaign. Each count is also an attribute, such as ``coverage.schedules``; ``counts`` lists
    them.

    For programs and tests, ``bounded_schedules`` counts runs with few preemptions and ``schedules`` the runs of
    unbounded searches. For models, ``depth`` is in steps and ``spec_sets`` counts the sets of states that the spec
    allowed after different runs. For crashes, ``duplicates`` counts crash states like an earlier one, which were not
    tested again.
    """

    seconds: float = 0.0
    peak_memory_bytes: int = 0
    counts: Mapping[str, Any] = field(default_factory=dict)
    """Numbers, or numbers by name."""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    """The limits of the search, such as preemptions, threads or processes."""

    def __getattr__(self, name: str) -> Any:
        if name == "counts" or name not in self.counts:  # during copying, an object has no counts yet
            raise AttributeError(f"no {name} was counted", name=name, obj=self)
        return self.counts[name]

    def with_counts(self, **counts: Any) -> Coverage:
        """A copy with these counts changed."""
        return replace(self, counts={**self.counts, **counts})

    def as_dict(self) -> dict[str, Any]:
        """The statistics of the JSON contract."""
        counts = {name: _json_value(name, value) for name, value in self.counts.items()}
        return {"seconds": round(self.seconds, 6), "peak_memory_bytes": self.peak_memory_bytes, **counts}


def coverage_of(
    kind: str,
    *,
    seconds: float = 0.0,
    peak_memory_bytes: int = 0,
    bounds: Mapping[str, Any] | None = None,
    **counts: Any,
) -> Coverage:
    """The coverage of a kind of subject, with 0 for each missing count."""
    known: dict[str, Any] = {name: {} if name in _MAPPINGS else 0 for name in COUNTS[kind]}
    unknown = counts.keys() - known.keys()
    if unknown and kind != "stress":
        raise TypeError(f"a {kind} has no {sorted(unknown)}")
    return Coverage(seconds, peak_memory_bytes, known | counts, bounds or {})


def _json_value(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return round(value, _DECIMALS[name]) if name in _DECIMALS else value
