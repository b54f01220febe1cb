# SPDX-License-Identifier: Apache-2.0
"""The description of the tests in a C++ file, and the definitions from which scenarios are generated.

Arguments are a few values of their types (``width`` for numbers and text), simplest first; ``LINPOINT_VALUES`` gives
other values. ``LINPOINT_ROLES`` restricts the operations of each thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, permutations, product
from typing import Any, Final, NoReturn

import msgspec

from linpoint.errors import TestError
from linpoint.histories.values import FrozenObject, Value, format_value
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.tested_operation import OperationsByName, TestedOperation, nearest

_MAX_PARAMETER_VALUES: Final = 16
"""The maximum number of values generated for one parameter."""
_ANOTHER_NAME: Final = 'Rename one of them in LINPOINT_TEST: (method, "operation").'
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DEFAULT_VALUES_PER_TYPE: Final = 2


class TypeDescription(msgspec.Struct, frozen=True):
    """The type of an argument or a result."""

    kind: str
    least: int = 0
    most: int = 0
    parts: tuple[TypeDescription, ...] = ()


class OperationDescription(msgspec.Struct, frozen=True):
    """An operation with the types of its arguments and its result."""

    name: str
    parameters: tuple[TypeDescription, ...]
    result: TypeDescription


class TestDescription(msgspec.Struct, frozen=True):
    """A test with its operations."""

    __test__ = False

    name: str
    operations: tuple[OperationDescription, ...]


class Remark(msgspec.Struct, frozen=True):
    """An annotation of a test: its roles, or the values of an operation."""

    test: str
    operation: str | None
    text: str


class FileDescription(msgspec.Struct, frozen=True):
    """The complete description of a file."""

    tests: tuple[TestDescription, ...]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Role:
    """The operations that a thread of this role may call. A role has one thread, or any number."""

    operations: frozenset[str]
    many: bool


@dataclass(frozen=True, slots=True)
class CppObjectTest:
    """A test of a C++ object: its definition, its types and its roles."""

    definition: ConcurrentTestDefinition
    types: dict[str, OperationDescription]
    roles: tuple[Role, ...] = ()

    def accept(self, scenario: Scenario) -> Scenario:
        """Return a scenario with the names of this test, or raise an error."""
        accepted = self.definition.accept(scenario)
        for call in accepted.calls:
            for number, (kind, value) in enumerate(
                zip(self.types[call.operation].parameters, call.args, strict=True), 1
            ):
                if not fits(kind, value):
                    raise TestError(
                        "LP-T008",
                        f'argument {number} of "{call.operation}" must be {_words(kind)}, not {format_value(value)}.',
                        place=str(call),
                        remedy="Use JSON literals of the types of the method.",
                    )
        return accepted

    def cast(self, scenario: Scenario) -> Scenario | None:
        """The scenario with its threads in an order that the roles allow; None if there is none."""
        if not self.roles:
            return scenario
        if len(scenario.threads) > len(self.roles) and not any(role.many for role in self.roles):
            return None
        wanted = [frozenset(call.operation for call in thread) for thread in scenario.threads]
        for order in permutations(range(len(wanted))):
            if self._possible([wanted[number] for number in order]):
                return Scenario(tuple(scenario.threads[number] for number in order), scenario.before, scenario.after)
        return None

    def shares(self, count: int) -> tuple[tuple[str, ...], ...]:
        """The operations that each of about ``count`` threads may call. The roles may allow fewer threads."""
        everything = tuple(self.definition.operations)
        if not self.roles:
            return (everything,) * count
        more = islice(cycle(role for role in self.roles if role.many), max(0, count - len(self.roles)))
        cast = sorted((*self.roles, *more), key=self.roles.index)
        return tuple(tuple(name for name in everything if name in role.operations) for role in cast)[:count]

    def _possible(self, wanted: Sequence[frozenset[str]], role: int = 0) -> bool:
        """Whether threads, in this order, can have the roles from ``role`` on, in their order."""
        if not wanted:
            return True
        if role == len(self.roles):
            return False
        takes = wanted[0] <= self.roles[role].operations
        if takes and self._possible(wanted[1:], role if self.roles[role].many else role + 1):
            return True
        return self._possible(wanted, role + 1)


def object_tests(said: Any, file: str, *, width: int = _DEFAULT_VALUES_PER_TYPE) -> dict[str, CppObjectTest]:
    """The tests of a file by name, in the order of the file."""
    described = msgspec.convert(said, FileDescription)
    return {test.name: _object_test(test, described.remarks, file, width) for test in reversed(described.tests)}


def _object_test(test: TestDescription, remarks: Iterable[Remark], file: str, width: int) -> CppObjectTest:
    mine = [remark for remark in remarks if remark.test == test.name]
    given = {remark.operation: remark.text for remark in mine if remark.operation is not None}
    known = [operation.name for operation in test.operations]
    for name in given:
        if name not in known:
            _refuse(file, f'LINPOINT_VALUES names an operation "{name}" that {test.name} does not have.', name, known)
    operations = OperationsByName(
        (_operation(each, given.get(each.name), file, width) for each in test.operations), remedy=_ANOTHER_NAME
    )
    definition = ConcurrentTestDefinition(test.name, _not_here, operations, file=file)
    roles = [_role(part, known, file) for remark in mine if remark.operation is None for part in remark.text.split("|")]
    return CppObjectTest(definition, {each.name: each for each in test.operations}, tuple(roles))


def _not_here(*_: Any) -> NoReturn:
    raise RuntimeError("the host creates and calls the object")


def _operation(said: OperationDescription, given: str | None, file: str, width: int) -> TestedOperation:
    names = tuple(f"argument {number}" for number in range(1, len(said.parameters) + 1))
    sources = tuple(values_of(each, width) for each in said.parameters) if given is None else _given(said, given, file)
    return TestedOperation(said.name, _not_here, names, sources, place=file)


def _given(said: OperationDescription, text: str, file: str) -> tuple[tuple[Value, ...], ...]:
    """The values of ``LINPOINT_VALUES``: a list for each parameter."""
    try:
        lists = msgspec.json.decode(f"[{text}]", type=list[list[Any]])
    except msgspec.MsgspecError as error:
        _refuse(file, f'LINPOINT_VALUES of "{said.name}" must be a JSON list for each parameter: {error}.')
    if len(lists) != len(said.parameters) or not all(lists):
        _refuse(file, f'LINPOINT_VALUES of "{said.name}" requires {len(said.parameters)} non-empty lists.')
    for kind, values in zip(said.parameters, lists, strict=True):
        for value in values:
            if not fits(kind, _frozen(value)):
                _refuse(
                    file,
                    f'LINPOINT_VALUES of "{said.name}" has {format_value(_frozen(value))}, which is not {_words(kind)}.',
                )
    return tuple(tuple(map(_frozen, values)) for values in lists)


def _role(text: str, known: Sequence[str], file: str) -> Role:
    words = [word.strip() for word in text.strip().rstrip("*").split(",")]
    for word in words:
        if word not in known:
            _refuse(file, f'LINPOINT_ROLES names an operation "{word}" that the test does not have.', word, known)
    return Role(frozenset(words), text.strip().endswith("*"))


def _refuse(file: str, fact: str, word: str = "", known: Sequence[str] = ()) -> NoReturn:
    remedy = f"{nearest(word, known)}Use one of: {', '.join(known)}." if known else "See the documentation of test.hpp."
    raise TestError("LP-T017", fact, place=file, remedy=remedy)


def _frozen(value: Any) -> Value:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return FrozenObject(value) if isinstance(value, dict) else value


def values_of(kind: TypeDescription, width: int = _DEFAULT_VALUES_PER_TYPE) -> tuple[Value, ...]:
    """A few values of a type, simplest first."""
    match kind.kind:
        case "integer":
            return tuple(value for value in range(1, width + 1) if value <= kind.most)
        case "boolean":
            return False, True
        case "number":
            return tuple(map(float, range(1, width + 1)))
        case "letter" | "string":
            return tuple(_LETTERS[:width])
        case "optional":
            return None, *values_of(kind.parts[0], width)
        case "list":
            one, *more = values_of(kind.parts[0], width)
            return (), (one,), (one, *more[:1])
        case _:
            return tuple(islice(product(*(values_of(part, width) for part in kind.parts)), _MAX_PARAMETER_VALUES))


def fits(kind: TypeDescription, value: Value) -> bool:
    """Whether a value belongs to a type."""
    match kind.kind:
        case "integer":
            return type(value) is int and kind.least <= value <= kind.most
        case "boolean":
            return type(value) is bool
        case "number":
            return type(value) in (int, float)
        case "letter":
            return isinstance(value, str) and len(value.encode()) == 1
        case "string":
            return isinstance(value, str)
        case "optional":
            return value is None or fits(kind.parts[0], value)
        case "list":
            return isinstance(value, tuple) and all(fits(kind.parts[0], each) for each in value)
        case _:
            return isinstance(value, tuple) and len(value) == len(kind.parts) and all(map(fits, kind.parts, value))


def _words(kind: TypeDescription) -> str:
    match kind.kind:
        case "integer":
            return f"an integer from {kind.least} to {kind.most}"
        case "optional":
            return f"null or {_words(kind.parts[0])}"
        case "list":
            return "a list"
        case "tuple":
            return f"a list of {len(kind.parts)}"
        case "letter":
            return "a string of one letter"
        case _:
            return f"a {kind.kind}"


def scenario_text(test: str, scenario: Scenario) -> str:
    """A scenario in the text form that the test program reads."""
    lines = [test]
    lines += [_line("before", call) for call in scenario.before]
    lines += [_line(str(number), call) for number, thread in enumerate(scenario.threads) for call in thread]
    lines += [_line("after", call) for call in scenario.after]
    return "\n".join(lines)


def _line(part: str, call: Call) -> str:
    return f"{part} {call.operation} {msgspec.json.encode(list(call.args)).decode()}"
