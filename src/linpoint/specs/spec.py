# SPDX-License-Identifier: Apache-2.0
"""Defines sequential specifications: an initial state and, for each operation, pure steps.

A step takes a state and arguments and gives ``(result, state)``, or a list of such pairs if the operation is
nondeterministic. An empty list means that the operation is not legal in this state. States must be hashable or consist
of built-in containers. Steps must be pure: each pair of state and operation is computed once and stored.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linpoint.errors import SpecError
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, equal_values, format_value

State = Any
Outcomes = list[tuple[Any, State]]


class Returns(enum.Enum):
    """The kinds of results of operations. The kind decides how a recorded result is compared."""

    VALUE = "value"
    """A value: null is the value null, absent or empty."""
    OBSERVATION = "bool"
    """A truth value of an operation that changes nothing. It is compared exactly."""
    SUCCESS = "bool, if changed"
    """A bool or an index of an operation that changes the object. Null means "not observed"."""
    NOTHING = "null"
    """No result: null and true are both allowed."""

    def allows(self, recorded: Value, given: Value) -> bool:
        """Whether the result ``given`` by the spec explains the ``recorded`` one."""
        if self is Returns.NOTHING:
            return recorded is None or recorded is True or equal_values(recorded, given)
        return (recorded is None and self is Returns.SUCCESS) or equal_values(recorded, given)


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a spec: its function, its arguments and its result."""

    name: str
    apply: Callable[..., Any]
    """The pure function of the state and the arguments."""
    parameters: tuple[str, ...] = ()
    """The names of the arguments."""
    required: int = 0
    """The number of arguments without a default."""
    returns: Returns = Returns.VALUE
    """The kind of the result."""
    result: str = "result"
    """The result in the signature."""
    complaint: Callable[[tuple[Value, ...]], str | None] | None = None
    """A function of the arguments that describes why they are invalid, or returns None."""
    takes_process: bool = False
    """Whether the function takes the calling process."""
    reads: bool | Callable[[tuple[Value, ...], Value], bool] = False
    """Whether it never changes the state; a function of arguments and recorded result if that depends on them."""
    takes_integers: bool = False
    """Whether ``complaint`` accepts all integers, so that it need not be called for a history of integers only."""

    def signature(self) -> str:
        """The operation in the notation of the reference: ``cas(old, new) -> bool``."""
        return f"{self.name}({', '.join(self.parameters)}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class Twin:
    """The step functions of the native core that compute the same as a built-in spec, much faster."""

    kind: str
    capacity: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """A sequential specification. Immutable; call it to set its parameters."""

    name: str
    """The name, with the parameters of a built-in: ``queue(capacity=8)``."""
    initial: State
    """The initial state."""
    steps: Mapping[str, Step] = field(repr=False)
    """The operations by name. ``step.signature()`` is a text such as ``cas(old, new) -> bool``."""
    key_argument: bool = False
    """Whether the first argument is the key (``map``). A recorded ``key`` then stands for it."""
    partition: Callable[[tuple[Value, ...]], Value] | None = field(default=None, repr=False)
    """The part of the object that the arguments access; None if the object has no independent parts."""
    factory: Callable[..., Spec] | None = field(default=None, repr=False)
    """The function that makes this spec with other parameters. Call the spec itself instead."""
    any_operation: bool = False
    """Whether the spec accepts operations of any name."""
    doc: str = ""
    """A description in one sentence."""
    twin: Twin | None = field(default=None, repr=False)
    """Equivalent native steps, if there are any. Those of a map or a set apply to one key."""
    changes: Mapping[str, str | None] | None = field(default=None, repr=False)
    """The steps of a user's spec that have changed their state in place, with the line; None for specs of linpoint."""

    def __call__(self, *args: Any, **parameters: Any) -> Spec:
        """This spec with other parameters: ``queue(capacity=8)``, ``register(initial=0)``."""
        if self.factory is None:
            raise SpecError("LP-S004", f"spec {self.name} takes no parameters.", remedy="Omit the parentheses.")
        try:
            return self.factory(*args, **parameters)
        except TypeError as error:
            raise SpecError(
                "LP-S004",
                f"spec {self.name} does not accept these parameters: {error}.",
                remedy="Run `linpoint specs` to list the parameters of each spec.",
            ) from None

    @property
    def uses_process(self) -> bool:
        """Whether any step depends on the process, in which case equal operations of two processes differ."""
        return any(step.takes_process for step in self.steps.values())

    def step(self, op: Operation) -> Step:
        """The step of an operation."""
        return self.step_named(op.name)

    def step_named(self, name: str) -> Step:
        """The step with this name; ``_`` and ``-`` are equal in names."""
        try:
            return self.steps[name]
        except KeyError:
            found = self.steps.get(name.replace("_", "-"))
            if found is None and self.any_operation:
                found = self.steps["*"]
            if found is None:
                raise SpecError(
                    "LP-S002",
                    f'spec {self.name} has no operation "{name}".',
                    remedy=f"Use one of: {', '.join(self.steps)}.",
                ) from None
            return found

    def arguments(self, op: Operation) -> tuple[Value, ...]:
        """The arguments of the step. If the key is an argument, a recorded key comes first."""
        return (op.key, *op.args) if self.key_argument and op.key is not None else op.args

    def complaint(self, op: Operation) -> SpecError | None:
        """Why an operation does not belong to this spec: unknown name, wrong number of arguments, invalid arguments."""
        try:
            step = self.step(op)
        except SpecError as error:
            return error
        if self.any_operation:
            return None
        args = self.arguments(op)
        if not step.required <= len(args) <= len(step.parameters):
            expected = f"{len(step.parameters)} arguments" if len(step.parameters) != 1 else "1 argument"
            return SpecError(
                "LP-S003",
                f'"{op.name}" of spec {self.name} takes {expected}, not {len(args)}: {format_value(list(args))}.',
                remedy=f"Record it as {step.signature()}.",
            )
        problem = step.complaint(args) if step.complaint else None
        if problem:
            return SpecError(
                "LP-S004",
                f'"{op.name}" of spec {self.name}: {problem}.',
                remedy=f"Record it as {step.signature()}.",
            )
        return None

    def outcomes(self, state: State, op: Operation) -> Outcomes:
        """Every ``(result, state)`` that the spec gives for the operation in ``state``."""
        step = self.step_named(op.name)
        args = self.arguments(op)
        found = step.apply(state, *args, process=op.process) if step.takes_process else step.apply(state, *args)
        return found if type(found) is list else [found]

    def allows(self, op: Operation, given: Value) -> bool:
        """Whether the result ``given`` by the spec explains the result of the operation."""
        return op.outcome is not Outcome.OK or self.step(op).returns.allows(op.result, given)

    def successors(self, state: State, op: Operation) -> list[State]:
        """The states after the operation with its recorded result; with any result if it is unknown."""
        outcomes = self.outcomes(state, op)
        if op.outcome is not Outcome.OK:
            return [after for _, after in outcomes]
        allows, result = self.step_named(op.name).returns.allows, op.result
        return [after for given, after in outcomes if allows(result, given)]

    def reads(self, op: Operation) -> bool:
        """Whether the operation, with its recorded result, leaves every state unchanged."""
        rule = self.step(op).reads
        if callable(rule):
            return op.outcome is Outcome.OK and rule(self.arguments(op), op.result)
        return rule
