# SPDX-License-Identifier: Apache-2.0
"""The atoms of a history: operations, crashes and annotations. All immutable."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from linpoint.histories.values import Value, format_value, freeze

Process = int | str
Time = int | float


class Outcome(enum.Enum):
    """What is known of an operation's effect."""

    OK = "ok"
    """It returned its result."""
    FAILED = "failed"
    """It certainly had no effect; it is removed before checking."""
    UNKNOWN = "unknown"
    """It may have had its effect, at any time after its call."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of one process.

    ``call`` and ``return_`` order the history: real times for operation lines, event positions for event
    formats, which keep their clock readings in ``times`` for display. ``return_`` is None when the operation
    never returned. ``line`` is where it was read, for messages. ``order`` is a hint of the server (a revision, a log
    position): among the operations on one object, a smaller one takes effect before a larger one.
    """

    process: Process
    name: str
    args: tuple[Value, ...] = ()
    result: Value = None
    call: Time = 0
    return_: Time | None = None
    outcome: Outcome = Outcome.OK
    key: Value = None
    times: tuple[Time | None, Time | None] | None = None
    line: int | None = None
    order: Time | None = None

    def __post_init__(self) -> None:
        # Values are immutable; lists and dicts that a caller gives are frozen here.
        if type(self.result) in (list, dict):
            object.__setattr__(self, "result", freeze(self.result))
        if type(self.args) is not tuple or any(type(value) in (list, dict, tuple) for value in self.args):
            object.__setattr__(self, "args", freeze(list(self.args)))

    @property
    def end(self) -> Time:
        """The last moment at which it may be open: infinity if its outcome is unknown."""
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

    Processes that crash never return from their open operations. A crash of the object, such as of the servers behind
    it, leaves its clients alive: an operation that spans it took effect before or after it, or was interrupted by it and
    has an unknown outcome.
    """

    time: Time
    process: Process | None = None
    line: int | None = None
    of_object: bool = False

    def covers(self, process: Process) -> bool:
        """Whether ``process`` crashed, and never returns from an operation that is open now."""
        return not self.of_object and (self.process is None or self.process == process)

    def interrupts(self, process: Process) -> bool:
        """Whether an operation of ``process`` that is open now, and has an unknown outcome, was interrupted by this crash."""
        return self.of_object or self.covers(process)

    def whose(self) -> str:
        """Whose crash it is, in words."""
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
    """Something that happened beside the operations (a fault, a phase), from ``time`` to ``until``."""

    text: str
    time: Time
    until: Time | None = None
    line: int | None = None
