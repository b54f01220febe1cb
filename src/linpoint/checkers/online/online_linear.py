# SPDX-License-Identifier: Apache-2.0
"""Lowe's just-in-time linearization, event by event and without lookahead.

A configuration is a possible state of the object together with the open operations that have taken effect in it, each
with the result that it will have to return. A call only adds an open operation. When an operation returns, every
configuration is extended by open operations until the returning one has taken effect with its result. These
configurations are retained; if there are none, the history so far is a violation. Operations of unknown outcome stay
open forever, as counts of equal ones. If two configurations differ only in them, the one that used fewer subsumes the
other.

Calls and returns wait in a queue until ``decide``. An operation that has returned by then is only tried with its
result. An operation that leaves the state unchanged takes effect as soon as its result fits, since it restricts no
other operation.

Guarantee: exact, for every spec. Memory: at most ``MAX_CONFIGURATIONS`` configurations and, for an explanation, the
operations since the last moment with one configuration and no open operation. Cost: exponential in the number of open
operations. Source: G. Lowe, Testing for Linearizability, section 5.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final

from linpoint.histories.operation import Operation
from linpoint.histories.streams.call_sink import OpenCall
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Spec, State

MAX_CONFIGURATIONS: Final = 100_000
"""Number of configurations above which the checker gives up."""
_MAX_CACHED_STEPS: Final = 50_000
_MAX_RETAINED_OPERATIONS: Final = 50_000

_CALL, _RETURN, _FAIL, _LOSE = range(4)
_KNOWN: Final = object()

Effects = frozenset[tuple[int, Any]]
Used = frozenset[tuple[Hashable, int]]
_NOTHING: Final[frozenset[Any]] = frozenset()


class TooManyConfigurationsError(Exception):
    """There are more than ``MAX_CONFIGURATIONS`` configurations."""


class _Entry:
    """An open operation: what is known of it so far, and the results that configurations have promised for it."""

    __slots__ = ("before", "fate", "given", "heirs", "number", "op", "reads", "symbol")

    def __init__(self, number: int, op: Operation, symbol: Hashable, before: _Entry | None, reads: bool) -> None:
        self.number = number
        self.op = op
        self.symbol = symbol
        self.before = before
        self.reads = reads
        self.fate = _CALL
        self.given: dict[Hashable, Value] = {}
        self.heirs: list[_Entry] = []


class OnlineLinear:
    """All possible configurations of one object."""

    def __init__(self, key: Value, spec: Spec) -> None:
        self.key = key
        self.spec = spec
        self._queue: list[tuple[int, _Entry]] = []
        self._entries: dict[OpenCall, _Entry] = {}
        self._open: dict[int, _Entry] = {}
        self._number = 0
        self._unknown: dict[Hashable, tuple[int, Operation]] = {}
        self._configurations: dict[tuple[Hashable, Effects], tuple[State, list[Used]]] = {
            (canonical(spec.initial), _NOTHING): (spec.initial, [_NOTHING])
        }
        self._steps: dict[tuple[Hashable, Hashable], list[tuple[Value, State, Hashable]]] = {}
        self._base: State = spec.initial
        self._since: list[Operation] | None = []
        self.forgot = False
        """Whether there were operations before those that are retained for an explanation."""

    def __len__(self) -> int:
        return len(self._configurations) + len(self._entries)

    def called(self, call: OpenCall) -> None:
        """An operation was called."""
        op = call.as_open()
        spec = self.spec
        key = canonical(op.key) if spec.any_operation or spec.key_argument else None
        symbol = (op.name, canonical(op.args), op.process if spec.uses_process else None, key)
        # Two operations of one process that touch are sequential, although both are open at that instant.
        before = next((each for each in reversed(self._entries.values()) if each.op.process == op.process), None)
        self._number += 1
        entry = _Entry(self._number, op, symbol, before, spec.step_named(op.name).reads is True)
        self._entries[call] = entry
        self._queue.append((_CALL, entry))

    def returned(self, call: OpenCall, op: Operation) -> None:
        """The operation returned."""
        entry = self._settled(call, _RETURN)
        entry.op = op
        if not entry.reads:
            entry.reads = self.spec.reads(op)

    def failed(self, call: OpenCall) -> None:
        """The operation had no effect."""
        self._settled(call, _FAIL)

    def forgotten(self, call: OpenCall) -> None:
        """The outcome of the operation will never be known."""
        self._settled(call, _LOSE)

    def _settled(self, call: OpenCall, fate: int) -> _Entry:
        entry = self._entries.pop(call)
        entry.fate = fate
        self._queue.append((fate, entry))
        return entry

    def evidence(self) -> tuple[list[Operation], State] | None:
        """The operations since the last certain state, and that state; None if they were too many to retain."""
        if self._since is None:
            return None
        return [*self._since, *(entry.op for entry in self._open.values())], self._base

    def decide(self) -> bool:
        """Whether everything so far is linearizable. Raises ``TooManyConfigurationsError``."""
        for kind, entry in self._queue:
            if kind == _CALL:
                self._call(entry)
            elif kind == _RETURN:
                if not self._return(entry):
                    return False
            elif entry.number in self._open:
                if kind == _LOSE and self._waits(entry):
                    assert entry.before is not None
                    entry.before.heirs.append(entry)
                else:
                    self._without(entry, lost=kind == _LOSE)
        self._queue.clear()
        return True

    def _call(self, entry: _Entry) -> None:
        if entry.fate == _LOSE and not self._waits(entry):
            self._count_unknown(entry)
        elif entry.fate != _FAIL:
            self._open[entry.number] = entry

    def _count_unknown(self, entry: _Entry) -> None:
        if entry.reads:
            return
        count, op = self._unknown.get(entry.symbol, (0, entry.op))
        self._unknown[entry.symbol] = (count + 1, op)
        self._keep(entry.op)

    def _without(self, entry: _Entry, *, lost: bool) -> None:
        """Close an open operation without a result. Where it took effect, it counts as one of unknown outcome."""
        self._close(entry)
        if lost:
            self._count_unknown(entry)
        after: dict[tuple[Hashable, Effects], tuple[State, list[Used]]] = {}
        for (key, effects), (state, uses) in self._configurations.items():
            rest = frozenset(each for each in effects if each[0] != entry.number)
            for used in uses:
                if len(rest) == len(effects):
                    _add(after, key, rest, state, used)
                elif lost:
                    _add(after, key, rest, state, used if entry.reads else _one_more(used, entry.symbol))
        self._configurations = after
        self._inherit(entry)

    def _waits(self, entry: _Entry) -> bool:
        """Whether an earlier operation of its process, which it touches in time, is still open.

        Then it is not yet one of unknown outcome, since the order within the process matters. Example: a process runs
        delete-max() -> 3 from 30 to 30 and then insert(3)? at 30. The insert cannot explain the 3.
        """
        return entry.before is not None and entry.before.number in self._open

    def _close(self, entry: _Entry) -> None:
        del self._open[entry.number]
        entry.before = None

    def _inherit(self, entry: _Entry) -> None:
        """The operations that waited for the end of this one have an unknown outcome from now on."""
        for heir in entry.heirs:
            self._without(heir, lost=True)

    def _return(self, target: _Entry) -> bool:
        found: dict[tuple[Hashable, Effects], tuple[State, list[Used]]] = {}
        seen: set[tuple[Hashable, Effects, Used]] = set()
        stack: list[tuple[Hashable, Effects, State, Used]] = []
        allows = self.spec.step_named(target.op.name).returns.allows

        def reach(key: Hashable, effects: Effects, state: State, used: Used) -> None:
            effects = self._with_reads(key, effects, state)
            for each in effects:
                if each[0] == target.number:
                    if each[1] is _KNOWN or allows(target.op.result, target.given[each[1]]):
                        _add(found, key, effects - {each}, state, used)
                    return
            if (key, effects, used) not in seen:
                seen.add((key, effects, used))
                stack.append((key, effects, state, used))
                if len(seen) > MAX_CONFIGURATIONS:
                    raise TooManyConfigurationsError

        for (key, effects), (state, uses) in self._configurations.items():
            for used in uses:
                reach(key, effects, state, used)
        while stack:
            for each in self._extended(*stack.pop()):
                reach(*each)
        self._close(target)
        self._configurations = found
        self._inherit(target)
        found = self._configurations
        self._keep(target.op)
        if not self._open and not self._unknown and len(found) == 1:
            ((self._base, _),) = found.values()
            self._since = []
            self.forgot = True
        return bool(found)

    def _extended(
        self, key: Hashable, effects: Effects, state: State, used: Used
    ) -> Iterator[tuple[Hashable, Effects, State, Used]]:
        """The configurations after one more operation took effect."""
        numbers = {number for number, _ in effects}
        for entry in self._open.values():
            if entry.number in numbers or not self._may(entry, numbers):
                continue
            for given, after, name in self._outcomes(key, state, entry.op, entry.symbol):
                if entry.fate == _RETURN:
                    if self.spec.allows(entry.op, given):
                        yield name, effects | {(entry.number, _KNOWN)}, after, used
                else:
                    promised = canonical(given)
                    entry.given[promised] = given
                    yield name, effects | {(entry.number, promised)}, after, used
        counts = dict(used)
        for symbol, (available, op) in self._unknown.items():
            if counts.get(symbol, 0) < available:
                for _, after, name in self._outcomes(key, state, op, symbol):
                    if name != key:
                        yield name, effects, after, _one_more(used, symbol)

    def _with_reads(self, key: Hashable, effects: Effects, state: State) -> Effects:
        """Add all operations that can take effect here, have the right result and restrict no other operation."""
        numbers = {number for number, _ in effects}
        more = [
            (entry.number, _KNOWN)
            for entry in self._open.values()
            if entry.reads and entry.fate == _RETURN and entry.number not in numbers and self._may(entry, numbers)
            for given, _, _ in self._outcomes(key, state, entry.op, entry.symbol)
            if self.spec.allows(entry.op, given)
        ]
        return effects.union(more) if more else effects

    def _may(self, entry: _Entry, numbers: set[int]) -> bool:
        """Whether the earlier operation of its process that it touches, if any, has taken effect."""
        before = entry.before
        return before is None or before.number not in self._open or before.number in numbers

    def _outcomes(
        self, key: Hashable, state: State, op: Operation, symbol: Hashable
    ) -> list[tuple[Value, State, Hashable]]:
        cell = self._steps.get((key, symbol))
        if cell is None:
            if len(self._steps) >= _MAX_CACHED_STEPS:
                self._steps.clear()
            cell = [(given, after, canonical(after)) for given, after in self.spec.outcomes(state, op)]
            self._steps[key, symbol] = cell
        return cell

    def _keep(self, op: Operation) -> None:
        if self._since is not None:
            self._since.append(op)
            if len(self._since) > _MAX_RETAINED_OPERATIONS:
                self._since = None


def _add(
    configurations: dict[tuple[Hashable, Effects], tuple[State, list[Used]]],
    key: Hashable,
    effects: Effects,
    state: State,
    used: Used,
) -> None:
    """Add a configuration unless an existing one used no more, and remove those that used more."""
    there = configurations.get((key, effects))
    if there is None:
        configurations[key, effects] = (state, [used])
        return
    if any(_no_more(other, used) for other in there[1]):
        return
    configurations[key, effects] = (state, [*(other for other in there[1] if not _no_more(used, other)), used])


def _no_more(fewer: Used, more: Used) -> bool:
    if not fewer:
        return True
    counts = dict(more)
    return all(counts.get(symbol, 0) >= count for symbol, count in fewer)


def _one_more(used: Used, symbol: Hashable) -> Used:
    counts = dict(used)
    counts[symbol] = counts.get(symbol, 0) + 1
    return frozenset(counts.items())
