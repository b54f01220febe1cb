# SPDX-License-Identifier: Apache-2.0
"""Turns any ordinary single-threaded class into a spec: ``linpoint.sequential(collections.deque, methods=[...])``.

A state is a snapshot of the object (a pickle in memory, never read from a file). A step restores it, calls the method
and takes a new snapshot. Two states are equal if their snapshots are equal. Equal objects may have different snapshots,
which costs time, but different objects are never confused. Locks are restored as fresh ones, since a sequential run
holds none between operations. Classes and functions are stored by reference, so local ones work as well.

A method that raises has the result ``{"raises": "KeyError"}``. Snapshots do not contain what all objects of a class
share, so a method that changes a class attribute is rejected with LP-S008.
"""

from __future__ import annotations

import inspect
import io
import pickle
import threading
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from linpoint.errors import SpecError
from linpoint.histories.values import FrozenObject, Value, snapshot, thaw
from linpoint.specs.class_attribute_guard import ClassAttributes
from linpoint.specs.spec import Spec, Step

# By their factories: before Python 3.13 the type of a lock cannot be called.
_LOCKS: dict[type, Callable[[], Any]] = {
    type(threading.Lock()): threading.Lock,
    type(threading.RLock()): threading.RLock,
}
_BY_REFERENCE = (type, types.FunctionType, types.ModuleType)


class _Snapshots:
    """Takes and restores snapshots. Keeps objects that are stored by reference alive, so that their ids stay unique."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._kept: dict[int, Any] = {}
        outer = self

        class Pickler(pickle.Pickler):
            def persistent_id(self, obj: Any) -> int | None:
                return outer._reference(obj)

            def reducer_override(self, obj: Any) -> Any:
                # Not by reference: conditions of one object that share a lock must share the fresh lock as well.
                factory = _LOCKS.get(type(obj))
                return NotImplemented if factory is None else (factory, ())

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, pid: int) -> Any:
                return outer._resolve(pid)

        self._pickler, self._unpickler = Pickler, Unpickler

    def take(self, thing: Any) -> bytes:
        buffer = io.BytesIO()
        try:
            self._pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(thing)
        except Exception as error:
            raise SpecError(
                "LP-S007",
                f"the state of {self._owner} cannot be copied: {error}.",
                remedy="Keep files, sockets and generators out of the object, or write the spec with @linpoint.spec.",
            ) from error
        return buffer.getvalue()

    def restore(self, snapshot: bytes) -> Any:
        return self._unpickler(io.BytesIO(snapshot)).load()

    def _reference(self, thing: Any) -> int | None:
        if isinstance(thing, _BY_REFERENCE) or (
            isinstance(thing, types.BuiltinFunctionType) and isinstance(thing.__self__, types.ModuleType)
        ):
            self._kept[id(thing)] = thing
            return id(thing)
        return None

    def _resolve(self, reference: int) -> Any:
        return self._kept[reference]


def sequential(
    cls: Callable[..., Any],
    *,
    methods: Iterable[str] | Mapping[str, str] | None = None,
    args: tuple[Any, ...] = (),
    name: str | None = None,
) -> Spec:
    """Make a spec whose steps call the methods of an ordinary class.

    ``methods`` names the methods, or maps operation names to them; by default all public methods. ``args`` are the
    arguments for constructing the initial object.
    """
    owner = name or str(getattr(cls, "__name__", "object"))
    if methods is None:
        methods = [m for m in dir(cls) if not m.startswith("_") and callable(getattr(cls, m))]
    table = dict(methods) if isinstance(methods, Mapping) else {method: method for method in methods}
    snapshots = _Snapshots(owner)
    first = cls(*args)
    shared = ClassAttributes(owner, type(first))
    steps = {}
    for operation, method in table.items():
        if not callable(getattr(first, method, None)):
            raise SpecError(
                "LP-S007",
                f'{owner} has no method "{method}".',
                remedy=f"Use one of: {', '.join(m for m in dir(first) if not m.startswith('_'))}.",
            )
        parameters, required = _parameters(getattr(first, method))
        label = operation.replace("_", "-")
        steps[label] = Step(label, shared.watching(label, _apply(snapshots, method)), parameters, required)
    return Spec(owner, snapshots.take(first), steps, doc=inspect.getdoc(cls) or "", changes={})


def sequential_calls(
    setup: Callable[[], Any], calls: Mapping[str, tuple[Callable[..., Any], tuple[str, ...]]], *, name: str
) -> Spec:
    """A spec whose steps call functions with the object first.

    Each function comes with the names of its other parameters.
    """
    snapshots = _Snapshots(name)
    steps = {}
    for operation, (call, parameters) in calls.items():
        label = operation.replace("_", "-")
        steps[label] = Step(label, _calling(snapshots, call), parameters, len(parameters))
    return Spec(name, snapshots.take(setup()), steps, changes={})


def _apply(snapshots: _Snapshots, method: str) -> Callable[..., tuple[Any, bytes]]:
    return _calling(snapshots, lambda thing, *args: getattr(thing, method)(*args))


def _calling(snapshots: _Snapshots, call: Callable[..., Any]) -> Callable[..., tuple[Any, bytes]]:
    def apply(state: bytes, *args: Value) -> tuple[Any, bytes]:
        thing = snapshots.restore(state)
        try:
            result = snapshot(call(thing, *map(thaw, args)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an exception is a result like any other
            result = FrozenObject(raises=type(error).__name__)
        return result, snapshots.take(thing)

    return apply


def _parameters(method: Callable[..., Any]) -> tuple[tuple[str, ...], int]:
    """The names of the positional parameters, and how many are required. Built-in methods may have no signature."""
    try:
        parameters = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return tuple(f"arg{i}" for i in range(1, 10)), 0
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return tuple(f"arg{i}" for i in range(1, 10)), 0
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return tuple(p.name for p in positional), sum(p.default is p.empty for p in positional)
