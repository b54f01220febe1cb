# SPDX-License-Identifier: Apache-2.0
"""Declarations in the sources of the zoo: the spec, the broken twins, and the lines to blame.

// zoo: spec=set sources=more.c kind=BUG_NODE:DL1,C2 BUG_LINK:C2
// zoo: kind=BUG_OTHER:C2
// scenario: BUG_NODE add(1)
node->key = key;  // blame: BUG_NODE DL1; BUG_OTHER C2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ZOO = Path(__file__).parent / "zoo"
_ZOO = re.compile(r"^// zoo: (.*)$", re.MULTILINE)
_SCENARIO = re.compile(r"^(?://| \*) scenario: (\w+) (.*)$", re.MULTILINE)
_BLAME = re.compile(r"blame: ([^*]*)")


@dataclass(frozen=True)
class Twin:
    """A structure, correct or broken in one way."""

    file: str
    spec: str
    sources: tuple[str, ...]
    bug: str = ""
    classes: frozenset[str] = frozenset()
    """Classes that the finding may have."""
    kind: str = ""
    """The class that the twin is written for, which the finding must have."""
    scenario: str = ""
    """A scenario that shows the bug, if one is known."""
    blamed: frozenset[str] = frozenset()
    """Places, one of which the finding must blame."""

    def __str__(self) -> str:
        return f"{self.file}-{self.bug or 'whole'}"

    @property
    def words(self) -> list[str]:
        """The arguments after the options."""
        flags = [f"-D{self.bug}"] if self.bug else []
        return ["--", *flags, *self.sources]


def twins() -> list[Twin]:
    """All structures of the zoo."""
    return [twin for file in sorted(ZOO.glob("*.cpp")) for twin in _twins(file)]


def _twins(file: Path) -> list[Twin]:
    text = file.read_text(encoding="utf-8")
    words = [word for said in _ZOO.findall(text) for word in said.split()]
    assert words, file
    spec = next(word.partition("=")[2] for word in words if word.startswith("spec="))
    sources = tuple(source for word in words if word.startswith("sources=") for source in word[8:].split(","))
    kinds = [word.removeprefix("kind=") for word in words if ":" in word]
    every = (text, *((file.parent / source).read_text(encoding="utf-8") for source in sources))
    scenarios = dict(found for each in every for found in _SCENARIO.findall(each))
    whole = Twin(file.name, spec, sources)
    return [
        whole,
        *(
            Twin(
                file.name,
                spec,
                sources,
                bug,
                frozenset(classes.split(",")),
                classes.partition(",")[0],
                scenarios.get(bug, ""),
                frozenset(_blamed([file.name, *sources], bug)),
            )
            for bug, _, classes in (kind.partition(":") for kind in kinds)
        ),
    ]


def _blamed(files: list[str], bug: str) -> list[str]:
    """The lines to which comments attribute a bug."""
    found = []
    for name in files:
        for number, line in enumerate((ZOO / name).read_text(encoding="utf-8").splitlines(), 1):
            told = _BLAME.search(line)
            if told and any(part.split()[:1] == [bug] for part in told[1].split(";")):
                found.append(f"{name}:{number}")
    return found
