# SPDX-License-Identifier: Apache-2.0
"""Reads results of any command from the JSON documents that ``--json`` prints.

A document is one result, or has several in ``files``, ``tests`` or ``models``. A file holds one document, or one per
line. Guarantee: documents are not trusted. Anything that is not a result raises LP-R001 with its place. A result has
only text and finite numbers, none of which are escaped yet. A document whose own verdict is worse than those of its
parts counts as another result. Cost: O(size).
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec

from linpoint.errors import LinpointError, ResultError

ERROR: Final = "error"
PASSES: Final = ("linearizable", "holds")
_MOST_FINDINGS: Final = 20
_OF_THE_WHOLE: Final = "this applies to the whole result, not to one part"


@dataclass(frozen=True, slots=True)
class ResultDocument:
    """The result in one document."""

    name: str
    verdict: str
    """``linearizable``, ``holds``, ``violation``, ``unknown``, or ``error`` without a verdict."""
    message: str = ""
    """The first finding, the reason why there is no verdict, or the limits of a pass."""
    texts: tuple[str, ...] = ()
    """The explanations of the findings."""
    replay: tuple[str, ...] = ()
    """The arguments of ``linpoint`` that replay the first finding."""
    page: str = ""
    """The path of its HTML report, if the document names one."""
    spec: str = ""
    exhaustive: bool = True
    keys: int | None = None
    bad_keys: int = 0
    statistics: dict[str, float] = field(default_factory=dict)


class _Words(msgspec.Struct):
    text: str = ""


class _Finding(msgspec.Struct):
    kind: str = ""
    message: str = ""
    explanation: _Words = msgspec.field(default_factory=_Words)
    replay: list[str] = []


class _Key(msgspec.Struct):
    verdict: str


class _Page(msgspec.Struct):
    file: str
    written: bool = False


class _Error(msgspec.Struct):
    code: str
    message: str
    place: str | None = None
    remedy: str = ""


class _Document(msgspec.Struct):
    verdict: Literal["linearizable", "holds", "violation", "unknown"] | None = None
    error: _Error | None = None
    exhaustive: bool = True
    statistics: dict[str, Any] = {}
    findings: list[_Finding] = []
    spec: str = ""
    why: str = ""
    warnings: list[str] = []
    keys: list[_Key] | None = None
    report: _Page | None = None
    file: str = ""
    test: str = ""
    model: str = ""
    name: str = ""
    files: list[_Document] | None = None
    tests: list[_Document] | None = None
    models: list[_Document] | dict[str, Any] | None = None
    """The documents of several models, or the verdicts of a test by memory model."""


def result_of(document: Any, name: str) -> ResultDocument:
    """The single result of a valid document, given as Python values."""
    return _result(msgspec.convert(document, _Document), name)


def results_in(content: str, name: str) -> tuple[list[ResultDocument], ResultError | None]:
    """The results in the content of a file, and the error for the first line that is not a document.

    ``name`` is the name of results without a name.
    """
    if not content.strip():
        return [], _no_result(name, "it is empty")
    lines = [(number, line) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    if len(lines) < 2 or not _is_document(lines[0][1]):
        lines, places = [(1, content)], [name]
    else:
        places = [f"{name}:{number}" for number, _ in lines]
    results: list[ResultDocument] = []
    for place, (_, text) in zip(places, lines, strict=True):
        try:
            results += _results(_decoded(text), place)
        except RecursionError:
            return results, _no_result(place, "it is nested too deeply")
        except msgspec.ValidationError as error:
            return results, _no_result(place, str(error))
        except ValueError as error:
            return results, _no_result(place, f"it is not JSON: {error}")
    return results, None


def unreadable(name: str, error: LinpointError) -> ResultDocument:
    """The result that stands for an unreadable file."""
    return ResultDocument(name, ERROR, f"{error.code}: {error.message}", (str(error),))


def _is_document(line: str) -> bool:
    try:
        return isinstance(_loaded(line), dict)
    except (ValueError, RecursionError):
        return False


def _decoded(text: str) -> _Document:
    try:
        return msgspec.json.decode(text.encode(), type=_Document)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeEncodeError):
        # Only Python reads the escape of an unpaired surrogate, as in a file name that is not UTF-8.
        return msgspec.convert(_loaded(text), _Document)


def _loaded(text: str) -> Any:
    """Parse JSON as Python does, without the constants that only Python accepts as numbers."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not a number")

    return json.loads(text, parse_constant=refuse)


def _results(document: _Document, name: str) -> Iterator[ResultDocument]:
    models = document.models if isinstance(document.models, list) else ()
    parts = [*(document.files or ()), *(document.tests or ()), *models]
    found: set[str] = set()
    for number, part in enumerate(parts, 1):
        for result in _results(part, _own_name(part) or f"{name}#{number}"):
            found.add(result.verdict)
            yield result
    if not parts or _says_worse(document, found):
        own = _result(document, _own_name(document) or name)
        yield own if own.message or not parts else dataclasses.replace(own, message=_OF_THE_WHOLE)


def _says_worse(document: _Document, parts: set[str]) -> bool:
    """Whether a document's own verdict is worse than those of its parts."""
    own = ERROR if document.error is not None else document.verdict
    if own == "unknown":  # the verdict of the whole if a part is an error
        return parts.issubset(PASSES)
    return own is not None and own not in PASSES and own not in parts


def _own_name(document: _Document) -> str:
    part = document.test or document.model
    if document.file and part:
        return f"{document.file}:{part}"
    return document.file or part or document.name


def _result(document: _Document, name: str) -> ResultDocument:
    if document.error is not None:
        error = document.error
        where = f" {error.place}" if error.place else ""
        text = f"{error.code}{where}: {error.message} {error.remedy}".rstrip()
        return ResultDocument(name, ERROR, f"{error.code}: {error.message}", (text,))
    if document.verdict is None:
        raise msgspec.ValidationError("it has neither a `verdict` nor an `error`")
    findings = document.findings[:_MOST_FINDINGS]
    keys = document.keys
    return ResultDocument(
        name,
        document.verdict,
        _message(document),
        tuple(finding.explanation.text or finding.message for finding in findings),
        tuple(findings[0].replay) if findings else (),
        document.report.file if document.report is not None and document.report.written else "",
        document.spec,
        document.exhaustive,
        None if keys is None else len(keys),
        sum(key.verdict == "violation" for key in keys or ()),
        {name: value for name, value in document.statistics.items() if _is_number(value)},
    )


def _is_number(value: Any) -> bool:
    """Whether it is a number that is not a boolean and fits into a float, to print with decimals."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _message(document: _Document) -> str:
    if document.findings:
        more = len(document.findings) - 1
        first = document.findings[0].message or document.findings[0].kind
        return f"{first} (and {more:,} more)" if more else first
    if document.verdict not in PASSES:
        return document.why
    open_ends = [*document.warnings, *([] if document.exhaustive else ["not exhaustive"])]
    return "; ".join(open_ends)


def _no_result(place: str, why: str) -> ResultError:
    return ResultError(
        "LP-R001",
        f"not a result of linpoint: {why.rstrip('.')}.",
        place=place,
        remedy="Pass the output of a command with --json.",
    )
