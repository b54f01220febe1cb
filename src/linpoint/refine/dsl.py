# SPDX-License-Identifier: Apache-2.0
"""The modelling functions: a model is a class in restricted Python, and this module is its complete vocabulary.

    class Counter(linpoint.Model):
        n = linpoint.atomic(0)

        @linpoint.operation
        def increment(self):
            while True:
                n = self.n.load()
                if self.n.cas(n, n + 1):
                    return n

``frontend.compile_model`` compiles the source of such a class for the engine. The same class also runs in plain Python,
``Counter().increment()``, as a single process and for a smoke test; this module and ``python_cells`` implement that.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

from linpoint.errors import ModelError
from linpoint.refine.node_classes import is_node_class, make_node_class
from linpoint.refine.python_cells import Array, Atomic, Lock, ModelStuckError, Record, same

__all__ = [
    "Array",
    "Atomic",
    "Lock",
    "Model",
    "ModelStuckError",
    "Record",
    "array",
    "assume",
    "atomic",
    "choose",
    "choosing",
    "dcas",
    "fence",
    "lock",
    "point",
    "record",
]

_Chooser = Callable[[tuple[Any, ...]], Any]


class Model:
    """An algorithm to be checked: subclass it, declare the shared state, and mark the operations.

    ``spec`` is the default spec of the check. ``setup`` creates the initial state; it runs once, before all processes.
    """

    __linpoint_model__: ClassVar[bool] = True

    spec: Any = None
    """The spec that the model must refine, unless the check names another one."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for thing in list(vars(cls).values()):
            if is_node_class(thing):
                make_node_class(thing)

    def __init__(self) -> None:
        from linpoint.refine.array_cell_rewriter import read_elements  # noqa: PLC0415 - only runs in Python need it

        read_elements(type(self))
        for name, declared in declarations_of(type(self)).items():
            object.__setattr__(self, name, declared.fresh())
        self.setup()

    def setup(self) -> None:
        """Create the initial state, if the declarations do not suffice."""

    def __setattr__(self, name: str, value: Any) -> None:
        declared = declarations_of(type(self)).get(name)
        raise ModelError(
            "LP-M004",
            f"self.{name} cannot be set.",
            remedy=f"Write self.{name}.store(...)."
            if isinstance(declared, Atomic | Record)
            else "Declare shared state in the class, and use local variables for the rest.",
        )

    @classmethod
    def with_(cls, **constants: Any) -> type[Self]:
        """The same model with other constants: ``Queue.with_(length=2)``. Declarations that depend on them follow."""
        from linpoint.refine.model_constants import with_constants  # noqa: PLC0415 - rarely needed

        return with_constants(cls, constants)


def declarations_of(model: type) -> dict[str, Any]:
    """The shared declarations of a model by name: cells, arrays, records and locks, those of base classes first."""
    found: dict[str, Any] = {}
    for each in reversed(model.__mro__):
        for name, value in vars(each).items():
            if isinstance(value, Atomic | Array | Lock | Record):
                found[name] = value
            elif name in found:
                del found[name]
    return found


def atomic(initial: Any) -> Atomic[Any]:
    """A shared cell with its initial value. A class of nodes as the value means that the cell initially holds None."""
    return Atomic(initial)


def array(initial: Any, *, size: int) -> Array:
    """An array of ``size`` cells, each with that initial value: a value, a record or a lock."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        fact = f"an array cannot have size {size!r}."
        raise ModelError("LP-M010", fact, place=_caller(), remedy="Use a number of at least 1.")
    if isinstance(initial, Array):
        fact = "arrays of arrays are not supported."
        raise ModelError("LP-M010", fact, place=_caller(), remedy="Use one array of size rows * columns.")
    return Array(initial if isinstance(initial, Atomic | Lock) else Atomic(initial), size)


def record(**fields: Any) -> Any:
    """In a class, one cell with these fields; in a method, a value with them. It is stored and compared as a whole."""
    if not fields:
        fact = "a record must have at least one field."
        raise ModelError("LP-M010", fact, place=_caller(), remedy="Write linpoint.record(name=value).")
    return Record(**fields)


def lock() -> Lock:
    """A lock: use ``with self.m:``, or ``acquire`` and ``release``."""
    return Lock()


def fence() -> None:
    """Wait until all stores of this process are visible to all processes."""


def point() -> None:
    """Mark the previous step as the linearization point of the operation."""


def dcas(first: Any, second: Any, old1: Any, old2: Any, new1: Any, new2: Any, /) -> bool:
    """Atomically change two different cells if both have the expected values; return whether they had."""
    if first is second:
        raise ModelError("LP-M008", "dcas requires two different cells.", remedy="Use .cas(...) for one.")
    if not (same(first.load(), old1) and same(second.load(), old2)):
        return False
    first.store(new1)
    second.store(new2)
    return True


def assume(condition: Any) -> None:
    """Exclude all runs in which ``condition`` is false. Plain Python raises ``ModelStuckError`` instead."""
    if not condition:
        raise ModelStuckError("an assumption of the model does not hold")


_choosers: list[_Chooser] = []


def choose(domain: Iterable[Any]) -> Any:
    """Choose any value of ``domain``. A check tries every value of ``domain``; plain Python takes the first, or the
    value that ``choosing`` selects.
    """
    values = tuple(domain)
    if not values:
        raise ModelStuckError("there is nothing to choose from")
    return _choosers[-1](values) if _choosers else values[0]


@contextlib.contextmanager
def choosing(chooser: _Chooser) -> Iterator[None]:
    """In the block, ``choose`` calls ``chooser`` with the tuple of its values: for example ``random.choice``."""
    _choosers.append(chooser)
    try:
        yield
    finally:
        _choosers.pop()


def _caller() -> str:
    """The place of the call of a modelling function."""
    frame = sys._getframe(2)  # noqa: SLF001 - the documented way to get a frame
    path, here = Path(frame.f_code.co_filename), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{frame.f_lineno}"
