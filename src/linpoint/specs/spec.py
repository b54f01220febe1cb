# SPDX-License-Identifier: Apache-2.0
"""What a sequential specification is: an initial state and, for each operation, pure steps.

A step takes a state and arguments and gives ``(result, state)``, or a list of such pairs when the operation is
nondeterministic; an empty list says that the operation is not legal in this state. States must be hashable or
made of built-in containers, and steps must be pure: each (state, operation) pair is computed once and remembered.
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
    """What kind of result an operation gives, which decides how a recorded result is compared."""

    VALUE = "value"
    """A value: null is the value null, absent or empty."""
    OBSERVATION = "bool"
    """A truth value of an operation that changes nothing: compared as it is."""
    SUCCESS = "bool, if changed"
    """A bool or an index of an operation that changes the object: null means "not observed"."""
    NOTHING = "null"
    """Nothing: null and true are both allowed."""

    def allows(self, recorded: Value, given: Value) -> bool:
        """Whether the spec's result ``given`` explains the ``recorded`` one."""
        if self is Returns.NOTHING:
            return recorded is None or recorded is True or equal_values(recorded, given)
        return (recorded is None and self is Returns.SUCCESS) or equal_values(recorded, given)


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a spec: its function, its arguments and how its result reads."""

    name: str
    apply: Callable[..., Any]
    parameters: tuple[str, ...] = ()
    required: int = 0
    returns: Returns = Returns.VALUE
    result: str = "result"
    complaint: Callable[[tuple[Value, ...]], str | None] | None = None
    takes_process: bool = False
    reads: bool | Callable[[tuple[Value, ...], Value], bool] = False
    """Whether it never changes the state; a function of arguments and recorded result where that depends."""
    takes_integers: bool = False
    """Whether ``complaint`` has none about integers, so that a history of nothing else need not be asked."""

    def signature(self) -> str:
        """The operation as the reference shows it: ``cas(old, new) -> bool``."""
        return f"{self.name}({', '.join(self.parameters)}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class Twin:
    """Which step functions of the native core do the same as a built-in spec, much faster."""

    kind: str
    capacity: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """A sequential specification, ready to be checked against. Immutable; call it to set its parameters."""

    name: str
    initial: State
    steps: Mapping[str, Step] = field(repr=False)
    key_argument: bool = False
    """The first argument is the key (``map``): a recorded ``key`` stands for it."""
    partition: Callable[[tuple[Value, ...]], Value] | None = field(default=None, repr=False)
    """Gives the part of the object that arguments concern, where parts are independent of each other."""
    factory: Callable[..., Spec] | None = field(default=None, repr=False)
    any_operation: bool = False
    doc: str = ""
    twin: Twin | None = field(default=None, repr=False)
    """Native steps of the same meaning, where there are any; a map's or a set's are those of one key."""
    changes: Mapping[str, str | None] | None = field(default=None, repr=False)
    """For a user's steps: which of them were seen to change their state in place, with the line; None for our own."""

    def __call__(self, *args: Any, **parameters: Any) -> Spec:
        """This spec with other parameters: ``queue(capacity=8)``, ``register(initial=0)``."""
        if self.factory is None:
            raise SpecError("LP-S004", f"spec {self.name} takes no parameters.", remedy="Leave out the parentheses.")
        try:
            return self.factory(*args, **parameters)
        except TypeError as error:
            raise SpecError(
                "LP-S004",
                f"spec {self.name} does not take these parameters: {error}.",
                remedy="`linpoint specs` lists the parameters of each spec.",
            ) from None

    @property
    def uses_process(self) -> bool:
        """Whether any step looks at the process; equal operations of two processes then differ."""
        return any(step.takes_process for step in self.steps.values())

    def step(self, op: Operation) -> Step:
        """The step of an operation."""
        return self.step_named(op.name)

    def step_named(self, name: str) -> Step:
        """The step that ``name`` stands for; ``_`` and ``-`` are the same in names."""
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
                    remedy=f"It has: {', '.join(self.steps)}.",
                ) from None
            return found

    def arguments(self, op: Operation) -> tuple[Value, ...]:
        """The arguments the step sees: a recorded key comes first where the key is an argument."""
        return (op.key, *op.args) if self.key_argument and op.key is not None else op.args

    def complaint(self, op: Operation) -> SpecError | None:
        """Why this operation is not one of this spec: unknown name, wrong arity, impossible arguments."""
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
                remedy=f"It is {step.signature()}.",
            )
        problem = step.complaint(args) if step.complaint else None
        if problem:
            return SpecError(
                "LP-S004",
                f'"{op.name}" of spec {self.name}: {problem}.',
                remedy=f"It is {step.signature()}.",
            )
        return None

    def outcomes(self, state: State, op: Operation) -> Outcomes:
        """Every ``(result, state)`` that the spec gives for the operation in ``state``."""
        step = self.step_named(op.name)
        args = self.arguments(op)
        found = step.apply(state, *args, process=op.process) if step.takes_process else step.apply(state, *args)
        return found if type(found) is list else [found]

    def allows(self, op: Operation, given: Value) -> bool:
        """Whether the spec's result ``given`` explains what the operation returned."""
        return op.outcome is not Outcome.OK or self.step(op).returns.allows(op.result, given)

    def successors(self, state: State, op: Operation) -> list[State]:
        """The states after the operation, with the result it returned (any result if that is unknown)."""
        outcomes = self.outcomes(state, op)
        if op.outcome is not Outcome.OK:
            return [after for _, after in outcomes]
        allows, result = self.step_named(op.name).returns.allows, op.result
        return [after for given, after in outcomes if allows(result, given)]

    def reads(self, op: Operation) -> bool:
        """Whether the operation, with its recorded result, leaves every state as it is."""
        rule = self.step(op).reads
        if callable(rule):
            return op.outcome is Outcome.OK and rule(self.arguments(op), op.result)
        return rule
