# SPDX-License-Identifier: Apache-2.0
"""Follows calls and returns, object by object, and finds the first violation.

Objects are those of ``check``: keys, and independent parts of an object. An object whose spec has a forgetting rule is
an ``OperationWindow``, which ``check_with_progress`` decides as a whole from time to time. Every other object is an
``OnlineLinear``. So is a window that meets an operation its rule does not support, or in which nothing can be forgotten
because values repeat.

Guarantee: a violation is a violation of the whole history, whatever follows. The next ``decide`` decides every
operation that has returned, unless it sets ``undecided``. Memory: the windows and configurations.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Hashable, Iterable
from typing import Final

from linpoint.checkers.check import check_with_progress
from linpoint.checkers.online.forgetting import forgetting_rule_for
from linpoint.checkers.online.online_linear import MAX_CONFIGURATIONS, OnlineLinear, TooManyConfigurationsError
from linpoint.checkers.online.operation_window import OperationWindow
from linpoint.executors.thread_executor import peak_memory
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.streams.call_sink import OpenCall
from linpoint.histories.values import Value, canonical, format_value
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, KeyVerdict, Pattern, Statistics, Status, Verdict

_INITIAL_DECISION_S: Final = 1.0
"""Initial maximum seconds for a decision; each decision that takes longer doubles it."""
_EXPLANATION_S: Final = 10.0
"""Seconds for finding a violation again among the operations that are retained for its explanation."""

_Object = OperationWindow | OnlineLinear


class OnlineCheckAbandonedError(Exception):
    """Raised when the checker cannot follow the history to its end; the message gives the reason."""


class OnlineChecker:
    """Takes calls and returns (a ``Sink``), and decides on request."""

    def __init__(self, spec: Spec, *, source: str = "history", checker: str = "auto", jobs: int | None = None) -> None:
        self._spec = spec
        self._source = source
        self._jobs = jobs
        self._trimming = forgetting_rule_for(spec) if checker == "auto" else None
        self._plain = not spec.key_argument and spec.partition is None
        self._known: set[tuple[str, int, bool]] = set()
        self._objects: dict[Hashable, _Object] = {}
        self._open: dict[OpenCall, _Object] = {}
        self._changed: dict[_Object, None] = {}
        self._patience = _INITIAL_DECISION_S
        self.operations = 0
        """The number of operations that returned."""
        self.lost_operations = 0
        """The number of operations whose outcome will never be known."""
        self.decided = 0
        """The number of returned operations that were decided."""
        self.seconds = 0.0
        """Seconds spent deciding."""
        self.undecided = ""
        """The reason why the last attempt reached no decision; it will be repeated."""
        self.interrupted = False

    # Events

    def called(self, call: OpenCall) -> None:
        """An operation was called."""
        shape = (call.name, len(call.args), call.key is None)
        if shape not in self._known:
            self._validate(call, shape)
        identity: Hashable = call.key
        key = identity
        if not self._plain or type(identity) is not str:
            key, identity = self._identity(call)
        found = self._objects.get(identity)
        if found is None:
            found = self._objects[identity] = self._new(key)
        if type(found) is OperationWindow and not found.understands(call.name):
            found = self._objects[identity] = self._online(found)
        found.called(call)
        self._open[call] = found

    def returned(self, call: OpenCall, op: Operation) -> None:
        """The operation returned."""
        found = self._open.pop(call)
        found.returned(call, op)
        self._changed[found] = None
        self.operations += 1

    def failed(self, call: OpenCall) -> None:
        """The operation had no effect."""
        self._open.pop(call).failed(call)

    def lost(self, call: OpenCall) -> None:
        """The outcome of the operation will never be known."""
        self._open.pop(call).forgotten(call)
        self.lost_operations += 1

    def _validate(self, call: OpenCall, shape: tuple[str, int, bool]) -> None:
        """Raise unless the spec has the operation. If arguments matter to the spec, every call is validated."""
        op = call.as_open()
        complaint = self._spec.complaint(op)
        if complaint is not None:
            raise complaint.at(str(op.line))
        if self._spec.any_operation or self._spec.step(op).complaint is None:
            self._known.add(shape)

    def _identity(self, call: OpenCall) -> tuple[Value, Hashable]:
        """The key to report, and the identity of the object."""
        spec = self._spec
        args = (call.key, *call.args) if spec.key_argument and call.key is not None else call.args
        if spec.key_argument:
            return args[0], canonical(args[0])
        part = None if spec.partition is None else canonical(spec.partition(args))
        return call.key, (canonical(call.key), part)

    def _new(self, key: Value) -> _Object:
        if self._trimming is None:
            return OnlineLinear(key, self._spec)
        return OperationWindow(key, self._spec, self._trimming)

    def _online(self, window: OperationWindow) -> OnlineLinear:
        """The same object as configurations; the events of its window are replayed."""
        online = OnlineLinear(window.key, window.spec)
        for call in replay_window(window, online):
            self._open[call] = online
        online.forgot = window.forgot
        self._changed.pop(window, None)
        self._changed[online] = None
        return online

    # State

    @property
    def open_calls(self) -> int:
        """The number of open calls."""
        return len(self._open)

    @property
    def objects(self) -> int:
        """The number of objects."""
        return len(self._objects)

    def held(self) -> int:
        """The number of operations and configurations in memory."""
        return sum(map(len, self._objects.values()))

    @property
    def forgot(self) -> bool:
        """Whether operations were forgotten; a violation then gives no hint about initial values."""
        return any(each.forgot for each in self._objects.values())

    def why(self) -> tuple[str, str]:
        """The checker, and the reason why it was chosen."""
        kinds = {type(each) for each in self._objects.values()}
        if kinds == {OperationWindow}:
            return "windows", f"a rule determines which operations of a {self._spec.name} can be forgotten"
        reason = f"no rule determines which operations of a {self._spec.name} can be forgotten"
        if self._trimming is not None:
            reason = "values repeat, or the rule for forgetting does not support some operations"
        return ("linear", reason) if OperationWindow not in kinds else ("windows and linear", f"for some keys {reason}")

    def decide(self, budget: Budget | None = None, *, last: bool = False) -> Verdict | None:
        """Decide everything that has changed: None if it is linearizable so far, else the verdict of a violation.

        A decision that would take too long is postponed (``undecided``), unless it is the ``last``.
        """
        started = time.monotonic()
        budget = budget or Budget()
        self.undecided = ""
        changed, self._changed = self._changed, {}
        windows: dict[int, list[OperationWindow]] = {}
        verdict: Verdict | None = None
        for each in changed:
            if isinstance(each, OperationWindow):
                windows.setdefault(id(each.spec), []).append(each)
            elif verdict is None:
                verdict = self._decide_online(each)
        for group in windows.values():
            if verdict is None:
                verdict = self._decide_windows(group, budget, last=last)
        self.seconds += time.monotonic() - started
        if verdict is None and not self.undecided:
            self.decided = self.operations
            self._patience = _INITIAL_DECISION_S
        return verdict

    def _decide_online(self, online: OnlineLinear) -> Verdict | None:
        try:
            if online.decide():
                return None
        except TooManyConfigurationsError:
            where = "" if online.key is None else f" on key {format_value(online.key)}"
            raise OnlineCheckAbandonedError(
                f"there are more than {MAX_CONFIGURATIONS:,} configurations{where}"
            ) from None
        evidence = online.evidence()
        if evidence is None:
            return self._violation(online, [])
        operations, state = evidence
        spec = dataclasses.replace(online.spec, initial=state)
        history = History(operations, source=self._source)
        verdict = self._decided(history, spec, _EXPLANATION_S)
        return verdict if verdict.status is Status.VIOLATION else self._violation(online, operations)

    def _violation(self, online: OnlineLinear, operations: list[Operation]) -> Verdict:
        """A violation without a refutation: it rests on the search alone."""
        positions = tuple(range(len(operations)))
        key = KeyVerdict(online.key, Status.VIOLATION, "linear", self.why()[1], positions)
        history = History(operations, source=self._source)
        return self._verdict(Status.VIOLATION, self.why()[1], history, (key,))

    def _decide_windows(self, windows: list[OperationWindow], budget: Budget, *, last: bool) -> Verdict | None:
        history = History((op for each in windows for op in each.operations()), source=self._source)
        limit = budget.remaining()
        if not last and (limit is None or limit > self._patience):
            budget = dataclasses.replace(budget, deadline=time.monotonic() + self._patience)
        verdict, interrupted = check_with_progress(
            history, windows[0].spec, condition="linearizable", budget=budget, jobs=self._jobs
        )
        self.interrupted = self.interrupted or interrupted
        if verdict.status is Status.VIOLATION:
            return verdict
        if verdict.status is Status.UNKNOWN:
            self.undecided = verdict.why
            self._patience *= 2
            self._changed.update(dict.fromkeys(windows))
            return None
        for window in windows:
            window.trim()
            if window.overgrown and self._spec.name not in _KEEPS_CONTENT:
                self._objects[self._place(window)] = self._online(window)
        return None

    def first(self, verdict: Verdict, *, seconds: float) -> Verdict:
        """The first violation of the object in a verdict, that of its shortest prefix, as far as time permits."""
        until = time.monotonic() + seconds
        key = next(key for key in verdict.keys if key.status is Status.VIOLATION)
        everything = verdict.history.select(key.positions)
        ends = sorted(op.return_ for op in everything if op.outcome is Outcome.OK and op.return_ is not None)
        low, high = 0, len(ends) - 1
        while low < high and time.monotonic() < until:
            middle = (low + high) // 2
            again = self._decided(certified_prefix(everything, ends[middle]), verdict.spec, until - time.monotonic())
            if again.status is Status.VIOLATION:
                verdict, high = again, middle
            else:  # a prefix that takes too long counts as linearizable: the known violation remains one
                low = middle + 1
        return verdict

    def narrowed(self, verdict: Verdict, *, seconds: float) -> Verdict:
        """The same violation among fewer operations, if the refutation names operations that suffice.

        A window may hold thousands of operations, too many to determine quickly which of them conflict.
        """
        refutation = verdict.refutation
        if not isinstance(refutation, Pattern) or len(refutation.scope) >= len(verdict.history):
            return verdict
        again = self._decided(verdict.history.select(refutation.scope), verdict.spec, seconds)
        return again if again.status is Status.VIOLATION else verdict

    def _decided(self, history: History, spec: Spec, seconds: float) -> Verdict:
        budget = Budget.starting_now(max(0.001, seconds), None)
        verdict, interrupted = check_with_progress(
            history, spec, condition="linearizable", budget=budget, jobs=self._jobs
        )
        if interrupted:
            raise KeyboardInterrupt
        return verdict

    def _place(self, window: OperationWindow) -> Hashable:
        return next(place for place, each in self._objects.items() if each is window)

    def verdict(self, status: Status, why: str, warnings: Iterable[str] = ()) -> Verdict:
        """The final verdict if no violation was found."""
        shown = {canonical(each.key): each.key for each in self._objects.values()}
        keys = tuple(KeyVerdict(key, status, *self.why(), ()) for key in shown.values())
        return self._verdict(status, why, History([], source=self._source), keys, tuple(warnings))

    def _verdict(
        self, status: Status, why: str, history: History, keys: tuple[KeyVerdict, ...], warnings: tuple[str, ...] = ()
    ) -> Verdict:
        statistics = Statistics(self.seconds, peak_memory(), self.operations + self.lost_operations)
        return Verdict(status, history, self._spec, "linearizable", self.why()[0], why, keys, statistics, warnings)


_KEEPS_CONTENT: Final = frozenset({"queue", "stack", "priority-queue", "deque"})
"""Specs whose objects may hold many values: there a long window does not indicate that values repeat."""


def certified_prefix(history: History, until: Time) -> History:
    """A history as it was right after ``until``: operations that had not returned have an unknown outcome."""
    return History(
        (
            op
            if op.outcome is not Outcome.OK or op.end <= until
            else dataclasses.replace(op, outcome=Outcome.UNKNOWN, return_=None, result=None)
            for op in history
            if op.call <= until
        ),
        source=history.source,
    )


def replay_window(window: OperationWindow, online: OnlineLinear) -> Iterable[OpenCall]:
    """Replay the events of a window; returns the calls that are still open."""
    events: list[tuple[Time, int, Time, int, OpenCall, Operation | None]] = []
    calls: list[OpenCall] = [*map(_ReplayedCall, window.lost), *window.open]
    for number, call in enumerate(calls):
        events.append((call.at, 0, math.inf, number, call, None))
    for number, op in enumerate(window.done, len(calls)):
        call = _ReplayedCall(op)
        assert op.return_ is not None
        events += [(op.call, 0, op.return_, number, call, None), (op.return_, 1, op.return_, number, call, op)]
    for _, _, _, _, each, done in sorted(events, key=lambda each: each[:4]):
        if done is None:
            online.called(each)
        else:
            online.returned(each, done)
    for call in calls[: len(window.lost)]:
        online.forgotten(call)
    return list(window.open)


class _ReplayedCall:
    """A call that is replayed."""

    __slots__ = ("args", "at", "key", "name", "op", "process")

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.process, self.name, self.args, self.key, self.at = op.process, op.name, op.args, op.key, op.call

    def as_open(self) -> Operation:
        """The complete operation: once its outcome is known, the earlier form is not needed."""
        return self.op
