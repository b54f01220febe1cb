# SPDX-License-Identifier: Apache-2.0
"""Turns a function that builds a built-in spec into the spec with its default parameters, callable for others."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

from linpoint.specs.spec import Spec


def declare(build: Callable[..., Spec]) -> Spec:
    """The built-in with its default parameters, callable for others. The docstring of ``build`` documents it."""

    @functools.wraps(build)
    def factory(*args: Any, **parameters: Any) -> Spec:
        return dataclasses.replace(build(*args, **parameters), factory=factory, doc=inspect.getdoc(build) or "")

    return factory()
