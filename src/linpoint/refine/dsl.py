# SPDX-License-Identifier: Apache-2.0
"""The modelling words: a model is a class in restricted Python, and these are all that it may say.

    class Counter(linpoint.Model):
        n = linpoint.atomic(0)

        @linpoint.operation
        def increment(self):
            while True:
                n = self.n.load()
                if self.n.cas(n, n + 1):
                    return n

``frontend.compile_model`` reads the source of such a class for the engine. The same class also runs as it stands,
``Counter().increment()``, by one process and for a smoke test: that is what this module and ``cells`` are for.
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
    """An algorithm to be checked: subclass it, declare what is shared, and mark the operations.

    ``spec`` is the default for the check. ``setup`` makes the initial state and runs once, alone.
    """

    __linpoint_model__: ClassVar[bool] = True

    spec: Any = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for thing in list(vars(cls).values()):
            if is_node_class(thing):
                make_node_class(thing)

    def __init__(self) -> None:
        from linpoint.refine.array_cell_rewriter import read_elements  # noqa: PLC0415 - it needs the words

        read_elements(type(self))
        for name, declared in declarations_of(type(self)).items():
            object.__setattr__(self, name, declared.fresh())
        self.setup()

    def setup(self) -> None:
        """Make the initial state, where the declarations do not say it all."""

    def __setattr__(self, name: str, value: Any) -> None:
        declared = declarations_of(type(self)).get(name)
        raise ModelError(
            "LP-M004",
            f"self.{name} cannot be set.",
            remedy=f"Write self.{name}.store(...)."
            if isinstance(declared, Atomic | Record)
            else "What is shared is declared in the class, and all else is a local variable.",
        )

    @classmethod
    def with_(cls, **constants: Any) -> type[Self]:
        """The same model with other constants: ``Queue.with_(length=2)``. What is declared by them follows."""
        from linpoint.refine.model_constants import with_constants  # noqa: PLC0415 - it needs the words

        return with_constants(cls, constants)


def declarations_of(model: type) -> dict[str, Any]:
    """What a model shares, by name: cells, arrays, records and locks, those of base classes first."""
    found: dict[str, Any] = {}
    for each in reversed(model.__mro__):
        for name, value in vars(each).items():
            if isinstance(value, Atomic | Array | Lock | Record):
                found[name] = value
            elif name in found:
                del found[name]
    return found


def atomic(initial: Any) -> Atomic[Any]:
    """A shared cell with its first value; a class of nodes means that it holds none at first."""
    return Atomic(initial)


def array(initial: Any, *, size: int) -> Array:
    """Cells in a row, each with that first value: a value, a record or a lock."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        fact = f"an array cannot have size {size!r}."
        raise ModelError("LP-M010", fact, place=_caller(), remedy="Give a number from 1 on.")
    if isinstance(initial, Array):
        fact = "an array of arrays is none of the modelling words."
        raise ModelError("LP-M010", fact, place=_caller(), remedy="Use one of rows * columns.")
    return Array(initial if isinstance(initial, Atomic | Lock) else Atomic(initial), size)


def record(**fields: Any) -> Any:
    """In a class, one cell with these fields; in a method, a value with them. It is stored and compared whole."""
    if not fields:
        fact = "a record has at least one field."
        raise ModelError("LP-M010", fact, place=_caller(), remedy="Write linpoint.record(name=value).")
    return Record(**fields)


def lock() -> Lock:
    """A lock: ``with self.m:``, or ``acquire`` and ``release``."""
    return Lock()


def fence() -> None:
    """Wait until all stores of this process are seen by all."""


def point() -> None:
    """The step before was the linearization point."""


def dcas(first: Any, second: Any, old1: Any, old2: Any, new1: Any, new2: Any, /) -> bool:
    """Change two cells at once if both are as given; whether they were."""
    if first is second:
        raise ModelError("LP-M008", "dcas is of two different cells.", remedy="Use .cas(...) for one.")
    if not (same(first.load(), old1) and same(second.load(), old2)):
        return False
    first.store(new1)
    second.store(new2)
    return True


def assume(condition: Any) -> None:
    """There are no runs in which ``condition`` is false. In Python alone it raises ``ModelStuckError``."""
    if not condition:
        raise ModelStuckError("what the model assumes is not so")


_choosers: list[_Chooser] = []


def choose(domain: Iterable[Any]) -> Any:
    """Any value of ``domain``, whichever. In Python alone it is the first, or what ``choosing`` says."""
    values = tuple(domain)
    if not values:
        raise ModelStuckError("there is nothing to choose from")
    return _choosers[-1](values) if _choosers else values[0]


@contextlib.contextmanager
def choosing(chooser: _Chooser) -> Iterator[None]:
    """Within it, ``chooser`` says what ``choose`` gives, of all values that it may be: ``random.choice``, say."""
    _choosers.append(chooser)
    try:
        yield
    finally:
        _choosers.pop()


def _caller() -> str:
    """Where the word was written that is running."""
    frame = sys._getframe(2)  # noqa: SLF001 - the documented way to look there
    path, here = Path(frame.f_code.co_filename), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{frame.f_lineno}"
