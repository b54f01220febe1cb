# SPDX-License-Identifier: Apache-2.0
"""Adds to a spec an operation that may return anything except some results, to find out which other results exist."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any, Final

from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Outcomes, Returns, Spec, State, Step

FREE_RESULT: Final = "(any other result)"
"""The name of the step. An operation of that name returned ``True``."""


@dataclass(frozen=True, slots=True, eq=False)
class _FreeResultSpec(Spec):
    """A wrapper for specs that compute outcomes in their own way, which are asked for all outcomes."""

    inner: Spec | None = None
    freed: str = ""
    excluded: Collection[Hashable] = ()

    def outcomes(self, state: State, op: Operation) -> Outcomes:
        assert self.inner is not None
        if op.name != FREE_RESULT:
            return self.inner.outcomes(state, op)
        found = self.inner.outcomes(state, dataclasses.replace(op, name=self.freed))
        return [(True, after) for result, after in found if canonical(result) not in self.excluded]


def with_free_result(spec: Spec, step: Step, excluded: Collection[Hashable]) -> Spec:
    """Add ``step`` to ``spec`` under another name, with any result except those whose canonical forms are excluded."""
    free = dataclasses.replace(step, name=FREE_RESULT, returns=Returns.VALUE, complaint=None, reads=step.reads is True)
    steps = {**spec.steps, FREE_RESULT: free}
    if type(spec) is not Spec:
        shared = {each.name: getattr(spec, each.name) for each in dataclasses.fields(Spec) if each.init}
        shared |= {"steps": steps, "twin": None}
        return _FreeResultSpec(**shared, inner=spec, freed=step.name, excluded=excluded)

    def apply(state: State, *args: Value, **process: Any) -> Outcomes:
        given = step.apply(state, *args, **process)
        outcomes = given if type(given) is list else [given]
        return [(True, after) for result, after in outcomes if canonical(result) not in excluded]

    return dataclasses.replace(spec, steps={**steps, FREE_RESULT: dataclasses.replace(free, apply=apply)}, twin=None)
