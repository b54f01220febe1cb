# SPDX-License-Identifier: Apache-2.0
"""Rewrites the outputs in the documentation that have changed: `python -m tests.docs.refresh [PAGE...]`, then
read the diff.

Lines that still match stay unchanged, with their `...`; times and replay tokens in new lines become `...`. In outputs
with a line of only `...`, each line is replaced by the most similar one.
"""

from __future__ import annotations

import difflib
import re
import sys
import tempfile
from pathlib import Path

from tests.docs import pages

_CHANGING = re.compile(r"\d+\.\d+ s\b|(?<=lp1-)[\w-]+")
_COUNT = re.compile(
    r"(?<=run )\d+|[\d,]+(?= (?:schedules|states|stress runs|configurations|crash states|of \d+ operations))"
)
_MIN_LIKENESS = 0.35


def refreshed(expected: str, actual: str) -> str:
    """``actual``, with the lines of ``expected`` that still match."""
    kept = [line.rstrip() for line in expected.rstrip("\n").split("\n")]
    lines = []
    for line in actual.rstrip("\n").split("\n"):
        same = next((old for old in kept if pages.matches([old], [line.rstrip()])), None)
        lines.append(_CHANGING.sub(_placeholder, line) if same is None else same)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def aligned(expected: str, actual: str) -> str:
    """The lines of ``actual`` that are most like those of ``expected``, in order, and ``...`` for those between."""
    wanted = [line.rstrip() for line in expected.rstrip("\n").split("\n") if line.strip() != "..."]
    have = [_CHANGING.sub(_placeholder, line.rstrip()) for line in actual.rstrip("\n").split("\n")]
    best: list[list[tuple[float, tuple[int, ...]]]] = [[(0.0, ())] * (len(have) + 1)]
    for line in wanted:
        row = [(best[-1][0][0], (*best[-1][0][1], -1))]
        for at, other in enumerate(have):
            same = pages.matches([line], [other])
            alike = 2.0 if same and line else difflib.SequenceMatcher(None, line, other, autojunk=False).ratio()
            skipped = best[-1][at + 1]
            score, chosen = best[-1][at]
            options = [row[-1], (skipped[0], (*skipped[1], -1))]
            if alike > _MIN_LIKENESS:
                options.append((score + alike, (*chosen, at)))
            row.append(max(options, key=lambda option: option[0]))
        best.append(row)
    kept = [(at, line) for at, line in zip(best[-1][-1][1], wanted, strict=True) if at >= 0]
    lines, last = [], -1
    for at, line in kept:
        if at != last + 1:
            lines.append("...")
        same = pages.matches([line], [have[at]])
        lines.append(line if same else _COUNT.sub("...", have[at]) if "..." in line else have[at])
        last = at
    return "".join(f"{line}\n" for line in (lines if last == len(have) - 1 else [*lines, "..."]))


def _placeholder(found: re.Match[str]) -> str:
    return "... s" if found[0][0].isdigit() and found[0].endswith(" s") else "..."


def refresh(page: Path) -> None:
    """Bring one page up to date, as far as that is possible automatically."""
    changes: list[tuple[str, str]] = []

    def note(expected: str, actual: str, place: str) -> None:
        if pages.matches(expected.rstrip("\n").split("\n"), actual.rstrip("\n").split("\n")):
            return
        if not expected.strip():
            print(f"{place}: please look at this one\n{actual}")
            return
        partial = any(line.strip() == "..." for line in expected.splitlines())
        changes.append((expected, (aligned if partial else refreshed)(expected, actual)))
        print(f"{place}: refreshed{' in part: compare' if partial else ''}")

    pages.compare = note
    with tempfile.TemporaryDirectory() as folder:
        pages.run_page(page, Path(folder))
    text = page.read_text(encoding="utf-8")
    for expected, actual in changes:
        text = text.replace(expected, actual)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in (Path(name).resolve() for name in sys.argv[1:]) if len(sys.argv) > 1 else pages.PAGES:
        refresh(each)
