# SPDX-License-Identifier: Apache-2.0
"""The schedule of findings and tokens, as deviations from the default schedule."""

from __future__ import annotations

from typing import Final

Schedule = tuple[tuple[int, int], ...]
"""Steps at which the schedule deviates from the default, and the processes that continue there."""

FEW_PREEMPTIONS: Final = 2
"""Every search begins with the schedules that have up to this number of preemptions."""


def schedule_text(schedule: Schedule, *, buffer_bits: int = 0) -> str:
    """The deviations as text. In ``4:1 9:0b``, thread 1 continues at step 4 and a store buffer of thread 0 drains at 9.

    ``buffer_bits`` is the number of low bits of a process that select a store buffer of its thread.
    """
    mask = (1 << buffer_bits) - 1
    words = (f"{step}:{process >> buffer_bits}{'b' * bool(process & mask)}" for step, process in schedule)
    return " ".join(words) or "default order"


def another_run(step: int | None, *, what: str = "the program") -> str:
    """The sentence for a run that its own schedule does not reproduce."""
    where = "" if step is None else f" from step {step} on"
    return f"the same schedule gave a different run{where}: {what} depends on state that linpoint does not control"
