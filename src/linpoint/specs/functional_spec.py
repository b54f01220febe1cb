# SPDX-License-Identifier: Apache-2.0
"""Specs written as a few pure functions: ``@linpoint.spec`` on a class of them.

    @linpoint.spec
    class Queue:
        initial = ()
        def enqueue(state, x): return None, (*state, x)
        def dequeue(state):    return (state[0], state[1:]) if state else (None, state)

Each function takes the state, then the operation's arguments, and returns ``(result, state)`` or a list of such
pairs. A keyword-only parameter ``process`` receives the calling process.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, overload

from linpoint.errors import LinpointError, SpecError
from linpoint.histories.values import Value, canonical, format_value, freeze, thaw
from linpoint.specs.spec import Outcomes, Spec, Step

Partition = Callable[..., Value]


@overload
def spec(body: type) -> Spec: ...
@overload
def spec(*, partition: Partition | None = ..., reads: Iterable[str] = ...) -> Callable[[type], Spec]: ...
def spec(
    body: type | None = None, *, partition: Partition | None = None, reads: Iterable[str] = ()
) -> Spec | Callable[[type], Spec]:
    """Make a spec of a class of pure functions.

    ``partition`` maps an operation's arguments to the independent part of the object that they concern, as in
    ``@linpoint.spec(partition=lambda key, *rest: key)``; parts are then checked separately.
    ``reads`` names the operations that never change the state, which makes searches faster.
    """
    names = frozenset(name.replace("_", "-") for name in reads)
    if body is None:
        return lambda later: _build(later, partition, names)
    return _build(body, partition, names)


def _build(body: type, partition: Partition | None, reads: frozenset[str]) -> Spec:
    steps = {}
    for name, function in vars(body).items():
        if isinstance(function, staticmethod):
            function = function.__func__  # noqa: PLW2901 - the plain function is what is meant
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        steps[name.replace("_", "-")] = _step(body.__name__, name, function, reads)
    if not steps:
        raise SpecError(
            "LP-S007",
            f"{body.__name__} has no operations.",
            remedy="Write one function per operation: def read(state): return state, state",
        )
    if not hasattr(body, "initial"):
        raise SpecError("LP-S007", f"{body.__name__} has no initial state.", remedy="Add a line `initial = ...`.")

    def build(initial: Any = body.initial) -> Spec:
        return Spec(
            body.__name__,
            freeze(initial) if isinstance(initial, list) else initial,
            steps,
            partition=_partition(body.__name__, partition) if partition else None,
            factory=build,
            doc=inspect.getdoc(body) or "",
        )

    return build()


def _partition(owner: str, function: Partition) -> Callable[[tuple[Value, ...]], Value]:
    """A user's partition over all arguments at once; what goes wrong in it names the place."""
    place = f"{owner}.partition"

    def part(args: tuple[Value, ...]) -> Value:
        found = _called(
            place,
            function,
            *args,
            remedy="A partition is called with the arguments of every operation, also with none.",
        )
        _need_hash(place, "gave", found)
        return found

    return part


def _step(owner: str, name: str, function: Callable[..., Any], reads: frozenset[str]) -> Step:
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not positional:
        raise SpecError(
            "LP-S007",
            f"{owner}.{name} takes no state.",
            remedy=f"Its first parameter is the state: def {name}(state, ...)",
        )
    arguments = positional[1:]

    def apply(state: Any, *args: Value, **process: Any) -> Outcomes:
        return guarded(f"{owner}.{name}", function, state, *map(thaw, args), **process)

    return Step(
        name.replace("_", "-"),
        apply,
        tuple(p.name for p in arguments),
        sum(p.default is p.empty for p in arguments),
        takes_process=any(p.name == "process" and p.kind is p.KEYWORD_ONLY for p in parameters),
        reads=name.replace("_", "-") in reads,
    )


_PLAIN = frozenset({int, str, bool, float, type(None)})
"""Types that surely can be hashed."""


def guarded(place: str, function: Callable[..., Any], *args: Any, **keywords: Any) -> Outcomes:
    """Call a user's step: its exceptions and wrong shapes become coded errors that name the place."""
    remedy = "A step must handle every state; return an empty list where the operation is not legal."
    found = _called(place, function, *args, remedy=remedy, **keywords)
    pairs = found if isinstance(found, list) else [found]
    for pair in pairs:
        if type(pair) is tuple and len(pair) == 2:
            kinds = {type(pair[0]), type(pair[1])}
            if _PLAIN.issuperset(kinds):
                continue
        elif not (isinstance(pair, tuple) and len(pair) == 2):
            raise SpecError(
                "LP-S007",
                f"returned {format_value(pair)} instead of (result, state).",
                place=place,
                remedy="Return `result, state`, or a list of such pairs.",
            )
        _need_hash(place, "returned the result", pair[0])
        _need_hash(place, "returned the state", pair[1])
    return pairs


def _called(place: str, function: Callable[..., Any], *args: Any, remedy: str, **keywords: Any) -> Any:
    try:
        return function(*args, **keywords)
    except LinpointError:
        raise
    except (Exception, SystemExit) as error:  # a step that calls sys.exit(0) must not look like a pass
        given = ", ".join(map(format_value, args)) or "no arguments"
        raise SpecError(
            "LP-S006", f"{type(error).__name__}: {error} (called with {given}).", place=place, remedy=remedy
        ) from error


def _need_hash(place: str, what: str, value: Any) -> None:
    """Refuse what the searches cannot remember, here, where it is known which step made it.

    ``hash`` itself is tried first: it is far cheaper than the canonical form, which only built-in containers need.
    """
    try:
        hash(value)
    except Exception:  # noqa: BLE001 - whatever a user's __hash__ raises, the next attempt tells
        try:
            hash(canonical(value))
        except Exception as error:
            raise SpecError(
                "LP-S007",
                f"{what} {value!r}, which cannot be hashed ({error}).",
                place=place,
                remedy="Use JSON values, tuples, frozensets and frozen dataclasses.",
            ) from error


def from_object(thing: Any) -> Spec:
    """A spec of any object that has ``initial`` and ``apply(state, op)``."""
    name = getattr(thing, "name", None) or type(thing).__name__
    # It sees the whole operation, so equal operations of two processes are not interchangeable: with "nobody goes
    # twice in a row", A, B, A is legal and A, A, B is not.
    apply = Step("*", lambda *_, **__: [], takes_process=True)

    class _Applied(Spec):
        __slots__ = ()

        def outcomes(self, state: Any, op: Any) -> Outcomes:
            return guarded(f"{name}.apply", thing.apply, state, op)

    return _Applied(name, thing.initial, {"*": apply}, any_operation=True)
