# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md stays one page and names every package, and the files that the developer pages name exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "linpoint"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
PAGES = [ARCHITECTURE, *sorted((ROOT / "docs" / "internals").glob("*.md"))]
AROUND = [
    ROOT,
    PACKAGE,
    ROOT / "src",
    ROOT / "native" / "src",
    *(path for path in sorted(PACKAGE.rglob("*")) if path.is_dir()),
    *(path for path in sorted((ROOT / "native" / "src").iterdir()) if path.is_dir()),
]


def test_the_architecture_is_one_page() -> None:
    assert len(ARCHITECTURE.read_text().split()) < 2200


def test_the_architecture_names_every_package() -> None:
    words = set(re.findall(r"[\w/]+", ARCHITECTURE.read_text()))
    names = {part for word in words for part in word.split("/")}
    packages = [path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE]
    assert not sorted(str(path.relative_to(PACKAGE)) for path in packages if path.name not in names)
    assert not sorted(path.name for path in (ROOT / "native").iterdir() if path.is_dir() and path.name not in names)


def test_the_files_that_pages_name_exist() -> None:
    missing = [
        f"{page.name}: {name}"
        for page in PAGES
        for name in re.findall(r"`([\w/.-]+(?:\.(?:py|cpp|hpp|cmake|jsonl|md)|/))`", page.read_text())
        if not any((folder / name).exists() for folder in AROUND)
    ]
    assert not missing
