# SPDX-License-Identifier: Apache-2.0
"""The objects behind generated histories: the effect of each operation, and how one result is made impossible.

Each class holds the true state of all its keys. An operation is chosen when it takes effect, so that a result can be
falsified with full knowledge of the open operations. Each class argues why a falsified history has no order.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True, eq=False)
class Call:
    """An open call: ``op`` is empty until it has taken effect, ``returned`` None until it has returned."""

    process: int
    called: int
    key: int
    lost: bool
    idle: bool
    """For a lost call: it never took effect."""
    op: str = ""
    args: list[Any] = field(default_factory=list)
    result: Any = None
    returned: int | None = None
    overwrites: bool = False
    """It replaces the whole previous content of the object."""
    late: bool = False
    """Called after all operations that were open at the retirement had returned."""
    after_overwriting: bool = False
    """Called after a late overwriting call had returned."""


class HiddenObjects(Protocol):
    """The events that the generator passes to the objects of one kind."""

    key_is_argument: bool

    def called(self, call: Call, started: int) -> None:
        """The call was made, the ``started``-th of the history."""

    def take_effect(self, rng: random.Random, call: Call, started: int) -> None:
        """Choose the operation, execute it and record its result; ``started`` calls have been made so far."""

    def returned(self, call: Call) -> None:
        """The call has returned."""

    def finish(self) -> None:
        """End the history; raise ``ValueError`` if no result could be falsified as requested."""


class _Cells:
    """The common part of registers and maps: keys that hold one value, and a value that is retired.

    A stale result: some calls before the last tenth a value w is retired; from then on no operation writes it (calls
    that never return never did). After every call that was open at that moment has returned, and then an overwriting
    call was made and has returned, a later read of w has no order: every write of w precedes the overwriting call,
    which precedes the read, and nothing after can restore w.
    """

    key_is_argument = False

    def __init__(self, operations: int, keys: int, processes: int, values: int, seed: int, *, stale: bool) -> None:
        self.state: dict[int, Any] = dict.fromkeys(range(keys))
        self.values = values
        self.stale = stale
        self.spoilt = not stale
        self.spoil_from = operations * 9 // 10
        self.retire_at = max(1, self.spoil_from - 5 * processes)
        self.reserved = random.Random(f"{seed}/stale").randrange(values) if stale and values else None
        self.retired: dict[int, Any] = {}
        self.tainted: set[int] = set()  # keys whose value comes from a call that never returns
        self.fresh = itertools.count()
        self.open: set[Call] = set()
        self.before: set[Call] | None = None
        self.overwritten: set[int] = set()

    def called(self, call: Call, started: int) -> None:
        if not self.stale:
            return
        if started == self.retire_at:
            self.before = set(self.open)
            for key, held in self.state.items():
                if self.reserved is not None:
                    self.retired[key] = self.shown(self.reserved)
                elif held is not None and key not in self.tainted:
                    self.retired[key] = held
        call.late = self.before is not None and not self.before
        call.after_overwriting = call.key in self.overwritten
        if not call.lost:
            self.open.add(call)

    def returned(self, call: Call) -> None:
        self.open.discard(call)
        if self.before is not None:
            self.before.discard(call)
        if call.late and call.overwrites:
            self.overwritten.add(call.key)

    def finish(self) -> None:
        if not self.spoilt:
            raise ValueError("the history is too short, or has too many processes, to make a result impossible")

    def take_effect(self, rng: random.Random, call: Call, started: int) -> None:
        held = self.state[call.key]
        self.act(rng, call)
        if call.lost and call.idle:
            self.state[call.key] = held
        elif call.lost and self.state[call.key] != held:
            self.tainted.add(call.key)
        elif call.overwrites:
            self.tainted.discard(call.key)
        due = not self.spoilt and started > self.spoil_from and call.after_overwriting and call.key in self.retired
        if due and call.op in ("read", "get") and not call.lost:
            call.result, self.spoilt = self.retired[call.key], True

    def act(self, rng: random.Random, call: Call) -> None:
        raise NotImplementedError

    def shown(self, value: int) -> Any:
        """A value as it appears in the history."""
        raise NotImplementedError

    def value(self, rng: random.Random, call: Call) -> Any:
        """A value to write."""
        if not self.values:
            return self.shown(next(self.fresh))
        chosen = rng.randrange(self.values)
        if chosen == self.reserved and (self.before is not None or call.lost):
            chosen = (chosen + 1) % self.values
        return self.shown(chosen)


class Registers(_Cells):
    """CAS registers, initially empty."""

    def __init__(
        self, operations: int, keys: int, processes: int, values: int, seed: int, *, bad: bool, stale: bool
    ) -> None:
        super().__init__(operations, keys, processes, values, seed, stale=stale)
        self.bad = bad

    def shown(self, value: int) -> int:
        """The number itself."""
        return value

    def take_effect(self, rng: random.Random, call: Call, started: int) -> None:
        """As for all cells; in addition, once, a read of a value that is never written."""
        super().take_effect(rng, call, started)
        if self.bad and started > self.spoil_from and call.op == "read":
            call.result, self.bad = self.values + 1 if self.values else -1, False

    def finish(self) -> None:
        """Raise ``ValueError`` if no read could be falsified."""
        super().finish()
        if self.bad:
            raise ValueError("the history is too short to have a read in its last tenth")

    def act(self, rng: random.Random, call: Call) -> None:
        """Read, write or compare and set."""
        held = self.state[call.key]
        kind = rng.random()
        if kind < 0.4 and not call.lost:
            call.op, call.result = "read", held
        elif kind < 0.7:
            call.op, call.args, call.overwrites = "write", [self.value(rng, call)], True
            self.state[call.key] = call.args[0]
        else:
            if self.values:
                old = rng.randrange(self.values)
            else:  # a blind guess would never succeed
                old = held if held is not None and rng.random() < 0.5 else rng.randrange(1_000_000) - 1_000_001
            new = self.value(rng, call)
            call.op, call.args, call.result = "cas", [old, new], held == old
            if call.result:
                call.overwrites = True
                self.state[call.key] = new


class Maps(_Cells):
    """Keys with get, put and append; values are strings of words, which a put replaces."""

    key_is_argument = True

    def shown(self, value: int) -> str:
        """A word, so that appended values can be distinguished."""
        return f"v{value};"

    def act(self, rng: random.Random, call: Call) -> None:
        """Get, put or append."""
        name = f"k{call.key}"
        kind = rng.random()
        if kind < 0.5 and not call.lost:
            call.op, call.args, call.result = "get", [name], self.state[call.key]
            return
        value = self.value(rng, call)
        if kind < 0.8:
            call.op, call.overwrites = "put", True
            self.state[call.key] = value
        else:  # does not overwrite: the retired value might still be at the front
            call.op = "append"
            self.state[call.key] = (self.state[call.key] or "") + value
        call.args = [name, value]


class Queues:
    """FIFO queues with enqueue, dequeue and peek, kept at about half their length.

    A stale result with distinct values: x was enqueued entirely before y, and yet y is dequeued first and x only by a
    call made after that one returned. With repeated values: a value is retired, and when none is left in the queue (no
    call that never returns took one) one dequeue claims another; then there are more dequeues of it than enqueues.
    """

    key_is_argument = False

    def __init__(
        self, operations: int, keys: int, processes: int, values: int, seed: int, *, stale: bool, length: int
    ) -> None:
        self.items: dict[int, deque[Call]] = {key: deque() for key in range(keys)}
        self.values = values
        self.length = length
        self.spoilt = not stale
        self.spoil_from = operations * 9 // 10
        self.retire_at = max(1, self.spoil_from - 5 * processes - length)
        self.reserved = random.Random(f"{seed}/stale").randrange(values) if stale and values else None
        self.fresh = itertools.count()
        self.early: Call | None = None
        """The dequeue that took a later value; until it returns, no operation may take the value that it skipped."""

    def called(self, call: Call, started: int) -> None:
        """Calls have no effect here."""

    def returned(self, call: Call) -> None:
        """Returns have no effect here: the calls in the queue know when they returned."""

    def finish(self) -> None:
        """Raise ``ValueError`` if no dequeue could be falsified."""
        if not self.spoilt or self.early is not None:
            raise ValueError("the history is too short, or has too many processes, to make a result impossible")

    def take_effect(self, rng: random.Random, call: Call, started: int) -> None:
        """Enqueue, dequeue or peek."""
        items = self.items[call.key]
        due = not self.spoilt and started > self.spoil_from
        enqueue = self._share_of_enqueues(len(items), growing=due and not self.values)
        kind = rng.random()
        if self.early is not None and self.early.key == call.key:
            kind = 0.0
            if self.early.returned is not None and self.early.returned < call.called and not call.lost:
                kind, self.early = 1.0, None
        elif call.lost and not call.idle and items and items[0].args[0] == self.reserved:
            kind = 0.0
        if kind < enqueue:
            call.op, call.args = "enqueue", [self._value(rng, call, started)]
            if not (call.lost and call.idle):
                items.append(call)
        elif kind < enqueue + 0.1 and not call.lost:
            call.op, call.result = "peek", items[0].args[0] if items else None
        elif call.lost:
            call.op = "dequeue"
            if items and not call.idle:
                items.popleft()
        else:
            call.op, call.result = "dequeue", self._dequeue(call, items, due)

    def _share_of_enqueues(self, length: int, *, growing: bool) -> float:
        """One operation in ten is a peek. ``growing``: until one value lies entirely behind another."""
        if growing:
            return 0.75
        if length < self.length // 2:
            return 0.6
        return 0.45 if length < self.length else 0.2

    def _dequeue(self, call: Call, items: deque[Call], due: bool) -> Any:
        if due and items:
            first = items[0]
            if self.values:
                if all(item.args[0] != self.reserved for item in items):
                    self.spoilt = True
                    items.popleft()
                    return self.reserved
            elif first.returned is not None:
                for item in items:
                    if first.returned < item.called:
                        items.remove(item)
                        self.spoilt, self.early = True, call
                        return item.args[0]
        return items.popleft().args[0] if items else None

    def _value(self, rng: random.Random, call: Call, started: int) -> int:
        if not self.values:
            return next(self.fresh)
        chosen = rng.randrange(self.values)
        if chosen == self.reserved and (started >= self.retire_at or call.lost):
            chosen = (chosen + 1) % self.values
        return chosen
