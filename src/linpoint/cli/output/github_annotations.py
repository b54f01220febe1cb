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

from linpoint.cli.output.ci_cases import CiSuite
from linpoint.text.phrases import count_noun
from linpoint.text.printable import printable
from linpoint.text.shell_commands import STANDARD, shell_command

_MAX_ANNOTATIONS: Final = 10
"""Errors that GitHub shows of one step."""
_MAX_MESSAGE_CHARS: Final = 4_000
"""Letters of a message. GitHub cuts at a few more, and half a replay token is worse than none."""
_MAX_SENTENCE_CHARS: Final = 1_000
_MAX_TITLE_CHARS: Final = 200


def render_annotations(suites: Iterable[CiSuite]) -> list[str]:
    """The lines to print. The first of each file come first, since of many GitHub shows only those that come first."""
    by_file = [list(_of_suite(suite)) for suite in suites]
    return [line for rank in itertools.zip_longest(*by_file) for line in rank if line is not None]


def _of_suite(suite: CiSuite) -> Iterator[str]:
    noted = sorted(((case, case.note) for case in suite.cases if case.note), key=lambda each: not each[0].foremost)
    for number, (case, note) in enumerate(noted[:_MAX_ANNOTATIONS]):
        lines = [line[:_MAX_SENTENCE_CHARS] for line in note.lines]
        if number == 0 and len(noted) > _MAX_ANNOTATIONS:
            more = count_noun(len(noted) - _MAX_ANNOTATIONS, f"more {suite.unit}")
            lines.append(f"{len(noted):,} {suite.unit}s are in violation; {more} in this file are not annotated.")
        again = f"Replay: linpoint {shell_command(case.replay)}"
        if case.replay and len(again) + sum(map(len, lines)) < _MAX_MESSAGE_CHARS:
            lines.append(again)
        yield _line(note.level, case.file or suite.file, case.line, note.title, "\n".join(lines))


def _line(level: str, file: str, line: int | None, title: str, message: str) -> str:
    places = {} if file == STANDARD else {"file": _from_workspace(file)}
    places |= {} if line is None or not places else {"line": str(line)}
    places |= {"title": f"linpoint: {title[:_MAX_TITLE_CHARS]}"}
    where = ",".join(f"{name}={_property(value)}" for name, value in places.items())
    return f"::{level} {where}::{_data(message[:_MAX_MESSAGE_CHARS])}"


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
