# SPDX-License-Identifier: Apache-2.0
"""Adds to a spec an operation that queries a fact about the state, and optionally a record of all operations.

Both leave the outcomes of the other operations to the spec itself, whatever kind of spec it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from linpoint.histories.operation import Operation
from linpoint.specs.spec import Outcomes, Spec, State, Step


@dataclass(frozen=True, slots=True, eq=False)
class _QuestionedSpec(Spec):
    inner: Spec | None = None
    question: str = ""

    def outcomes(self, state: State, op: Operation) -> Outcomes:
        if op.name == self.question or self.inner is None:
            return Spec.outcomes(self, state, op)
        return self.inner.outcomes(state, op)


@dataclass(frozen=True, slots=True, eq=False)
class _RememberingSpec(Spec):
    inner: Spec | None = None

    def outcomes(self, state: State, op: Operation) -> Outcomes:
        assert self.inner is not None
        found = self.inner.outcomes(state[0], op)
        return [(result, (after, (*state[1], (op.name, op.args)))) for result, after in found]


def with_question(spec: Spec, name: str, answer: Callable[[State], Outcomes]) -> Spec:
    """Add to ``spec`` an operation ``name`` without arguments, whose outcomes ``answer`` gives."""
    steps = {**spec.steps, name: Step(name, answer, (), 0)}
    return _QuestionedSpec(spec.name, spec.initial, steps, any_operation=spec.any_operation, inner=spec, question=name)


def with_memory(spec: Spec) -> Spec:
    """Change ``spec`` to have states ``(state, operations)``: the names and arguments of all operations so far.

    No operation is a pure read of such a state.
    """
    steps = {name: replace(step, reads=False) for name, step in spec.steps.items()}
    return _RememberingSpec(spec.name, (spec.initial, ()), steps, any_operation=spec.any_operation, inner=spec)
