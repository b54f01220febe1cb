# SPDX-License-Identifier: Apache-2.0
"""A history as one spec reads it: which operations are alike, which belong to one object, and native steps for them.

Guarantee: two operations share a symbol only if the spec cannot tell them apart: the same step and equal arguments,
results, and (where the spec looks at them) processes and keys. Cost: O(n) in the native core, and in Python a little
for each name, and for each symbol of a spec without a native twin.
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
class _Letters:
    """Which operations are alike, and the native steps for them, where there are."""

    exact: Classes
    loose: Classes
    alphabet: Alphabet
    steps: NativeMachine | None


class HistoryInterpretation:
    """A history, a spec and a condition, ready to be cut into problems. Thread-safe once it is prepared.

    Unless ``divided``, problems may hold several parts of an object, such as elements of a set, whatever the spec says.
    """

    def __init__(self, history: History, spec: Spec, condition: str, *, divided: bool = True, threads: int = 1) -> None:
        self._divided = divided
        self._threads = threads
        self.history = history
        self.spec = spec
        self.condition = condition
        self.timed = history.columns.timed
        """The columns for those who look at times and names alone."""
        self.native_condition: Condition = NATIVE_CONDITIONS[condition]
        self._local = condition not in conditions.NOT_LOCAL
        own = [*range(len(history.columns.names))]
        self._validate(own)
        self.names = own if spec.any_operation else step_numbers(map(spec.step_named, history.columns.names))
        self._objects = self._keyed.by_object(spec.key_argument)
        self.twin = NativeTwin.of(history, spec) if self._local else None
        """What monitors and replays need to know, where the native core has the spec."""
        self._states: dict[tuple[int, ...], int] = {}
        self.after_step: Callable[[], object] = bool
        """Called after each step that Python code has taken; to be set before there is a machine."""

    @functools.cached_property
    def columns(self) -> Columns:
        """The history in integers. Where it has many lists, to compare them takes time."""
        return self.history.columns.native

    @property
    def _keyed(self) -> Columns:
        """The columns for those who look at keys too: equal ones share a number only in the equated columns."""
        return self.columns if self.spec.key_argument or self.history.keyed else self.timed

    def prepare(self) -> None:
        """Make what searches share, before threads ask for it."""
        _ = self.machine

    @functools.cached_property
    def _letters(self) -> _Letters:
        # Only what the spec looks at may tell operations apart; the key of a map is an argument to its Python steps.
        sees_key = self.spec.any_operation or self.spec.key_argument or not self._local
        if self.twin is not None and (self.twin.kind not in ("set", "multiset") or self.divisible):
            letters = self._choose(sees_key=False)
            steps = native_machine(self.columns, self.twin.blueprint, letters.exact, letters.loose)
            if steps is not None:
                return dataclasses.replace(letters, steps=steps)
        return self._choose(sees_key=sees_key)

    def _choose(self, *, sees_key: bool) -> _Letters:
        process = self.spec.uses_process
        exact = self.columns.classify(self.names, arguments=True, result=True, process=process, key=sees_key)
        loose = self.columns.classify(self.names, arguments=True, process=process, key=sees_key)
        return _Letters(exact, loose, Alphabet(exact, loose), None)

    def _validate(self, names: list[int]) -> None:
        """Every operation must be one of the spec's: known name, right arity, possible arguments."""
        if self.spec.any_operation:
            return
        operations = self.history.operations
        suspects = [p for p in self.timed.classify(names, arity=True).first if self.spec.complaint(operations[p])]
        suspects += self._wrong_arguments(names)
        if suspects:  # the first complaint in the history is the one to make
            op = operations[min(suspects)]
            complaint = self.spec.complaint(op)
            assert complaint is not None
            raise complaint.at(self.history.place(op))

    def _wrong_arguments(self, names: list[int]) -> list[int]:
        """Operations whose step does not like their arguments, one of each kind."""
        picky = {}
        for name in self.history.columns.names:
            with contextlib.suppress(SpecError):  # that there is no such step is said anyway
                step = self.spec.step_named(name)
                if step.complaint is not None:
                    picky[name] = step
        if not picky:
            return []
        easy = all(step.takes_integers for step in picky.values())
        if easy and self.columns.only_integers(self.history.columns.integers):
            return []
        if fitting_twin(self.history.columns, self.spec, threads=self._threads):
            return []
        found = []
        for position in self.columns.classify(names, arity=True, arguments=True, key=True).first:
            op = self.history.operations[position]
            picking = picky.get(op.name)
            if picking is None or picking.complaint is None:
                continue
            args = self.spec.arguments(op)
            if picking.required <= len(args) <= len(picking.parameters) and picking.complaint(args):
                found.append(position)
        return found

    @functools.cached_property
    def machine(self) -> Machine:
        """The spec in the native core: its twin there, or a table that asks the Python steps once for each cell."""
        return self._letters.steps or PythonMachine(self._watched_step(), self._reads())

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
        return self._letters.alphabet

    @functools.cached_property
    def _automaton(self) -> IntegerAutomaton:
        spec = self.spec
        exact, loose = self._letters.exact.first, self._letters.loose.first
        machine = conditions.condition_machine(spec, self.condition, keyed=self.history.keyed)
        pseudo_operations = (conditions.PERSIST, conditions.CRASH_OPERATION)
        symbols = SymbolOperations(self.history.operations, exact, loose, pseudo_operations)
        if machine is not spec or type(spec) is not Spec or spec.uses_process or spec.any_operation:
            return IntegerAutomaton(machine, symbols)
        return CallAutomaton(spec, symbols, SymbolCalls(self.history, spec, exact, loose))

    @functools.cached_property
    def _certifying(self) -> HistoryInterpretation:
        """Whose machine certifies: one that no search has used."""
        return HistoryInterpretation(self.history, self.spec, self.condition, divided=False)

    def certifying(self, positions: Sequence[int]) -> tuple[Alphabet, Machine, int]:
        """Symbols and a machine for certification, and its first state of the object that these operations are of."""
        other = self._certifying
        return other.alphabet, other.machine, other.initial(positions)

    def _reads(self) -> bytes:
        """For each symbol whether it changes no state, whatever that is."""
        operations = self.history.operations
        rules = {name: self.spec.step_named(self.history.columns.names[name]).reads for name in set(self.names)}
        if not any(rules.values()):
            return bytes(len(self._letters.exact) + len(self._letters.loose) + 2)
        rule_of = [rules[name] for name in self.names]
        name_at = self.timed.name_at
        exact = bytes(
            rule if (rule := rule_of[name_at(p)]) is True or rule is False else self.spec.reads(operations[p])
            for p in self._letters.exact.first
        )
        loose = bytes(rule_of[name_at(p)] is True for p in self._letters.loose.first)
        return exact + loose + bytes(2)

    @property
    def native(self) -> bool:
        """Whether no Python code runs in a step."""
        return self._letters.steps is not None

    @property
    def error(self) -> Exception | None:
        """What the spec raised, if it did."""
        return None if self.native else self._automaton.error

    def initial(self, positions: Sequence[int]) -> int:
        """The number of the first state of the object that these operations are of."""
        steps = self._letters.steps
        if steps is None or self.twin is None:
            return self._automaton.initial
        content = tuple(self.twin.content_of_part(positions))
        state = self._states.get(content)
        if state is None:
            state = self._states[content] = steps.state(list(content))
        return state

    @functools.cached_property
    def divisible(self) -> bool:
        """Whether parts of one object can be decided alone, as the elements of a set can.

        Not under ``recoverable``, which orders a process's operations on the whole object; nor where the order is
        more than intervals, since then parts may each have an order that do not fit together.
        """
        if not self._divided or self.spec.partition is None or self.spec.key_argument or self.timed.hinted:
            return False
        if not self._local or self.condition == "recoverable":
            return False
        return not self.timing(self.timed.effective()).constrained

    def objects(self) -> list[tuple[Value, Sequence[int]]]:
        """The independent objects by key, without failed operations; one with key None where there are no keys."""
        if not self._local:
            return [(None, self.timed.effective())]
        objects = self._objects.split_effective(self.timed)
        return [(self._key(members[0]), members) for members in objects] or [(None, [])]

    def members_by_key(self) -> list[Sequence[int]]:
        """The operations on each key, without failed ones, whether or not keys are independent."""
        return list(self._objects.split_effective(self.timed))

    def _key(self, position: int) -> Value:
        number = self._keyed.object_at(position, self.spec.key_argument)
        return None if number < 0 else self.history.columns.values[number]

    def parts(self, members: Sequence[int]) -> Sequence[Sequence[int]]:
        """What of one object can be decided alone."""
        if not members or not self.divisible:
            return [members]
        return self._elements.split(members)

    @functools.cached_property
    def _elements(self) -> Classes:
        """Operations by the part of their object."""
        partition = self.spec.partition
        assert partition is not None
        if self.twin is not None:
            return self.columns.by_first_argument()
        operations = self.history.operations
        parts: dict[Any, int] = {}
        loose = self._letters.loose
        shapes = (partition(self.spec.arguments(operations[position])) for position in loose.first)
        return loose.merged([parts.setdefault(canonical(part), len(parts)) for part in shapes])

    def by_object(self, order: Sequence[int]) -> Sequence[Sequence[int]]:
        """The operations of an order by the object they are of."""
        return self._objects.split(order)

    def problem(
        self, positions: Sequence[int], relaxed: Collection[int] = (), *, still_open: Sequence[int] = ()
    ) -> Problem:
        """The problem that decides these operations. Those ``relaxed`` may be left out and may have returned anything,
        but keep their times: whatever order satisfies the problem as recorded also satisfies the relaxed one. Those
        ``still_open`` may be left out and never return, but keep their results.
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
        """The same with every operation in it, also those that cannot matter to the spec: for their ranks and pairs."""
        return Problem(self._keyed, positions, [], self.native_condition, self.spec.key_argument, None, None, 0)


def step_numbers(steps: Iterable[Step]) -> list[int]:
    """For the step of each name the number of the first name that means the same."""
    first: dict[str, int] = {}
    return [first.setdefault(step.name, number) for number, step in enumerate(steps)]
