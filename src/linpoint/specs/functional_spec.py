# SPDX-License-Identifier: Apache-2.0
"""Specs written as a few pure functions: ``@linpoint.spec`` on a class of them.

    @linpoint.spec
    class Queue:
        initial = ()
        def enqueue(state, x): return None, (*state, x)
        def dequeue(state):    return (state[0], state[1:]) if state else (None, state)

Each function takes the state and then the arguments of the operation. It returns ``(result, state)`` or a list of such
pairs. A keyword-only parameter ``process`` receives the calling process.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, overload

from linpoint.errors import SpecError
from linpoint.histories.values import Value, freeze
from linpoint.specs.spec import Outcomes, Spec, Step
from linpoint.specs.step_guard import StepGuard, UserStep
from linpoint.specs.user_calls import call_user, need_hash

Partition = Callable[..., Value]


@overload
def spec(body: type) -> Spec: ...
@overload
def spec(*, partition: Partition | None = ..., reads: Iterable[str] = ...) -> Callable[[type], Spec]: ...
def spec(
    body: type | None = None, *, partition: Partition | None = None, reads: Iterable[str] = ()
) -> Spec | Callable[[type], Spec]:
    """Make a spec from a class of pure functions.

    ``partition`` maps the arguments of an operation to the independent part of the object that they access, as in
    ``@linpoint.spec(partition=lambda key, *rest: key)``; the parts are then checked separately. ``reads`` names the
    operations that never change the state, which makes searches faster.
    """
    names = frozenset(name.replace("_", "-") for name in reads)
    if body is None:
        return lambda later: _build(later, partition, names)
    return _build(body, partition, names)


def _build(body: type, partition: Partition | None, reads: frozenset[str]) -> Spec:
    steps = {}
    guard = StepGuard()
    for name, function in vars(body).items():
        if isinstance(function, staticmethod):
            function = function.__func__  # noqa: PLW2901 - replaced by the plain function
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        steps[name.replace("_", "-")] = _step(body.__name__, name, function, reads, guard)
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
            freeze(initial) if isinstance(initial, list) and not isinstance(body.initial, list) else initial,
            steps,
            partition=_partition(body.__name__, partition) if partition else None,
            factory=build,
            changes=guard.changes,
            doc=inspect.getdoc(body) or "",
        )

    return build()


def _partition(owner: str, function: Partition) -> Callable[[tuple[Value, ...]], Value]:
    """A user's partition over all arguments as one tuple. Errors in it name the place."""
    place = f"{owner}.partition"

    def part(args: tuple[Value, ...]) -> Value:
        found = call_user(
            place,
            function,
            *args,
            remedy="Let the partition accept the arguments of every operation, including none.",
        )
        need_hash(place, "gave", found)
        return found

    return part


def _step(owner: str, name: str, function: Callable[..., Any], reads: frozenset[str], guard: StepGuard) -> Step:
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not positional:
        raise SpecError(
            "LP-S007",
            f"{owner}.{name} has no parameter for the state.",
            remedy=f"Add it first: def {name}(state, ...)",
        )
    arguments = positional[1:]
    operation = name.replace("_", "-")
    step = UserStep(owner, operation, f"{owner}.{name}", function, operation in reads)
    return Step(
        operation,
        guard.applying(step),
        tuple(p.name for p in arguments),
        sum(p.default is p.empty for p in arguments),
        takes_process=any(p.name == "process" and p.kind is p.KEYWORD_ONLY for p in parameters),
        reads=step.reads,
    )


def from_object(thing: Any) -> Spec:
    """Make a spec from any object with ``initial`` and ``apply(state, op)``."""
    name = getattr(thing, "name", None) or type(thing).__name__
    # ``apply`` sees the whole operation, so equal operations of two processes are not interchangeable: if no process
    # may go twice in a row, A, B, A is legal and A, A, B is not.
    apply = Step("*", lambda *_, **__: [], takes_process=True)
    guard = StepGuard()
    step = UserStep(name, "apply", f"{name}.apply", thing.apply)

    class _Applied(Spec):
        __slots__ = ()

        def outcomes(self, state: Any, op: Any) -> Outcomes:
            return guard.outcomes(step, state, (op,), {}, op.name)

    return _Applied(name, thing.initial, {"*": apply}, any_operation=True, changes=guard.changes)
