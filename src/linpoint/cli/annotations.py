# SPDX-License-Identifier: Apache-2.0
"""``linpoint check --github``: the findings as annotations, which GitHub shows at the lines of the files.

Guarantee: an annotation is one line, and nothing in a history can begin another one or change its place.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from linpoint.cli.reports import Report
from linpoint.errors import LinpointError
from linpoint.explain.explanation import Explanation
from linpoint.explain.keys import accusation, in_violation, key_name, line_of, reason
from linpoint.explain.reasons import CAUSES
from linpoint.histories.commands import command_line
from linpoint.histories.formats.reading import STANDARD
from linpoint.histories.printable import printable
from linpoint.histories.values import counted
from linpoint.verdicts import Status

_MOST: Final = 10
"""Errors that GitHub shows of one step."""
_LONGEST: Final = 4_000
"""Letters of a message. GitHub cuts at a few more, and half a replay token is worse than none."""
_LONGEST_SENTENCE: Final = 1_000
_LONGEST_TITLE: Final = 200


def as_annotations(reports: Iterable[Report]) -> list[str]:
    """The lines to print. The first of each file come first, since of many GitHub shows only those that come first."""
    by_file = [_of_report(report) for report in reports]
    return [line for rank in itertools.zip_longest(*by_file) for line in rank if line is not None]


def _of_report(report: Report) -> list[str]:
    explanation = report.explanation
    if explanation is None:
        return [] if report.error is None else [_bad_input(report.file, report.error)]
    match explanation.verdict.status:
        case Status.VIOLATION:
            return list(_violations(report.file, explanation, report.replay))
        case Status.UNKNOWN:
            return [_line("warning", report.file, None, "not decided", accusation(explanation))]
        case Status.LINEARIZABLE:
            return []


def _violations(file: str, explanation: Explanation, replay: Sequence[str]) -> Iterator[str]:
    bad = in_violation(explanation)
    verdict = explanation.verdict
    for key in bad[:_MOST]:
        title = f"violation of {verdict.spec.name}" + ("" if key.key is None else f", {key_name(key.key)}")
        if key is not bad[0]:
            yield _line("error", file, line_of(explanation, key=key), title, reason(verdict, key))
            continue
        lines = [accusation(explanation)[:_LONGEST_SENTENCE]]
        if explanation.pattern is not None:
            lines.append(f"The reason: {explanation.pattern.sentence}.")
        if explanation.causes:
            lines.append(f"Likely cause: {CAUSES[explanation.causes[0].cause]} (a guess).")
        if len(bad) > _MOST:
            more = counted(len(bad) - _MOST, "more key")
            lines.append(f"{len(bad):,} keys are in violation; {more} in this file have no annotation.")
        again = f"Show it again: linpoint {command_line(replay)}"
        if replay and len(again) + sum(map(len, lines)) < _LONGEST:
            lines.append(again)
        yield _line("error", file, line_of(explanation), title, "\n".join(lines))


def _bad_input(file: str, error: LinpointError) -> str:
    line = (error.place or "").removeprefix(f"{file}:")
    return _line("error", file, int(line) if line.isdecimal() else None, error.code, f"{error.message} {error.remedy}")


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
