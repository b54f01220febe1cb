# SPDX-License-Identifier: Apache-2.0
"""The native twin of a built-in spec for one history: the numbers of its values, and the initial states of objects."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from linpoint.checkers._native_search import Blueprint, covers, words_fit
from linpoint.errors import SpecError
from linpoint.histories.integer_columns import FALSE, NO_INTEGER, NULL, TRUE
from linpoint.histories.value_numbering import is_list
from linpoint.histories.values import Value, canonical
from linpoint.specs.builtin.registers_and_mwcas import words_at_first

if TYPE_CHECKING:
    from linpoint.histories.history import History
    from linpoint.histories.integer_columns import IntegerColumns
    from linpoint.specs.spec import Spec

_EXACT_INTEGER_BOUND: Final = 2**52
"""Bound below which integers and floats count alike."""
_COUNTS: Final = ("counter", "fetch-add")
_COPIES_BOUND: Final = 2**30
"""Bound on the initial number of permits or copies for native steps."""
_WORDS: Final = "mwcas"


class NativeTwin:
    """The data that the native core needs to step, monitor and replay a built-in spec on one history."""

    def __init__(
        self, history: History, spec: Spec, blueprint: Blueprint, kind: str, fresh: Mapping[Hashable, int]
    ) -> None:
        self.blueprint = blueprint
        self.kind = kind
        reversed_ends = spec.name == "deque" and _enters_in_front(history, spec)
        self._first = spec.initial[::-1] if reversed_ends and kind != "deque" else spec.initial
        self._history = history
        self._spec = spec
        self._fresh = fresh

    @classmethod
    def of(cls, history: History, spec: Spec) -> NativeTwin | None:
        """The twin for a history, or None if the native core does not cover it."""
        twin, columns = spec.twin, history.columns
        if twin is None or twin.kind == _WORDS:
            return None
        if twin.kind in _COUNTS and (
            type(spec.initial) is not int or not -_EXACT_INTEGER_BOUND < spec.initial < _EXACT_INTEGER_BOUND
        ):
            return None
        if twin.kind in ("semaphore", "multiset") and max(_counts(spec.initial), default=0) >= _COPIES_BOUND:
            return None
        names = [spec.step_named(name).name for name in columns.names]
        kind = twin.kind
        if kind == "deque":
            kind, names = _by_ends(names)
        known = columns.numbers if _first_values(twin.kind, spec.initial) else {}
        fresh = _numbers_of_first_values(twin.kind, spec.initial, known)
        strings: list[str | None] = []
        if twin.kind == "map" and "append" in names:
            values = [*columns.values, *fresh]
            if not all(_is_text(value) for value in values):
                return None
            strings = [value if isinstance(value, str) else None for value in values]
        integers = array("q")
        if twin.kind in (*_COUNTS, "multiset"):
            integers = columns.integers
        elif twin.kind == "priority-queue":
            integers = _priorities(columns, list(fresh))
        capacity = None if twin.capacity is None else min(twin.capacity, 2**60)
        blueprint = Blueprint(kind, names, [NULL, TRUE, FALSE], spec.key_argument, capacity, integers, strings)
        if twin.kind in _COUNTS and not covers(columns.native, blueprint):
            return None
        return cls(history, spec, blueprint, kind, fresh)

    def content(self, positions: Sequence[int]) -> list[int]:
        """The initial contents of the object of these operations."""
        first: Any = self._first
        match self.kind:
            case "register":
                return [self._number(first)]
            case "mutex" | "counter" | "fetch-add" | "semaphore":
                return [int(first)]
            case "queue" | "stack" | "deque" | "priority-queue":
                return [self._number(item) for item in first]
            case "set":
                numbers = self._history.columns.numbers
                return [numbers[element] for element in first if element in numbers]
            case "multiset":
                numbers = self._history.columns.numbers
                known = [(numbers[element], count) for element, count in first.items() if element in numbers]
                return [number for pair in known for number in pair]
        if not positions or not first:
            return []
        part = self._part(positions)
        return [self._number(first[part])] if part in first else []

    def content_of_part(self, positions: Sequence[int]) -> list[int]:
        """The same for the unit that has its own state in searches: for a set or a multiset, one element."""
        if self.kind not in ("set", "multiset"):
            return self.content(positions)
        if not positions or not self._first or self._part(positions) not in self._first:
            return []
        return [TRUE] if self.kind == "set" else [self._first[self._part(positions)]]

    def _part(self, positions: Sequence[int]) -> Hashable:
        return canonical(self._spec.arguments(self._history.operations[positions[0]])[0])

    def _number(self, value: Value) -> int:
        form = canonical(value)
        found = self._history.columns.numbers.get(form)
        return self._fresh[form] if found is None else found


def _enters_in_front(history: History, spec: Spec) -> bool:
    return any(spec.step_named(name).name == "push-front" for name in history.columns.names)


def _by_ends(names: list[str]) -> tuple[str, list[str]]:
    """A deque used at one end only is a stack; one with insertions at one end and removals at the other is a queue."""
    entered = {name.removeprefix("push-") for name in names if name.startswith("push-")}
    left = {name.removeprefix("pop-") for name in names if name.startswith("pop-")}
    if len(entered) != 1 or len(left) > 1:
        return "deque", names
    if entered == left:
        return "stack", [name.partition("-")[0] for name in names]
    return "queue", ["enqueue" if name.startswith("push-") else "dequeue" for name in names]


class WordsTwin:
    """The data that the native core needs to decide and replay a history of a memory of words; columns are as read."""

    def __init__(self, history: History, spec: Spec) -> None:
        self.kind = _WORDS
        self.columns = history.columns.as_read
        self.blueprint = words_blueprint(history.columns, spec)
        self._history = history
        self._first = words_at_first(spec)

    def content(self, _positions: Sequence[int]) -> list[int]:
        """The initial value of all words, followed by each word that initially holds another value, and that value."""
        columns = self._history.columns
        fresh = itertools.count(len(columns.scalars))
        default, named = self._first
        values = [default, *named.values()]
        numbers: dict[Hashable, int] = {}
        for value in values:
            form = canonical(value)
            if form not in numbers:
                number = -1 if is_list(value) else columns.scalar_number(value)
                numbers[form] = next(fresh) if number < 0 else number
        content = [numbers[canonical(default)]]
        for word, value in named.items():
            number = columns.number_of_form(word)
            if number >= 0:
                content += [number, numbers[canonical(value)]]
        return content


def words_blueprint(columns: IntegerColumns, spec: Spec) -> Blueprint:
    """The operations of a memory of words in a history."""
    names = [spec.step_named(name).name for name in columns.names]
    at, values = columns.scalar_number("at"), len(columns.scalars)
    return Blueprint(_WORDS, names, [NULL, TRUE, FALSE], False, None, array("q"), [], at, values)


def fitting_twin(columns: IntegerColumns, spec: Spec, *, threads: int) -> bool:
    """Whether the native core recognises all arguments as valid for the spec; if not, the spec reports the problem."""
    if spec.twin is None or spec.twin.kind != _WORDS:
        return False
    try:
        blueprint = words_blueprint(columns, spec)
    except SpecError:  # an operation that the spec does not know
        return False
    return words_fit(columns.as_read, blueprint, threads > 1)


def _counts(first: Any) -> list[int]:
    """The numbers in the first state of a semaphore or a multiset."""
    return [*first.values()] if isinstance(first, Mapping) else [first]


def _first_values(kind: str, first: Any) -> list[Value]:
    match kind:
        case "register":
            return [first]
        case "queue" | "stack" | "deque" | "priority-queue":
            return [*first]
        case "map":
            return [*first.values()]
    return []


def _numbers_of_first_values(kind: str, first: Any, known: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """Numbers for the initial values that do not occur in the history."""
    fresh: dict[Hashable, int] = {}
    for value in _first_values(kind, first):
        form = canonical(value)
        if form not in known and form not in fresh:
            fresh[form] = len(known) + len(fresh)
    return fresh


def _is_text(value: Any) -> bool:
    """Whether a value, if it is a string, can be encoded as UTF-8; half a surrogate pair cannot."""
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_ordered(value: Any) -> bool:
    """Whether a value is a number that can be compared with others; NaN cannot."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)


def _priorities(columns: IntegerColumns, first: Sequence[Hashable]) -> array[int]:
    """Numbers that order the values that can be priorities in the same way as the spec: numbers before strings."""
    own = len((NULL, TRUE, FALSE))
    if not first and NO_INTEGER not in columns.integers[own:]:
        return columns.integers
    values: list[Any] = [*columns.values, *first]
    fit = [number for number, value in enumerate(values) if isinstance(value, str) or _is_ordered(value)]
    ranks = array("q", [NO_INTEGER]) * len(values)
    for rank, number in enumerate(sorted(fit, key=lambda number: (isinstance(values[number], str), values[number]))):
        ranks[number] = rank
    return ranks
