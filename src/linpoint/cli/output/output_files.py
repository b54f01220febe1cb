# SPDX-License-Identifier: Apache-2.0
"""Files that a command writes beside its answer: where the user said, and nowhere else.

Guarantee: what cannot be written is refused before anything is read, as far as that can be known. What fails later is
an LP-U005 beside the answer, which is told all the same. A file is written whole or not at all.
"""

from __future__ import annotations

import dataclasses
import os
import stat
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from linpoint.errors import LinpointError, UsageError
from linpoint.histories.formats.file_content import write_content
from linpoint.limits.deadlines import deadline, uninterrupted
from linpoint.limits.process_guard import LimitReachedError
from linpoint.text.phrases import join_words
from linpoint.text.printable import printable
from linpoint.text.shell_commands import STANDARD
from linpoint.verdicts import Budget

_WRITE_GRACE_S: Final = 0.15
"""Seconds that writing may always take: who has used all his time, or pressed Ctrl-C, still gets what is small."""
_MAX_ERROR_CHARS: Final = 500
"""Letters of an error that is not ours."""


@dataclass(frozen=True, slots=True)
class FileContentToWrite:
    """The content of a file, and what is to be said of it."""

    content: str | bytes
    size: str = ""
    """How much it shows, for people."""
    facts: dict[str, Any] = field(default_factory=dict)
    """The same for the JSON document."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What became of a file: what it shows; or the error that kept it from being written; or neither, if it was time."""

    kind: str
    file: str
    made: FileContentToWrite | None = None
    error: LinpointError | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the JSON document."""
        if self.made is None:
            return {"file": self.file, "written": False} | ({"error": self.error.as_dict()} if self.error else {})
        return {"file": self.file, "written": True, **self.made.facts}

    @property
    def line(self) -> str:
        """For people, where there was no error."""
        file = printable(self.file, lines=False)
        if self.made is None:
            return f"{self.kind}: {file} was not written (out of time)"
        return f"{self.kind}: {file}{f' ({self.made.size})' if self.made.size else ''}"


def refuse_unwritable(paths: Sequence[str], inputs: Iterable[str], *, called: str = "the history itself") -> None:
    """Refuse what can be refused before anything is read; ``inputs`` are never written over, whatever they are called."""
    read = {place for path in inputs if path != STANDARD and (place := _identity(path)) is not None}
    taken: set[str] = set()
    for path in paths:
        why = f"it is {called}" if _identity(path) in read else _objection(path, taken)
        if why:
            raise _unwritable(path, why)
        taken.add(os.path.realpath(path))


def ends_in(path: str, endings: Sequence[str], what: str) -> None:
    """Refuse a path whose ending is none of these; ``what`` it would be otherwise."""
    suffix = Path(path).suffix
    if suffix not in endings:
        raise UsageError(
            "LP-U005",
            f'unknown extension "{suffix}".' if suffix else "the file name has no extension.",
            place=path,
            remedy=f"Use {join_words(endings, 'or')} for a {what}.",
        )


def time_to_write(budget: Budget, *, interrupted: bool) -> Budget:
    """The time for all files that are written now: what is left of the budget, and a moment at least."""
    soon = time.monotonic() + _WRITE_GRACE_S
    if interrupted:
        return dataclasses.replace(budget, deadline=soon)
    return budget if budget.deadline is None else dataclasses.replace(budget, deadline=max(budget.deadline, soon))


def write_file(kind: str, path: str, make: Callable[[], FileContentToWrite], budget: Budget) -> WrittenFile:
    """Make a file and write it, while there is time; Ctrl-C ends it."""
    try:
        with deadline(budget):
            made = make()
        with uninterrupted():
            write_content(path, made.content)
    except LinpointError as error:
        return WrittenFile(kind, path, error=error)
    except (KeyboardInterrupt, LimitReachedError):
        return WrittenFile(kind, path)
    except Exception as error:  # noqa: BLE001 - a bug of ours must cost one file, never the verdict
        return WrittenFile(kind, path, error=_unmade(path, error))
    return WrittenFile(kind, path, made)


def _objection(path: str, taken: set[str]) -> str:
    """What can be said against writing ``path``."""
    target = Path(path)
    try:
        if path == STANDARD:
            return "standard output already carries the result"
        if target.is_dir():
            return "it is a directory"
        if target.exists() and not _takes_content(target):
            return "it is neither a file nor a device"
        if os.path.realpath(path) in taken:
            return "another output has the same path"
        if not target.parent.is_dir():
            return "its directory does not exist"
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            return "permission denied"
    except (OSError, ValueError) as error:  # a name that no system takes, such as one that is too long
        return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ""


def _takes_content(target: Path) -> bool:
    """A named pipe would keep us waiting for a reader, for ever; a disk would lose what is on it."""
    mode = target.stat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISCHR(mode)


def _identity(path: str) -> tuple[int, int] | None:
    """What tells files apart, whatever they are called; None if there is no such file."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _unmade(path: str, error: Exception) -> UsageError:
    """What is said of a bug of ours: where it is, since there is no traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    fact = f"{type(error).__name__}{where}: {str(error)[:_MAX_ERROR_CHARS]}".rstrip(" .:")
    return UsageError(
        "LP-U005",
        f"its content could not be created: {fact}.",
        place=path,
        remedy="This is a bug in linpoint. Report it; the verdict is valid without this file.",
    )


def _unwritable(path: str, why: str) -> UsageError:
    return UsageError("LP-U005", f"the file cannot be written: {why}.", place=path, remedy="Choose another path.")
