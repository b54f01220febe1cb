# SPDX-License-Identifier: Apache-2.0
"""The elements of a history: operations, crashes and annotations. All are immutable."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from linpoint.histories.values import Value, format_value, freeze

Process = int | str
Time = int | float


class Outcome(enum.Enum):
    """What is known about the effect of an operation."""

    OK = "ok"
    """The operation returned its result."""
    FAILED = "failed"
    """The operation certainly had no effect. It is removed before checking."""
    UNKNOWN = "unknown"
    """The operation may have taken effect at any time after its call, or not at all."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One call by one process. Values are immutable: lists become tuples.

    ``call`` and ``return_`` order the history. They are real times for operation lines, and event positions for event
    formats.
    """

    process: Process
    """The calling process."""
    name: str
    """The name of the operation."""
    args: tuple[Value, ...] = ()
    """The arguments."""
    result: Value = None
    """The result; None also if the result is not known."""
    call: Time = 0
    """The time of the call."""
    return_: Time | None = None
    """The time of the return; None if the operation never returned."""
    outcome: Outcome = Outcome.OK
    """What is known about the effect."""
    key: Value = None
    """The object that the operation accesses, or None."""
    times: tuple[Time | None, Time | None] | None = None
    """The clock readings of an event format, for display."""
    line: int | None = None
    """The line in the source, for messages."""
    order: Time | None = None
    """A hint of the server, such as a revision or a log position.

    Among the operations on one object, one with a smaller hint takes effect before one with a larger hint.
    """

    def __post_init__(self) -> None:
        # Values are immutable: lists and dicts from a caller are frozen here.
        if type(self.result) in (list, dict):
            object.__setattr__(self, "result", freeze(self.result))
        if type(self.args) is not tuple or any(type(value) in (list, dict, tuple) for value in self.args):
            object.__setattr__(self, "args", freeze(list(self.args)))

    @property
    def end(self) -> Time:
        """The last moment at which the operation may be open: infinity if its outcome is unknown."""
        if self.outcome is Outcome.UNKNOWN:
            return float("inf")
        return self.call if self.return_ is None else self.return_

    def __str__(self) -> str:
        text = f"{self.name}({', '.join(map(format_value, self.args))})"
        if self.key is not None:
            text = f"[{format_value(self.key)}] {text}"
        if self.outcome is Outcome.OK:
            return text if self.result is None else f"{text} -> {format_value(self.result)}"
        return f"{text} -> {'?' if self.outcome is Outcome.UNKNOWN else 'failed'}"


@dataclass(frozen=True, slots=True)
class Crash:
    """A crash of one process, of everything (``process`` is None), or of the object alone (``of_object``).

    Crashed processes never return from their open operations. A crash of the object, such as of the servers behind it,
    leaves its clients alive: an operation that spans it took effect before or after it, or was interrupted by it and
    has an unknown outcome.
    """

    time: Time
    """The time of the crash."""
    process: Process | None = None
    """The crashed process; None for a crash of everything or of the object alone."""
    line: int | None = None
    """The line in the source, for messages."""
    of_object: bool = False
    """Whether only the object crashed."""

    def covers(self, process: Process) -> bool:
        """Whether ``process`` crashed, and never returns from an operation that is open at this moment."""
        return not self.of_object and (self.process is None or self.process == process)

    def interrupts(self, process: Process) -> bool:
        """Whether this crash interrupted an open operation of ``process`` with an unknown outcome."""
        return self.of_object or self.covers(process)

    def whose(self) -> str:
        """What crashed, for messages."""
        if self.of_object:
            return "the object"
        return "everything" if self.process is None else f"process {self.process}"

    @property
    def of_everything(self) -> bool:
        """Whether the object and all processes crashed."""
        return self.process is None and not self.of_object

    @property
    def ends_era(self) -> bool:
        """Whether the object crashed, alone or with everything."""
        return self.process is None


@dataclass(frozen=True, slots=True)
class Annotation:
    """An event outside the operations, such as a fault or a phase. It never influences a verdict."""

    text: str
    """The description."""
    time: Time
    """The time of the event, or of its beginning."""
    until: Time | None = None
    """The end of an event with a duration."""
    line: int | None = None
    """The line in the source, for messages."""
