# SPDX-License-Identifier: Apache-2.0
"""Running one model twice: directly in Python, and compiled, in the reference interpreter.

Both must give the same results, make the same accesses in the same order, and leave the same memory.
"""

from __future__ import annotations

import contextlib
import enum
import importlib.util
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import linpoint
from linpoint.refine.dsl import choosing, declarations_of
from linpoint.refine.frontend import compile_model
from linpoint.refine.node_classes import fields_of
from linpoint.refine.program_ir import CompiledModel
from linpoint.refine.python_cells import Array, Atomic, Lock, ModelStuckError, Record
from tests.refine.frontend import interpreter

LONGEST = 1_000
"""Accesses of a call before it counts as endless."""

_numbers = itertools.count()


def load(source: str, folder: Path, name: str = "model") -> Any:
    """The module with this text, loaded from a file so that it has a source."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"{name}_{next(_numbers)}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# Observations of a run


def outcome(run: Callable[[], Any]) -> tuple[str, Any]:
    """The result of a call, or the way it fails."""
    try:
        return "returns", run()
    except (ModelStuckError, interpreter.StuckError):
        return "stuck", None
    except interpreter.EndlessError:
        return "endless", None
    except (AssertionError, interpreter.AssertionFaultError):
        return "assert", None
    except (TypeError, AttributeError, IndexError, ZeroDivisionError, RuntimeError, interpreter.FaultError):
        return "fault", None


class Canonical:
    """Values with nodes numbered as they are found, so that two heaps can be compared."""

    def __init__(self, program: CompiledModel) -> None:
        self.program = program
        self.numbers: dict[int, int] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return tuple(map(self.of, value))
        if isinstance(value, Record):
            return tuple(map(self.of, value.values()))
        if isinstance(value, enum.Enum) and not isinstance(value, int | str):
            return "str", f"{type(value).__name__}.{value.name}"
        if value is None or isinstance(value, bool | int | str):
            return type(value).__name__, value
        if id(value) in self.numbers:
            return "node", self.numbers[id(value)]
        self.numbers[id(value)] = len(self.numbers)
        if isinstance(value, interpreter.Node):
            kind = self.program.classes[value.number]
            inner = [value.fields[number] for number in kind.fields]
            return kind.name, *(self.of(each[0] if len(each) == 1 else each) for each in inner)
        inner = [getattr(value, each.name) for each in fields_of(type(value))]
        return type(value).__name__, *(
            self.of(each.load() if isinstance(each, Atomic | Lock) else each) for each in inner
        )


def memory_of_machine(machine: interpreter.Machine, result: Any) -> Any:
    canonical = Canonical(machine.program)
    cells = {
        each.name: [values[0] if each.width == 1 else values for values in held]
        for each, held in zip(machine.program.cells, machine.cells, strict=True)
    }
    return canonical.of(result), {name: canonical.of(held) for name, held in cells.items()}


def memory_of_model(model: linpoint.Model, program: CompiledModel, result: Any) -> Any:
    canonical = Canonical(program)
    found = {}
    for name in declarations_of(type(model)):
        held = getattr(model, name)
        values = [held.cells[n].load() for n in range(len(held))] if isinstance(held, Array) else [held.load()]
        found[name] = [
            each.values()[0] if isinstance(each, Record) and len(each.names()) == 1 else each for each in values
        ]
    return canonical.of(result), {name: canonical.of(held) for name, held in found.items()}


@contextlib.contextmanager
def traced(trace: list[tuple[int, str]]) -> Iterator[None]:
    """Record each access to a cell or lock, by the identity of the cell."""
    depth = 0

    def noting(kind: type, name: str) -> Callable[..., Any]:
        original = getattr(kind, name)

        def access(self: Any, *args: Any) -> Any:
            nonlocal depth
            if not depth:
                trace.append((id(self), name))
            if len(trace) > LONGEST:
                raise interpreter.EndlessError
            depth += 1
            try:
                return original(self, *args)
            finally:
                depth -= 1

        return access

    words = {Atomic: ["load", "store", "cas", "swap", "fetch_add", "ll", "sc"], Lock: ["acquire", "release"]}
    originals = {(kind, name): getattr(kind, name) for kind, names in words.items() for name in names}
    for kind, name in originals:
        setattr(kind, name, noting(kind, name))
    try:
        yield
    finally:
        for (kind, name), original in originals.items():
            setattr(kind, name, original)


def accesses_of_model(model: linpoint.Model, trace: list[tuple[int, str]]) -> list[tuple[str, str]]:
    """The trace with the names of cells. Cells of nodes are omitted, since their names are no longer known."""
    names: dict[int, str] = {}
    for name in declarations_of(type(model)):
        held = getattr(model, name)
        for each in [held.cells[n] for n in range(len(held))] if isinstance(held, Array) else [held]:
            names[id(each)] = name
    return [(names[at], word) for at, word in trace if at in names]


def compare(model_class: type[linpoint.Model], runs: list[list[tuple[str, tuple[Any, ...]]]]) -> None:
    """Make the calls of each run one after another both ways, on fresh memory, and compare after each call."""
    program = compile_model(model_class)
    interpreter.validate(program)
    for calls in runs:
        machine = interpreter.Machine(program, choose=_chooser())
        with choosing(_chooser()):
            model = model_class()
            assert memory_of_model(model, program, None) == memory_of_machine(machine, None)
            for name, args in calls:
                if not _same_call(model, machine, name, args):
                    break


def _same_call(model: linpoint.Model, machine: interpreter.Machine, name: str, args: tuple[Any, ...]) -> bool:
    """Make one call both ways and return whether it returned."""
    trace: list[tuple[int, str]] = []
    with traced(trace):
        kind, expected = outcome(lambda: getattr(model, name.replace("-", "_"))(*args))
    machine.trace.clear()
    shown = f"{name}{args}"
    found = outcome(lambda: machine.call(name, *args))
    if "endless" in {kind, found[0]}:  # the two count differently
        return False
    assert found[0] == kind, f"{shown}: {found}, not {kind} {expected}"
    own = {each.name for each in machine.program.cells}
    if not any(word == "dcas" for _, word in machine.trace):
        assert [each for each in machine.trace if each[0] in own] == accesses_of_model(model, trace), shown
    if kind != "returns":
        return False
    assert memory_of_machine(machine, found[1]) == memory_of_model(model, machine.program, expected), shown
    return True


def _chooser() -> Callable[[tuple[Any, ...]], Any]:
    picks = itertools.cycle(range(7))
    return lambda values: values[next(picks) % len(values)] if len(values) > 1 else values[0]
