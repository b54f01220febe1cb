# SPDX-License-Identifier: Apache-2.0
"""A spec with one step more: an operation that may return anything but some results, to ask which others there are."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable
from typing import Any, Final

from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Returns, Spec, State, Step

FREE_RESULT: Final = "(any other result)"
"""The name of the step; an operation of that name returned ``True``."""


def with_free_result(spec: Spec, step: Step, excluded: Collection[Hashable]) -> Spec:
    """``spec`` with ``step`` under another name, where its result is any but those whose canonical forms are excluded."""

    def apply(state: State, *args: Value, **process: Any) -> list[tuple[bool, State]]:
        given = step.apply(state, *args, **process)
        outcomes = given if type(given) is list else [given]
        return [(True, after) for result, after in outcomes if canonical(result) not in excluded]

    free = dataclasses.replace(
        step, name=FREE_RESULT, apply=apply, returns=Returns.VALUE, complaint=None, reads=step.reads is True
    )
    return dataclasses.replace(spec, steps={**spec.steps, FREE_RESULT: free}, twin=None)
