# SPDX-License-Identifier: Apache-2.0
"""``Recorder``: records the history of objects that run on real threads.

    recorder = linpoint.Recorder()
    shared = recorder.wrap(MyQueue())                          # call its methods from any threads
    recorder.object_crash()                                    # the servers were killed; their clients live on
    linpoint.check(recorder.history(), "queue")

Guarantee: in the history an operation is open from before it begins until after it ends, on one clock for all threads.
Threads share nothing while they run, so recording adds no ordering between them. Arguments are recorded as they were
when the operation began, and results as they were when it ended.

Cost: see ``benchmarks/recorder.py``. An event takes about a tenth of a microsecond in a log, and a wrapped call takes
well under a microsecond longer than a plain one. Source: Lowe, *Testing for Linearizability*, also keeps a time-stamped
log for each thread.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Outcome, Process
from linpoint.histories.values import Value, canonical, freeze
from linpoint.record._native_record import Ending, ThreadLog
from linpoint.record.log_assembly import OperationLabel, history_of, new_log

_INITIAL_LOG_OPERATIONS: Final = 32
"""The number of operations of a thread before its log allocates more memory; then it doubles."""


class RecordedOperation:
    """An operation recorded by a ``with`` block.

    Set ``result``, or set ``outcome`` if it failed or its outcome is unknown.
    """

    __slots__ = ("_begin", "_log", "_recorder", "outcome", "result")

    def __init__(self, recorder: Recorder, number: int, args: tuple[Any, ...], process: Process | None) -> None:
        self._recorder = recorder
        self._begin = number, args, process
        self.result: Any = None
        self.outcome = Outcome.OK

    def __enter__(self) -> Self:
        self._log = self._recorder._begin(*self._begin)  # noqa: SLF001 - its other half
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._recorder._raised(self._log, error)  # noqa: SLF001 - its other half
        elif self.outcome is Outcome.OK:
            self._log.returned(self.result)
        else:
            self._log.ended(Ending.FAILED if self.outcome is Outcome.FAILED else Ending.UNKNOWN)


class RecordedAnnotation:
    """An event outside the operations: a moment, or the duration of a ``with`` block."""

    __slots__ = ("text", "time", "until")

    def __init__(self, text: str) -> None:
        self.text = text
        self.time = _moment()
        self.until: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.until = _moment()


class _Wrapped:
    """An object whose operations are recorded. All other attributes are those of the object."""

    def __init__(self, thing: Any, calls: Mapping[str, Callable[..., Any]]) -> None:
        self.__dict__.update(calls)
        self._thing = thing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._thing, name)

    def __repr__(self) -> str:
        return f"<recorded {self._thing!r}>"


class Recorder:
    """Records operations of any threads and asyncio tasks, each of which is a process by default.

    An operation that raises has the result ``{"raises": "KeyError"}``. After an exception of a type in ``unknown``,
    such as a timeout, its outcome is unknown, and the thread continues as a new process. Logs of threads share nothing
    and take no locks. Name all processes or none: a process that calls while its own operation is open raises LP-H004.
    Thread-safe.
    """

    def __init__(self, *, unknown: tuple[type[BaseException], ...] = ()) -> None:
        self._unknown = unknown
        self._logs: list[tuple[Process, ThreadLog]] = []
        self._labels: list[OperationLabel] = []
        self._crashes: list[Crash] = []
        self._annotations: list[RecordedAnnotation] = []
        self._numbers: dict[tuple[str, Hashable], int] = {}
        self._labelling = threading.Lock()
        self._processes = itertools.count()
        self._tasks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._mine = threading.local()

    def operation(self, name: str, *args: Any, process: Process | None = None, key: Value = None) -> RecordedOperation:
        """Record an operation that lasts as long as a ``with`` block.

        The variable of the block has ``result`` and ``outcome``, which the block sets. ``process`` is the caller, by
        default the thread or the asyncio task; ``key`` names the object.
        """
        return RecordedOperation(self, self._number(name, key), args, process)

    def wrap(
        self,
        thing: Any,
        *,
        methods: Iterable[str] | Mapping[str, str] | None = None,
        process: Process | None = None,
        key: Value = None,
    ) -> Any:
        """Return a wrapper of ``thing`` that records calls of its methods. ``thing`` itself does not change.

        ``methods`` names the methods, or maps operation names to them (``{"get": "__getitem__"}``); by default all
        public ones.
        """
        names = _public(thing) if methods is None else methods
        table = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
        for method in table.values():
            if not callable(getattr(thing, method, None)):
                raise UsageError(
                    "LP-U001",
                    f'{type(thing).__name__} has no method "{method}".',
                    remedy=f"Use one of: {', '.join(_public(thing))}.",
                )
        calls = {
            operation.replace("-", "_"): self.recorded(getattr(thing, method), name=operation, process=process, key=key)
            for operation, method in table.items()
        }
        return _Wrapped(thing, calls)

    def recorded(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        process: Process | None = None,
        key: Value = None,
    ) -> Any:
        """Return ``function`` with each call recorded; also a decorator, with or without options.

        ``name`` is the name of the operation, by default that of the function. A coroutine is recorded until it is
        done. Keyword arguments become positional ones, and ``self`` of a method is not an argument of the operation.
        """
        if function is None:
            return functools.partial(self.recorded, name=name, process=process, key=key)
        called = name or function.__name__
        number = self._number(called, key)
        signature = _signature(function)
        skipped = int(signature is not None and next(iter(signature.parameters), None) == "self")

        def arguments(args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
            return (_positional(signature, args, keywords, called) if keywords else args)[skipped:]

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def asynchronous(*args: Any, **keywords: Any) -> Any:
                log = self._begin(number, arguments(args, keywords), process)
                try:
                    result = await function(*args, **keywords)
                except BaseException as error:
                    self._raised(log, error)
                    raise
                log.returned(result)
                return result

            return asynchronous

        @functools.wraps(function)
        def recording(*args: Any, **keywords: Any) -> Any:
            log = self._begin(number, arguments(args, keywords) if keywords or skipped else args, process)
            try:
                result = function(*args, **keywords)
            except BaseException as error:
                self._raised(log, error)
                raise
            log.returned(result)
            return result

        return recording

    def crash(self, process: Process | None = None) -> None:
        """Record a crash of ``process``, or of all processes, at this moment. Their open operations end with them."""
        _require_process(process)
        self._crashes.append(Crash(_moment(), process))

    def object_crash(self) -> None:
        """Record a crash of the object at this moment, such as that of the servers behind it. Its clients live on.

        Call it after the old servers have ended and before the new ones start. All effects of the old servers must
        precede the crash, and all effects of the new ones must follow it.
        """
        self._crashes.append(Crash(_moment(), of_object=True))

    def annotate(self, text: str) -> RecordedAnnotation:
        """Record an event outside the operations: at this moment, or for the ``with`` block of the result."""
        annotation = RecordedAnnotation(text)
        self._annotations.append(annotation)
        return annotation

    def history(self) -> History:
        """The history recorded so far, by time of call. An operation that has not returned has an unknown outcome."""
        return history_of(
            list(self._logs),
            self._labels,
            source="recorder",
            crashes=list(self._crashes),
            annotations=[Annotation(each.text, each.time, each.until) for each in self._annotations],
        )

    def _begin(self, number: int, args: tuple[Any, ...], process: Process | None) -> ThreadLog:
        if process is None and "asyncio" in sys.modules:  # without asyncio there are no tasks
            process = self._task()
        try:
            log: ThreadLog = self._mine.logs[process]
        except (AttributeError, KeyError):
            log = self._new_log(process)
        if not log.call(number, args):
            raise self._overlapping(log, number, process)
        return log

    def _overlapping(self, log: ThreadLog, number: int, process: Process | None) -> HistoryError:
        last = self._labels[log.entries()[-1][0]].name
        who = "a thread" if process is None else f"process {process}"
        return HistoryError(
            "LP-H004",
            f'{who} called "{self._labels[number].name}" inside its own "{last}".',
            place="recorder",
            remedy="Record only the outer operation, or give overlapping operations different process ids.",
        )

    def _number(self, name: str, key: Value) -> int:
        label = (name, None if key is None else canonical(key))
        number = self._numbers.get(label)
        if number is not None:
            return number
        with self._labelling:
            if label not in self._numbers:
                self._labels.append(OperationLabel(name, freeze(key)))
                self._numbers[label] = len(self._labels) - 1
            return self._numbers[label]

    def _new_log(self, process: Process | None) -> ThreadLog:
        """A log of this thread for ``process``. Threads never share a log, even if they are one process."""
        _require_process(process)
        log = new_log(_INITIAL_LOG_OPERATIONS)
        vars(self._mine).setdefault("logs", {})[process] = log
        self._logs.append((next(self._processes) if process is None else process, log))
        return log

    def _task(self) -> int | None:
        """The process for the current asyncio task; None outside tasks."""
        asyncio = sys.modules["asyncio"]
        if asyncio._get_running_loop() is None:  # noqa: SLF001 - exported; the public one raises
            return None
        task = asyncio.current_task()
        if task is None:
            return None
        number = self._tasks.get(task)
        if number is None:
            number = self._tasks[task] = next(self._processes)
        return number

    def _raised(self, log: ThreadLog, error: BaseException) -> None:
        # Ctrl-C or the cancellation of a task may arrive at any point inside an operation.
        if isinstance(error, self._unknown) or not isinstance(error, (Exception, SystemExit)):
            log.ended(Ending.UNKNOWN)
        else:
            log.raised(error)


def _moment() -> int:
    """The current time on the clock of the logs."""
    log = new_log(1)
    log.call(0, ())
    moment: int = log.entries()[0][2]
    return moment


def _require_process(process: Any) -> None:
    if process is not None and type(process) not in (int, str):
        raise UsageError("LP-U001", f"{process!r} is not a process.", remedy="Use an integer or a string.")


def _public(thing: Any) -> list[str]:
    names = [name for name in dir(thing) if not name.startswith("_")]
    kinds = {name: inspect.getattr_static(thing, name, None) for name in names}
    return [name for name in names if not isinstance(kinds[name], property) and callable(getattr(thing, name, None))]


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # built-in functions may have no signature
        return None


def _positional(
    signature: inspect.Signature | None, args: tuple[Any, ...], keywords: dict[str, Any], name: str
) -> tuple[Any, ...]:
    """The arguments in the order of the parameters, as a spec requires them."""
    try:
        bound = signature.bind(*args, **keywords) if signature is not None else None
    except TypeError:  # the call of the function raises it
        return (*args, *keywords.values())
    if bound is None or bound.kwargs:
        names = ", ".join(keywords if bound is None else bound.kwargs)
        raise UsageError(
            "LP-U001",
            f'"{name}" was called with {names} by name, but operations take arguments by position only.',
            remedy="Record a function that takes them by position and forwards them.",
        )
    return bound.args
