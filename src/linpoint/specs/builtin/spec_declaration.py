# SPDX-License-Identifier: Apache-2.0
"""The parts of a built-in spec: its steps, its initial value, and errors for values that it does not accept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from linpoint.errors import SpecError
from linpoint.histories.values import Value, canonical, format_value, freeze
from linpoint.specs.spec import Returns, Step

RESULTS = {
    Returns.VALUE: "value",
    Returns.OBSERVATION: "bool",
    Returns.SUCCESS: "bool",
    Returns.NOTHING: "null",
}


def step(
    name: str,
    apply: Callable[..., Any],
    *parameters: str,
    returns: Returns = Returns.VALUE,
    result: str | None = None,
    complaint: Callable[[tuple[Value, ...]], str | None] | None = None,
    reads: bool | Callable[[tuple[Value, ...], Value], bool] = False,
    takes_integers: bool = False,
) -> Step:
    """A step of a built-in, all of whose parameters are required."""
    return Step(
        name,
        apply,
        parameters,
        len(parameters),
        returns,
        result or RESULTS[returns],
        complaint,
        reads=reads,
        takes_integers=takes_integers,
    )


def unsuccessful(_args: tuple[Value, ...], result: Value) -> bool:
    """Whether an operation returned that it did not succeed, in which case it changed nothing."""
    return result is False


def table(steps: Iterable[Step]) -> Mapping[str, Step]:
    """The steps by name."""
    return {each.name: each for each in steps}


def bad_parameter(spec: str, message: str, remedy: str) -> SpecError:
    """The error for a parameter or an initial value that this spec does not accept."""
    return SpecError("LP-S004", f"spec {spec}: {message}.", remedy=remedy)


def is_number(value: Value) -> bool:
    """Whether a value is a JSON number (a bool is not)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def needs_number(args: tuple[Value, ...]) -> str | None:
    """Complain unless the last argument is a number."""
    return None if is_number(args[-1]) else f"{format_value(args[-1])} is not a number"


def initial_list(spec: str, initial: Any) -> tuple[Value, ...]:
    """The initial value of a container: a JSON list, in the order of insertion.

    A queue returns the first item first, a stack the last.
    """
    if initial is None:
        return ()
    if not isinstance(initial, (list, tuple)):
        raise bad_parameter(
            spec, f"the initial value {format_value(initial)} is not a list", "Use a JSON list, such as [1, 2]."
        )
    return tuple(freeze(item) for item in initial)


def initial_mapping(spec: str, initial: Any) -> dict[Any, Value]:
    """The initial value of a keyed object: a JSON object, or a list of [key, value] pairs for other keys."""
    if isinstance(initial, (list, tuple)) and all(isinstance(p, (list, tuple)) and len(p) == 2 for p in initial):
        return {canonical(freeze(key)): freeze(value) for key, value in initial}
    if not isinstance(initial, Mapping):
        raise bad_parameter(
            spec, f"the initial value {format_value(initial)} is not an object", 'Use a JSON object, such as {"x": 0}.'
        )
    return {canonical(key): freeze(value) for key, value in initial.items()}
