# SPDX-License-Identifier: Apache-2.0
"""``--junit FILE``: verdicts as JUnit XML, which GitHub, GitLab and Jenkins show as test results.

A file is a suite, a key or a test is a case. Guarantee: what is not known to be right is a failure (violation) or an
error (unknown, bad input), never a pass; the XML is well formed whatever the cases hold; the same cases give the same
file but for its times. Cost: O(size of the cases).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from linpoint.cli.output.ci_cases import CiCase, CiSuite
from linpoint.cli.output.output_files import FileContentToWrite
from linpoint.text.phrases import count_noun
from linpoint.text.printable import printable
from linpoint.text.shell_commands import shell_command

_MAX_NAME_CHARS: Final = 500
_MAX_MESSAGE_CHARS: Final = 2_000
_MAX_TEXT_CHARS: Final = 100_000


def render_junit(suites: Sequence[CiSuite], command: str) -> FileContentToWrite:
    """The document; ``command`` is what made it, such as ``linpoint check``."""
    everything = [case for suite in suites for case in suite.cases]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="{_attribute(command)}"{_counts(everything)}>',
        *(line for suite in suites for line in _suite(suite)),
        "</testsuites>\n",
    ]
    failures, errors = (sum(case.wrong == wrong for case in everything) for wrong in ("failure", "error"))
    size = f"{count_noun(len(everything), 'case')}, {count_noun(failures, 'failure')}, {count_noun(errors, 'error')}"
    return FileContentToWrite(
        "\n".join(lines), size, {"tests": len(everything), "failures": failures, "errors": errors}
    )


def _suite(suite: CiSuite) -> Iterator[str]:
    yield f'  <testsuite name="{_attribute(suite.file)}"{_counts(suite.cases)}>'
    if suite.properties:
        yield "    <properties>"
        for name, value in suite.properties.items():
            yield f'      <property name="{_attribute(name)}" value="{_attribute(value, _MAX_MESSAGE_CHARS)}"/>'
        yield "    </properties>"
    for case in suite.cases:
        line = "" if case.line is None else f' line="{case.line}"'
        start = (
            f'    <testcase classname="{_attribute(suite.classname, 2 * _MAX_NAME_CHARS)}" '
            f'file="{_attribute(case.file or suite.file)}"{line} name="{_attribute(case.name)}" time="{case.seconds:.6f}"'
        )
        yield f"{start}>{_content(case)}</testcase>" if case.wrong else f"{start}/>"
    if suite.warnings:
        yield f"    <system-out>{_text(chr(10).join(f'Warning: {each}.' for each in suite.warnings))}</system-out>"
    yield "  </testsuite>"


def _content(case: CiCase) -> str:
    message = _attribute(case.message, _MAX_MESSAGE_CHARS)
    wrong = f'<{case.wrong} type="{_attribute(case.kind)}" message="{message}">{_text(case.text)}</{case.wrong}>'
    if not case.replay:
        return wrong
    return f"{wrong}<system-out>{_text(f'Replay: linpoint {shell_command(case.replay)}')}</system-out>"


def _counts(cases: Sequence[CiCase]) -> str:
    failures, errors = (sum(case.wrong == wrong for case in cases) for wrong in ("failure", "error"))
    seconds = sum(case.seconds for case in cases)
    return f' tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="0" time="{seconds:.6f}"'


def _attribute(text: str, longest: int = _MAX_NAME_CHARS) -> str:
    """In an attribute a line end would be read as a space, so it is seen as an escape like the others."""
    return escape(printable(_cut(text, longest), lines=False), {'"': "&quot;"})


def _text(text: str) -> str:
    return escape(printable(_cut(text, _MAX_TEXT_CHARS)))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text) - longest:,} more characters)"
