# SPDX-License-Identifier: Apache-2.0
"""Rewrites the outputs in the documentation that have changed: `python -m tests.docs.refresh [PAGE...]`, then
read the diff.

Lines that still match stay unchanged, with their `...`; times and replay tokens in new lines become `...`. Outputs
with a line of only `...` must be edited by hand.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from tests.docs import pages

_CHANGING = re.compile(r"\d+\.\d{3} s|(?<=lp1-)[\w-]+")


def refreshed(expected: str, actual: str) -> str:
    """``actual``, with the lines of ``expected`` that still match."""
    kept = [line.rstrip() for line in expected.rstrip("\n").split("\n")]
    lines = []
    for line in actual.rstrip("\n").split("\n"):
        same = next((old for old in kept if pages.matches([old], [line.rstrip()])), None)
        lines.append(
            _CHANGING.sub(lambda match: "... s" if match[0].endswith("s") else "...", line) if same is None else same
        )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def refresh(page: Path) -> None:
    """Bring one page up to date, as far as that is possible automatically."""
    changes: list[tuple[str, str]] = []

    def note(expected: str, actual: str, place: str) -> None:
        if pages.matches(expected.rstrip("\n").split("\n"), actual.rstrip("\n").split("\n")):
            return
        if not expected.strip() or any(line.strip() == "..." for line in expected.splitlines()):
            print(f"{place}: please look at this one\n{actual}")
        else:
            changes.append((expected, refreshed(expected, actual)))
            print(f"{place}: refreshed")

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
