# SPDX-License-Identifier: Apache-2.0
"""The reports: a table that grows as cells are measured, a CSV file, and a summary at the end."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TextIO

from benchmarks.measuring import Comparison, Measurement

HEADER: Final = (
    f"{'cell':<26}{'ops':>7} |{'linpoint':>11}{'peak':>9} |{'Porcupine':>11}{'peak':>9} |{'ratio':>10}  verdict"
)
_COLUMNS: Final = ("verdict", "seconds", "runs", "reading", "operations", "peak", "checker", "configurations", "note")


def row(comparison: Comparison) -> str:
    """A row of the table. The ratio is Porcupine's time over linpoint's: above 1x linpoint is faster."""
    ours, theirs = comparison.ours, comparison.theirs
    operations = ours.operations or (theirs.operations if theirs else 0)
    said = ours.verdict if theirs is None or theirs.verdict == ours.verdict else f"{ours.verdict} | {theirs.verdict}"
    notes = [comparison.wrong]
    if comparison.ratio is not None and comparison.ratio < 1:
        notes.insert(0, "Porcupine is faster" if theirs and theirs.decided else "")
    return (
        f"{comparison.cell.name:<26}{operations:>7} |{_cost(ours)} |{_cost(theirs)} |{ratio(comparison):>10}  "
        f"{'; '.join(filter(None, [said, *notes]))}"
    )


def ratio(comparison: Comparison) -> str:
    """The ratio with its bound, or a dash."""
    return "-" if comparison.ratio is None else f"{comparison.bound}{_times(comparison.ratio)}"


def _cost(measurement: Measurement | None) -> str:
    if measurement is None:
        return f"{'-':>11}{'-':>9}"
    return f"{duration(measurement):>11}{memory(measurement.peak):>9}"


def duration(measurement: Measurement) -> str:
    """The time it took, with ``>`` if the tool did not decide."""
    if measurement.verdict == "error":
        return "error"
    return f"{'' if measurement.decided else '>'}{seconds(measurement.seconds)}"


def seconds(amount: float) -> str:
    """A time span with three significant digits."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if amount >= unit or name == "us":
            return f"{amount / unit:.3g} {name}" if amount < 1000 * unit else f"{amount / unit:.0f} {name}"
    raise AssertionError


def memory(amount: int) -> str:
    """A size in powers of 1024."""
    return f"{amount / 2**30:.2f} G" if amount >= 2**30 else f"{amount / 2**20:.0f} M"


def _times(amount: float) -> str:
    return f"{amount:.0f}x" if amount >= 100 else f"{amount:.3g}x"


class Table:
    """A CSV file that is complete after every row, so that Ctrl-C loses nothing."""

    def __init__(self, path: Path) -> None:
        self._file: TextIO = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._file)
        self._writer.writerow(
            [
                *("cell", "expected"),
                *(f"{tool}_{column}" for tool in ("linpoint", "porcupine") for column in _COLUMNS),
                *("ratio", "bound", "wrong"),
            ]
        )
        self._file.flush()

    def add(self, comparison: Comparison) -> None:
        """Write a row."""
        both = (comparison.ours, comparison.theirs)
        self._writer.writerow(
            [comparison.cell.name, comparison.cell.expected]
            + [None if each is None else getattr(each, column) for each in both for column in _COLUMNS]
            + [comparison.ratio, comparison.bound, comparison.wrong]
        )
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def summary(results: Iterable[Comparison]) -> list[str]:
    """The headline figures, each with what it was measured on; cells that were not run are listed as such."""
    by_name = {each.cell.name: each for each in results}
    lines = [
        _total(by_name, "etcd", ("etcd",)),
        _total(by_name, "key-value files", ("kv",)),
        _total(by_name, "etcd, failed CAS observed", ("etcd-observed",)),
    ]
    headlines: tuple[tuple[str, Callable[[Comparison], str]], ...] = (
        ("cas/10k/10p/good", _plain),
        ("cas/10k/10p/bad", _plain),
        ("cas/10k/10p/unwritten", _plain),
        ("cas/100k/10p/good", _with_peak),
        ("cas/1k/4p/bad/u8", _plain),
        ("cas/1k/4p/bad/u12", _plain),
        ("cas/1k/4p/unwritten/u8", _plain),
        ("cas/1k/4p/unwritten/u12", _plain),
        ("cas/1k/30p/good", _plain),
        ("cas/1k/30p/bad", _plain),
        *((f"map/10k/{processes}p/{kind}", _plain) for processes in (4, 10, 30) for kind in ("good", "bad")),
    )
    lines += [f"{name:<28}{show(by_name[name]) if name in by_name else 'not run'}" for name, show in headlines]
    lines += [_easy(by_name, values) for values in ("few", "unique")]
    ahead = [name for name, each in by_name.items() if each.ratio is not None and each.ratio < 1]
    compared = sum(each.ratio is not None for each in by_name.values())
    lines.append(f"Porcupine is faster in {len(ahead)} of {compared} cells that at least one of the two decided")
    undecided = [name for name, each in by_name.items() if not each.ours.decided]
    lines.append(f"linpoint did not decide {len(undecided)} of {len(by_name)}: {', '.join(undecided) or 'none'}")
    return lines


def _plain(comparison: Comparison) -> str:
    theirs = "-" if comparison.theirs is None else duration(comparison.theirs)
    return f"linpoint {duration(comparison.ours)}, Porcupine {theirs}, ratio {ratio(comparison)}"


def _with_peak(comparison: Comparison) -> str:
    theirs = "-" if comparison.theirs is None else memory(comparison.theirs.peak)
    return f"{_plain(comparison)}; peak {memory(comparison.ours.peak)} and {theirs}"


def _total(by_name: Mapping[str, Comparison], title: str, groups: tuple[str, ...]) -> str:
    members = [each for each in by_name.values() if each.cell.group in groups]
    if not members:
        return f"{title:<28}not run"
    ours = sum(each.ours.seconds for each in members)
    open_ones = sum(not each.ours.decided for each in members)
    text = f"{title:<28}{len(members)} files: linpoint {seconds(ours)}"
    if open_ones:
        text += f" ({open_ones} not decided)"
    pairs = [(each.ours, each.theirs) for each in members if each.theirs is not None]
    if len(pairs) < len(members):
        return f"{text}, Porcupine did not run"
    theirs = sum(their.seconds for _, their in pairs)
    open_ones = sum(not their.decided for _, their in pairs)
    text += f", Porcupine {seconds(theirs)}" + (f" ({open_ones} not decided)" if open_ones else "")
    compared = [each for each in members if each.ratio is not None]
    ahead = sum((each.ratio or 0) > 1 for each in compared)
    least = min(compared, key=lambda each: each.ratio or 0, default=None)
    lowest = "" if least is None else f", least {ratio(least)} ({least.cell.name})"
    return f"{text}, ratio {_times(theirs / max(ours, 1e-9))}; ahead on {ahead} of {len(compared)}{lowest}"


def _easy(by_name: Mapping[str, Comparison], values: str) -> str:
    title = f"easy/{values}"
    built_in, user = by_name.get(title), by_name.get(f"{title}/user-spec")
    if built_in is None or user is None or not (built_in.ours.decided and user.ours.decided):
        return f"{title:<28}not run, or not decided"
    rates = [each.ours.operations / max(each.ours.seconds, 1e-9) for each in (built_in, user)]
    return (
        f"{title:<28}{rates[0]:,.0f} operations/s with the built-in spec, {rates[1]:,.0f} with one in Python "
        f"({rates[0] / rates[1]:.2f} times as fast); {_plain(built_in)}"
    )
