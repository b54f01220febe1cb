# SPDX-License-Identifier: Apache-2.0
"""``--github``: what is wrong as annotations, which GitHub shows at the lines of the files.

Guarantee: an annotation is one line, and nothing in a case can begin another one or change its place.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from linpoint.cli.cases import Suite
from linpoint.histories.commands import command_line
from linpoint.histories.formats.reading import STANDARD
from linpoint.histories.printable import printable
from linpoint.histories.values import counted

_MOST: Final = 10
"""Errors that GitHub shows of one step."""
_LONGEST: Final = 4_000
"""Letters of a message. GitHub cuts at a few more, and half a replay token is worse than none."""
_LONGEST_SENTENCE: Final = 1_000
_LONGEST_TITLE: Final = 200


def as_annotations(suites: Iterable[Suite]) -> list[str]:
    """The lines to print. The first of each file come first, since of many GitHub shows only those that come first."""
    by_file = [list(_of_suite(suite)) for suite in suites]
    return [line for rank in itertools.zip_longest(*by_file) for line in rank if line is not None]


def _of_suite(suite: Suite) -> Iterator[str]:
    noted = sorted(((case, case.note) for case in suite.cases if case.note), key=lambda each: not each[0].foremost)
    for number, (case, note) in enumerate(noted[:_MOST]):
        lines = [line[:_LONGEST_SENTENCE] for line in note.lines]
        if number == 0 and len(noted) > _MOST:
            more = counted(len(noted) - _MOST, f"more {suite.unit}")
            lines.append(f"{len(noted):,} {suite.unit}s are in violation; {more} in this file have no annotation.")
        again = f"Show it again: linpoint {command_line(case.replay)}"
        if case.replay and len(again) + sum(map(len, lines)) < _LONGEST:
            lines.append(again)
        yield _line(note.level, case.file or suite.file, case.line, note.title, "\n".join(lines))


def _line(level: str, file: str, line: int | None, title: str, message: str) -> str:
    places = {} if file == STANDARD else {"file": _from_workspace(file)}
    places |= {} if line is None or not places else {"line": str(line)}
    places |= {"title": f"linpoint: {title[:_LONGEST_TITLE]}"}
    where = ",".join(f"{name}={_property(value)}" for name, value in places.items())
    return f"::{level} {where}::{_data(message[:_LONGEST])}"


def _from_workspace(file: str) -> str:
    """The path as GitHub wants it: from the top of the repository, which need not be the current folder."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace:
        return file
    path, top = Path(file), Path(workspace).resolve()
    path = path.parent.resolve() / path.name  # a link is where it is, not where it leads
    return path.relative_to(top).as_posix() if path.is_relative_to(top) else file


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
