# SPDX-License-Identifier: Apache-2.0
"""A history as a spec interprets it: classes of equivalent operations, independent objects, and native steps.

Guarantee: two operations share a symbol only if the spec cannot distinguish them: they have the same step and equal
arguments, results and, if the spec uses them, processes and keys. Cost: O(n) in the native core; in Python, a little
per name and, for a spec without a native twin, per symbol.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

from linpoint.checkers import conditions
from linpoint.checkers._native_search import (
    Alphabet,
    Classes,
    Columns,
    Condition,
    Machine,
    NativeMachine,
    Problem,
    PythonMachine,
    native_machine,
)
from linpoint.checkers.native_spec_twin import NativeTwin, fitting_twin
from linpoint.errors import SpecError
from linpoint.histories.history import History
from linpoint.histories.values import Value, canonical
from linpoint.options.choices import CONDITIONS
from linpoint.specs.integer_automaton import CallAutomaton, IntegerAutomaton
from linpoint.specs.spec import Spec, Step
from linpoint.specs.symbol_calls import SymbolCalls, SymbolOperations

NATIVE_CONDITIONS: Final = {name: getattr(Condition, name.replace("-", "_").upper()) for name in CONDITIONS}


@dataclasses.dataclass(frozen=True, slots=True)
class _SymbolClasses:
    """The classes of equivalent operations, and the native steps for them, if they exist."""

    exact: Classes
    loose: Classes
    alphabet: Alphabet
    steps: NativeMachine | None


class HistoryInterpretation:
    """A history, a spec and a condition, ready to be divided into problems. Thread-safe once it is prepared.

    Unless ``divided``, a problem may cover several independent parts of an object, such as elements of a set.
    """

    def __init__(self, history: History, spec: Spec, condition: str, *, divided: bool = True, threads: int = 1) -> None:
        self._divided = divided
        self._threads = threads
        self.history = history
        self.spec = spec
        self.condition = condition
        self.timed = history.columns.timed
        """The columns for readers that need only times and names."""
        self.native_condition: Condition = NATIVE_CONDITIONS[condition]
        self._local = condition not in conditions.NOT_LOCAL
        own = [*range(len(history.columns.names))]
        self._validate(own)
        self.names = own if spec.any_operation else step_numbers(map(spec.step_named, history.columns.names))
        self._objects = self._keyed.by_object(spec.key_argument)
        self.twin = NativeTwin.of(history, spec) if self._local else None
        """The data that monitors and replays need, if the native core has the spec."""
        self._states: dict[tuple[int, ...], int] = {}
        self.after_step: Callable[[], object] = bool
        """Called after each step that Python code takes; must be set before the machine is created."""

    @functools.cached_property
    def columns(self) -> Columns:
        """The history as integers. If it has many lists, comparing them takes time."""
        return self.history.columns.native

    @property
    def _keyed(self) -> Columns:
        """The columns for readers that also need keys: only in the equated columns do equal keys share a number."""
        return self.columns if self.spec.key_argument or self.history.keyed else self.timed

    def prepare(self) -> None:
        """Create everything that searches share, before threads need it."""
        _ = self.machine

    @functools.cached_property
    def _symbol_classes(self) -> _SymbolClasses:
        # Only data that the spec uses may distinguish operations; the key of a map is an argument of its Python steps.
        sees_key = self.spec.any_operation or self.spec.key_argument or not self._local
        if self.twin is not None and (self.twin.kind not in ("set", "multiset") or self.divisible):
            classes = self._choose(sees_key=False)
            steps = native_machine(self.columns, self.twin.blueprint, classes.exact, classes.loose)
            if steps is not None:
                return dataclasses.replace(classes, steps=steps)
        return self._choose(sees_key=sees_key)

    def _choose(self, *, sees_key: bool) -> _SymbolClasses:
        process = self.spec.uses_process
        exact = self.columns.classify(self.names, arguments=True, result=True, process=process, key=sees_key)
        loose = self.columns.classify(self.names, arguments=True, process=process, key=sees_key)
        return _SymbolClasses(exact, loose, Alphabet(exact, loose), None)

    def _validate(self, names: list[int]) -> None:
        """Raise unless the spec has every operation: a known name, the right arity, possible arguments."""
        if self.spec.any_operation:
            return
        operations = self.history.operations
        suspects = [p for p in self.timed.classify(names, arity=True).first if self.spec.complaint(operations[p])]
        suspects += wrong_arguments(self.history, self.spec, threads=self._threads)
        if suspects:  # report the first complaint in the history
            op = operations[min(suspects)]
            complaint = self.spec.complaint(op)
            assert complaint is not None
            raise complaint.at(self.history.place(op))

    @functools.cached_property
    def machine(self) -> Machine:
        """The spec in the native core: its twin, or a table that calls the Python steps once per cell."""
        return self._symbol_classes.steps or PythonMachine(self._watched_step(), self._reads())

    def _watched_step(self) -> Callable[[int, int], Sequence[int] | int]:
        step, after_step = self._automaton.step, self.after_step
        if after_step is bool:
            return step

        def watched(state: int, symbol: int) -> Sequence[int] | int:
            found = step(state, symbol)
            after_step()
            return found

        return watched

    @property
    def alphabet(self) -> Alphabet:
        """The symbols of the operations."""
        return self._symbol_classes.alphabet

    @functools.cached_property
    def _automaton(self) -> IntegerAutomaton:
        spec = self.spec
        exact, loose = self._symbol_classes.exact.first, self._symbol_classes.loose.first
        machine = conditions.condition_machine(spec, self.condition, keyed=self.history.keyed)
        pseudo_operations = (conditions.PERSIST, conditions.CRASH_OPERATION)
        symbols = SymbolOperations(self.history.operations, exact, loose, pseudo_operations)
        if machine is not spec or type(spec) is not Spec or spec.uses_process or spec.any_operation:
            return IntegerAutomaton(machine, symbols)
        return CallAutomaton(spec, symbols, SymbolCalls(self.history, spec, exact, loose))

    @functools.cached_property
    def _certifying(self) -> HistoryInterpretation:
        """An interpretation for certification, whose machine no search has used."""
        return HistoryInterpretation(self.history, self.spec, self.condition, divided=False)

    def certifying(self, positions: Sequence[int]) -> tuple[Alphabet, Machine, int]:
        """Symbols and a machine for certification, and its initial state of the object of these operations."""
        other = self._certifying
        return other.alphabet, other.machine, other.initial(positions)

    def _reads(self) -> bytes:
        """For each symbol, whether it changes no state at all."""
        operations = self.history.operations
        rules = {name: self.spec.step_named(self.history.columns.names[name]).reads for name in set(self.names)}
        if not any(rules.values()):
            return bytes(len(self._symbol_classes.exact) + len(self._symbol_classes.loose) + 2)
        rule_of = [rules[name] for name in self.names]
        name_at = self.timed.name_at
        exact = bytes(
            rule if (rule := rule_of[name_at(p)]) is True or rule is False else self.spec.reads(operations[p])
            for p in self._symbol_classes.exact.first
        )
        loose = bytes(rule_of[name_at(p)] is True for p in self._symbol_classes.loose.first)
        return exact + loose + bytes(2)

    @property
    def native(self) -> bool:
        """Whether steps run without Python code."""
        return self._symbol_classes.steps is not None

    @property
    def error(self) -> Exception | None:
        """The exception that the spec raised, if any."""
        return None if self.native else self._automaton.error

    def initial(self, positions: Sequence[int]) -> int:
        """The number of the initial state of the object of these operations."""
        steps = self._symbol_classes.steps
        if steps is None or self.twin is None:
            return self._automaton.initial
        content = tuple(self.twin.content_of_part(positions))
        state = self._states.get(content)
        if state is None:
            state = self._states[content] = steps.state(list(content))
        return state

    @functools.cached_property
    def divisible(self) -> bool:
        """Whether parts of one object can be decided separately, such as the elements of a set.

        Not under ``recoverable``, which orders the operations of a process on the whole object. Not where constraints
        other than intervals apply either, since the orders of the parts may then be incompatible.
        """
        if not self._divided or self.spec.partition is None or self.spec.key_argument or self.timed.hinted:
            return False
        if not self._local or self.condition == "recoverable":
            return False
        return not self.timing(self.timed.effective()).constrained

    def objects(self) -> list[tuple[Value, Sequence[int]]]:
        """The independent objects by key, without failed operations. Without keys there is one, with key None."""
        if not self._local:
            return [(None, self.timed.effective())]
        objects = self._objects.split_effective(self.timed)
        return [(self._key(members[0]), members) for members in objects] or [(None, [])]

    def members_by_key(self) -> list[Sequence[int]]:
        """The operations on each key, without failed ones, whether or not the keys are independent."""
        return list(self._objects.split_effective(self.timed))

    def _key(self, position: int) -> Value:
        number = self._keyed.object_at(position, self.spec.key_argument)
        return None if number < 0 else self.history.columns.values[number]

    def parts(self, members: Sequence[int]) -> Sequence[Sequence[int]]:
        """The parts of one object that can be decided separately."""
        if not members or not self.divisible:
            return [members]
        return self._elements.split(members)

    @functools.cached_property
    def _elements(self) -> Classes:
        """The operations by part of their object."""
        partition = self.spec.partition
        assert partition is not None
        if self.twin is not None:
            return self.columns.by_first_argument()
        operations = self.history.operations
        parts: dict[Any, int] = {}
        loose = self._symbol_classes.loose
        shapes = (partition(self.spec.arguments(operations[position])) for position in loose.first)
        return loose.merged([parts.setdefault(canonical(part), len(parts)) for part in shapes])

    def by_object(self, order: Sequence[int]) -> Sequence[Sequence[int]]:
        """The operations of an order by object."""
        return self._objects.split(order)

    def problem(
        self, positions: Sequence[int], relaxed: Collection[int] = (), *, still_open: Sequence[int] = ()
    ) -> Problem:
        """The problem that decides these operations.

        Operations in ``relaxed`` may be left out and may have returned anything, but keep their times: every order that
        satisfies the problem as recorded also satisfies the relaxed problem. Operations in ``still_open`` may be left
        out and never return, but keep their results.
        """
        return Problem(
            self.columns,
            positions,
            sorted(relaxed),
            self.native_condition,
            self.spec.key_argument,
            self.alphabet,
            self.machine,
            self.initial(positions),
            still_open,
        )

    def timing(self, positions: Sequence[int]) -> Problem:
        """The same with all operations, including those irrelevant to the spec: for their ranks and pairs."""
        return Problem(self._keyed, positions, [], self.native_condition, self.spec.key_argument, None, None, 0)


def step_numbers(steps: Iterable[Step]) -> list[int]:
    """For the step of each name, the number of the first name with the same step."""
    first: dict[str, int] = {}
    return [first.setdefault(step.name, number) for number, step in enumerate(steps)]


def wrong_arguments(history: History, spec: Spec, *, threads: int) -> list[int]:
    """Operations whose step rejects their arguments, one of each kind."""
    restricted = {}
    names = history.columns.names
    for name in names:
        with contextlib.suppress(SpecError):  # an unknown step is reported elsewhere
            step = spec.step_named(name)
            if step.complaint is not None:
                restricted[name] = step
    if not restricted:
        return []
    native = history.columns.native
    easy = all(step.takes_integers for step in restricted.values())
    if easy and native.only_integers(history.columns.integers):
        return []
    if fitting_twin(history.columns, spec, threads=threads):
        return []
    found = []
    for position in native.classify([*range(len(names))], arity=True, arguments=True, key=True).first:
        op = history.operations[position]
        known = restricted.get(op.name)
        if known is None or known.complaint is None:
            continue
        args = spec.arguments(op)
        if known.required <= len(args) <= len(known.parameters) and known.complaint(args):
            found.append(position)
    return found
