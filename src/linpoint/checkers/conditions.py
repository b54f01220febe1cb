# SPDX-License-Identifier: Apache-2.0
"""Correctness conditions as problems for one and the same search.

Each condition of the design says when an operation may take effect and which may be left out. Here that becomes
spans, optional operations, pairs and (for ``buffered-durable``) a machine around the spec, so that every checker
serves every condition:

- ``strict``: an operation cut off by a crash is optional and ends at the crash.
- ``recoverable``: it is optional and never ends, but is excluded once a later operation of its process took effect.
- ``sequential``: nothing ends; each process's operations are chained.
- ``buffered-durable``: a pseudo-operation *persist* saves the state at some moment of each era, and a pseudo-operation
  *crash* at its end goes back to what was saved.
"""

from __future__ import annotations

import bisect
import dataclasses
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.errors import UsageError
from linpoint.histories.columns import CALL, CRASH, EARLY_RETURN, NEVER, RECOVERY, RETURN, Span, order
from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import canonical
from linpoint.specs.automaton import Machine
from linpoint.specs.protocol import Spec, State

CONDITIONS: Final = ("linearizable", "strict", "recoverable", "durable", "buffered-durable", "sequential")
NOT_LOCAL: Final = ("buffered-durable", "sequential")
"""Conditions under which objects cannot be checked one by one."""


def choose(condition: str | None, history: History) -> str:
    """The condition asked for, or the default: ``durable`` for a history with crashes."""
    if condition is None:
        return "durable" if history.crashes else "linearizable"
    validate(condition)
    return condition


def validate(condition: str | None) -> None:
    """A coded error unless there is a condition of that name; None stands for the default."""
    if condition is not None and condition not in CONDITIONS:
        raise UsageError("LP-U003", f'there is no condition "{condition}".', remedy=f"Use {', '.join(CONDITIONS)}.")


@dataclass(frozen=True, slots=True)
class Problem:
    """Operations sorted by call, as the native search takes them (see ``search.hpp``)."""

    machine: Machine
    operations: tuple[Operation, ...]
    positions: tuple[int | None, ...]
    """Where each stands in the history; None for pseudo-operations."""
    calls: array[int]
    returns: array[int]
    optional: bytes
    before: list[tuple[int, int]] = field(default_factory=list)
    excluded: list[tuple[int, int]] = field(default_factory=list)


def build(
    history: History, positions: Sequence[int], spec: Spec, condition: str, *, relaxed: Collection[int] = ()
) -> Problem:
    """The problem that decides these operations under ``condition``. Failed operations must be gone.

    Those at ``relaxed`` positions may be left out and may have returned anything, but keep their times: whatever
    order satisfies the problem as recorded also satisfies the relaxed one.
    """
    machine: Machine = spec
    if condition in NOT_LOCAL and not spec.key_argument and history.keyed:
        machine = KeyedMachine(spec)
    ops = [history.operations[position] for position in positions]
    optional = [op.outcome is Outcome.UNKNOWN or place in relaxed for op, place in zip(ops, positions, strict=True)]
    if condition == "sequential":
        return _sequential(machine, ops, optional, positions)
    crashes = () if condition == "linearizable" else history.crashes
    system = sorted({crash.time for crash in crashes if crash.process is None})
    instants = {crash.time for crash in crashes}
    spans = [_span(op, condition, crashes, system, instants) for op in ops]
    excluded = _constrain(_chains(ops), optional)[1] if condition == "recoverable" else []
    ops = _loosened(ops, optional)
    places: list[int | None] = list(positions)
    if condition == "buffered-durable":
        machine = BufferedMachine(machine)
        started: Time = float("-inf")
        for time in system:
            spans += [Span(None, started, time, RECOVERY, EARLY_RETURN), Span(None, time, time, CRASH, CRASH)]
            ops += [PERSIST, CRASH_OPERATION]
            optional += [False, False]
            places += [None, None]
            started = time
    ranks = order(spans)
    by_call = sorted(range(len(ops)), key=ranks.calls.__getitem__)
    number = {old: new for new, old in enumerate(by_call)}
    before, touching = _constrain(ranks.chains, optional)
    return Problem(
        machine,
        tuple(ops[old] for old in by_call),
        tuple(places[old] for old in by_call),
        array("q", (ranks.calls[old] for old in by_call)),
        array("q", (ranks.returns[old] for old in by_call)),
        bytes(optional[old] for old in by_call),
        [(number[a], number[b]) for a, b in before],
        [(number[a], number[b]) for a, b in excluded + touching],
    )


