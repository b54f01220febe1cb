# SPDX-License-Identifier: Apache-2.0
"""A schedule as findings and tokens hold it: only its departures from the default schedule."""

from __future__ import annotations

from typing import Final

Schedule = tuple[tuple[int, int], ...]
"""Steps and the processes that go on there, where the default schedule would have another one go on."""

FEW_PREEMPTIONS: Final = 2
"""Every search begins with the schedules that have up to this number of preemptions."""


def schedule_text(schedule: Schedule, *, buffer_bits: int = 0) -> str:
    """The departures, as in ``4:1 9:0b``: at step 4 thread 1 goes on, at step 9 a store buffer of thread 0.

    ``buffer_bits`` is the number of low bits of a process that select a store buffer of its thread.
    """
    mask = (1 << buffer_bits) - 1
    words = (f"{step}:{process >> buffer_bits}{'b' * bool(process & mask)}" for step, process in schedule)
    return " ".join(words) or "as the threads come"


def another_run(step: int | None, *, what: str = "the program") -> str:
    """The sentence for a run that its own schedule does not show again."""
    where = "" if step is None else f" from step {step} on"
    return f"the same schedule gave another run{where}: {what} depends on something that is not under control"
