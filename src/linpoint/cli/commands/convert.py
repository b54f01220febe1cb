# SPDX-License-Identifier: Apache-2.0
"""``linpoint convert``: converts a history to another format.

Guarantee: the limits and Ctrl-C take effect as in ``linpoint check``; the file is written completely or not at all.
"""

from __future__ import annotations

from linpoint.cli.output import standard_streams
from linpoint.cli.output.terminal import print_text
from linpoint.errors import UsageError
from linpoint.executors.thread_executor import resident_memory
from linpoint.histories.formats import load, save
from linpoint.histories.formats.reading_progress import ReadingProgress, reporting
from linpoint.limits._native_limits import ProcessGuard
from linpoint.limits.command_clock import command_budget
from linpoint.limits.deadlines import deadline, require_room
from linpoint.limits.process_guard import LIMIT_MARK, PROGRESS_MARK, LimitReachedError, guarding, keep_until_exit
from linpoint.options.commands.convert import ConvertOptions
from linpoint.text.printable import printable
from linpoint.verdicts import Budget

_STDERR = 2
_UNKNOWN = 3


def run(options: ConvertOptions) -> int:
    """Read one file and write the other; return the exit code."""
    budget = command_budget(options.budget, options.max_memory)
    with guarding(budget, resident_memory()) as guard:
        guard.frame(b"error: ", b"", b"\n", b"", _STDERR, _STDERR)
        count = _convert(options, budget, guard)
    if options.target != "-":
        print_text(f"wrote {count:,} operations to {options.target}")
    return 0


def _convert(options: ConvertOptions, budget: Budget, guard: ProcessGuard) -> int:
    """Convert within the limits; return the number of operations. Raise LP-U011 if a limit is reached."""
    reading = ReadingProgress(lambda words: guard.progress(f" ({words})".encode()))
    phase = "reading it"
    try:
        _prepare(guard, options.source, phase)
        require_room(budget, resident_memory())
        with deadline(budget), reporting(reading):
            history = load(options.source, **options.reading)
            keep_until_exit(history)
        phase = f"writing {options.target}"
        reading.begin(0)
        guard.progress(b"")
        _prepare(guard, options.source, phase)
        if options.target == "-":
            standard_streams.before_writing(guard.release)
            standard_streams.as_utf8()
        with deadline(budget):
            save(history, options.target, format=options.to)
    except LimitReachedError as reached:
        keep_until_exit(reached)
        raise _limit_error(options.source, reached.why, phase, f" ({reading})" if str(reading) else "") from None
    return len(history)


def _prepare(guard: ProcessGuard, source: str, phase: str) -> None:
    text = printable(str(_limit_error(source, LIMIT_MARK, phase, PROGRESS_MARK)), lines=False)
    guard.part(0, text.encode(errors="backslashreplace"), _UNKNOWN)


def _limit_error(source: str, why: str, phase: str, progress: str) -> UsageError:
    return UsageError(
        "LP-U011",
        f"{why} while {phase}{progress}; nothing was written.",
        place=source,
        remedy="Increase --budget or --max-memory, or split the file.",
    )