def _loosened(ops: Sequence[Operation], optional: Sequence[bool]) -> list[Operation]:
    """The operations with the results of optional ones forgotten."""
    return [
        dataclasses.replace(op, outcome=Outcome.UNKNOWN) if loose and op.outcome is Outcome.OK else op
        for op, loose in zip(ops, optional, strict=True)
    ]


def _span(op: Operation, condition: str, crashes: Sequence[Crash], system: list[Time], instants: set[Time]) -> Span:
    """When an operation may take effect. At a crash's own time returns come before it and calls after."""
    if op.outcome is Outcome.OK:
        early = op.return_ in instants and op.return_ != op.call
        return Span(op.process, op.call, op.return_, CALL, EARLY_RETURN if early else RETURN)
    ends: Time | None = None
    early = False
    if condition == "strict":
        crash = next((each for each in crashes if each.time > op.call and each.covers(op.process)), None)
        if crash is not None:
            ends, early = crash.time, True
    elif condition == "buffered-durable":
        at = bisect.bisect_right(system, op.call)
        if at < len(system):
            ends, early = system[at], True
    return Span(op.process, op.call, ends, CALL, EARLY_RETURN if early else RETURN)


def _chains(ops: Sequence[Operation]) -> Iterable[list[int]]:
    """The operations of each process in their order."""
    chains: dict[Process, list[int]] = defaultdict(list)
    for index, op in enumerate(ops):
        chains[op.process].append(index)
    for chain in chains.values():
        chain.sort(key=lambda index: (ops[index].call, ops[index].end))
        yield chain


def _constrain(
    chains: Iterable[list[int]], optional: Sequence[bool]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs that keep each chain in its order: (a before b) and (a excluded once b took effect).

    Between certain operations the former is enough. An optional one may be left out, so it is excluded by every
    later one up to the first that certainly takes effect; and those wait for the last certain one before them.
    """
    before: list[tuple[int, int]] = []
    excluded: list[tuple[int, int]] = []
    for chain in chains:
        certain: int | None = None
        waiting: list[int] = []
        for index in chain:
            if certain is not None:
                before.append((certain, index))
            excluded += [(other, index) for other in waiting]
            if optional[index]:
                waiting.append(index)
            else:
                certain, waiting = index, []
    return before, excluded


def _sequential(
    machine: Machine, ops: Sequence[Operation], optional: Sequence[bool], positions: Sequence[int]
) -> Problem:
    """Only the order within each process counts. Operations keep the order of their calls, which finds answers sooner."""
    by_call = sorted(range(len(ops)), key=lambda index: ops[index].call)
    ops = [ops[index] for index in by_call]
    optional = [optional[index] for index in by_call]
    return Problem(
        machine,
        tuple(_loosened(ops, optional)),
        tuple(positions[index] for index in by_call),
        array("q", range(len(ops))),
        array("q", [NEVER]) * len(ops),
        bytes(optional),
        *_constrain(_chains(ops), optional),
    )


PERSIST: Final = Operation("persist", "persist")
CRASH_OPERATION: Final = Operation("crash", "crash")


class KeyedMachine:
    """Many objects of one spec as one object: a state for each key."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self.initial: State = {}

    def successors(self, state: State, op: Operation) -> list[State]:
        """Step the object that the operation's key names."""
        key = canonical(op.key)
        return [{**state, key: after} for after in self._spec.successors(state.get(key, self._spec.initial), op)]

    def identity(self, op: Operation) -> tuple[Any, ...]:
        """The spec's identity and the key."""
        return (canonical(op.key), *self._spec.identity(op))

    def reads(self, op: Operation) -> bool:
        """As the spec says."""
        return self._spec.reads(op)


class BufferedMachine:
    """A machine with a saved state: *persist* saves the current one, *crash* goes back to it."""

    def __init__(self, inner: Machine) -> None:
        self._inner = inner
        self.initial: State = (inner.initial, None)

    def successors(self, state: State, op: Operation) -> list[State]:
        """Step the inner machine; persist once in each era; crash only then."""
        current, saved = state
        if op is PERSIST:
            return [(current, (current,))]
        if op is CRASH_OPERATION:
            return [(saved[0], None)]
        return [(after, saved) for after in self._inner.successors(current, op)]

    def identity(self, op: Operation) -> tuple[Any, ...]:
        """The pseudo-operations are unlike any other."""
        return (op.name, id(op)) if op is PERSIST or op is CRASH_OPERATION else self._inner.identity(op)

    def reads(self, op: Operation) -> bool:
        """As the inner machine says; the pseudo-operations change the state."""
        return op is not PERSIST and op is not CRASH_OPERATION and self._inner.reads(op)
