# SPDX-License-Identifier: Apache-2.0
"""Checks of prose, run by ``make lint``: ``python -m tools.plain_english [--all]``.

Three checks: phrases that have a plainer form, in all texts and sources; sentences of more than 30 words, in the README
and in the help of every command; and links between Markdown files. A few phrases are left, and their number may only fall;
``--all`` prints them. The exit code is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
MAX_WORDS: Final = 30

PHRASES: Final = {
    r"told apart": "distinct",
    r"(?:are|is|was|be|being) told": "name the reader, or: reports, prints",
    r"telling": "reports, shows",
    r"so many": "N, up to N",
    r"for so long": "TIME",
    r"for ever": "forever, indefinitely, never ends",
    r"nobody|somebody": "the reader, another thread, the caller",
    r"wholly": "entirely",
    r"mend(?:s|ed|ing)?": "fix",
    r"cut off": "interrupted",
    r"made small": "shrunk, minimised",
    r"as ever": "as before",
    r"foretold": "expected results",
    r"of its own word": "not certified independently",
    r"(?<!there )(?:is|are) no (?!longer)[a-z]+": "is not a",
    r"(?:^|(?<=[.:;,] ))what (?:is|was|were|fails|failed|goes|went|has|had|cannot|remains)": "name the thing",
}
"""A phrase, as a pattern of whole words in any case, and its plainer form."""

MAX_IN_TEXTS: Final = 5
MAX_IN_SOURCES: Final = 124
"""Phrases that are left: JSON keys and names of edges in the texts, mostly comments in the sources. They may only fall."""

_TEXTS: Final = ("*.md",)
_SOURCES: Final = ("*.py", "*.pyi", "*.cpp", "*.hpp", "*.js", "*.css", "*.jinja", "*.html")
_SKIPPED: Final = re.compile(r"tests/|tools/plain_english\.py$|.*/golden")
_PATTERNS: Final = {re.compile(rf"\b{phrase}\b", re.IGNORECASE): plain for phrase, plain in PHRASES.items()}
_FENCE: Final = re.compile(r"^ *(```|~~~|:::).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_LABEL: Final = re.compile(r"^\(([\w.-]+)\)=$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Remark:
    """A passage to rewrite."""

    place: str
    text: str


def tracked(patterns: Iterable[str]) -> list[Path]:
    """The files of the repository, relative to its root."""
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.splitlines()]


# Phrases


def phrases(text: str, path: str) -> Iterator[Remark]:
    """The phrases of a text that have a plainer form."""
    for number, line in enumerate(text.splitlines(), start=1):
        for pattern, plain in _PATTERNS.items():
            for found in pattern.finditer(line):
                yield Remark(f"{path}:{number}", f'"{found[0]}": {plain}')


# Sentences


def sentences(markdown: str) -> Iterator[str]:
    """The sentences of the prose in Markdown: no code, tables, headings or comments."""
    text = _FENCE.sub("\n\n", re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL))
    text = re.sub(r"^(\||#).*$", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]+`", "code", text))
    for paragraph in re.split(r"\n\s*\n", text):
        yield from (
            each for each in re.split(r"(?<=[.!?])\s+|(?<=[.!?][*)\"])\s+", " ".join(paragraph.split())) if each
        )


def long_sentences(texts: Iterable[tuple[str, str]]) -> Iterator[Remark]:
    """Sentences that a reader has to read twice."""
    for place, text in texts:
        for sentence in sentences(text):
            count = len(sentence.split())
            if count > MAX_WORDS:
                yield Remark(place, f"{count} words: {sentence}")


def help_texts() -> Iterator[tuple[str, str]]:
    """The help of every command and of each of its options."""
    from click import Context, Group, Option  # noqa: PLC0415 - imports linpoint, which the other checks do not need

    from linpoint.cli.main import app  # noqa: PLC0415

    assert isinstance(app, Group)
    context = Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        yield f"linpoint {name} --help", command.help or ""
        for option in command.params:
            if isinstance(option, Option):
                yield f"linpoint {name} {option.opts[0]}", option.help or ""


# Links


def anchor_of(heading: str) -> str:
    """The anchor that GitHub and MyST make of a heading."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


def broken_links(paths: Iterable[Path]) -> Iterator[Remark]:
    """Links to files of the repository, or to places in them, that do not exist."""
    anchors: dict[Path, set[str]] = {}
    for path in paths:
        text = _FENCE.sub("", (ROOT / path).read_text(encoding="utf-8"))
        for target in _LINK.findall(text):
            name, _, anchor = target.partition("#")
            if ":" in name or not target:
                continue
            # Fragments are read as part of CHANGELOG.md, which stands in the root.
            directory = ROOT if path.parts[0] == "changelog.d" else (ROOT / path).parent
            file = directory / name if name else ROOT / path
            if not file.exists():
                yield Remark(str(path), f"no such file: {target}")
            elif anchor and file.suffix == ".md":
                if file not in anchors:
                    content = _FENCE.sub("", file.read_text(encoding="utf-8"))
                    anchors[file] = {*_LABEL.findall(content), *map(anchor_of, _HEADING.findall(content))}
                if anchor not in anchors[file]:
                    yield Remark(str(path), f"no such heading or label: {target}")


def found_in(paths: Iterable[Path]) -> list[Remark]:
    """The phrases of files that are checked."""
    checked = (path for path in paths if not _SKIPPED.match(str(path)))
    return [each for path in checked for each in phrases((ROOT / path).read_text(encoding="utf-8"), str(path))]


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="also print the phrases that are left")
    options = parser.parse_args()
    texts = tracked(_TEXTS)
    readme = ("README.md", (ROOT / "README.md").read_text(encoding="utf-8"))
    remarks = [*long_sentences([readme, *help_texts()]), *broken_links(texts)]
    for found, allowed in ((found_in(texts), MAX_IN_TEXTS), (found_in(tracked(_SOURCES)), MAX_IN_SOURCES)):
        if options.all or len(found) > allowed:
            remarks += found
    for each in remarks:
        print(f"{each.place}: {each.text}")
    return 1 if remarks else 0


if __name__ == "__main__":
    sys.exit(main())
