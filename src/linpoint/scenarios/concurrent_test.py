# SPDX-License-Identifier: Apache-2.0
"""Tests of objects: the class that users derive from, and the definition that the rest of linpoint uses.

    class TestCache(linpoint.ConcurrentTest):
        spec = linpoint.specs.map
        def setup(self): return Cache()
        @linpoint.operation(key="ab")
        def get(self, cache, key): return cache.get(key)

``definition_of`` reads such a class, ``definition_of_object`` the same content in one call.

Guarantee: a ``ConcurrentTestDefinition`` that exists can be run. Every mistake that can be detected without running the
object raises a ``TestError`` when the definition is constructed. Constructing one never calls ``setup``, an operation
or ``observe``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from linpoint.errors import TestError
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.setting_validation import (
    bad_setting,
    check_call,
    check_number,
    listed_modules,
    listed_scenarios,
)
from linpoint.scenarios.tested_operation import (
    OperationMark,
    OperationsByName,
    TestedOperation,
    make_operation,
    mark_of,
    nearest,
    operation,
    place_of,
)
from linpoint.text.phrases import count_noun

__all__ = [
    "ConcurrentTest",
    "ConcurrentTestDefinition",
    "TestedOperation",
    "definition_of",
    "definition_of_object",
    "operation",
]


class ConcurrentTest:
    """A test of a concurrent object. Subclass it, construct the object in ``setup`` and mark the operations.

    Mark operations with ``linpoint.operation``; linpoint calls them from several threads.
    """

    __test__: ClassVar[bool] = False

    spec: Any = None
    """A spec, its name, or None. With None, the object itself is the spec: its operations are run sequentially."""
    threads: int = 2
    """The maximum number of threads in generated scenarios."""
    operations: int = 2
    """The maximum number of operations per thread in generated scenarios."""
    before: int = 0
    """The maximum number of operations that run alone before the threads."""
    after: int = 0
    """The maximum number of operations that run alone after the threads."""
    scenarios: str | Scenario | Iterable[str | Scenario] = ()
    """Scenarios that run first, as texts or as ``Scenario`` objects."""
    instrument: Iterable[Any] = ()
    """Further modules or files in whose code threads may switch."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def setup(self) -> Any:
        """Construct a fresh object for one run."""
        raise _no_setup(type(self).__name__, None)

    def observe(self, subject: Any) -> Any:
        """Return the observable state of the object at the end of a run, which is also compared with the spec.

        Optional.
        """
        raise NotImplementedError(subject)


@dataclass(frozen=True, slots=True, eq=False)
class ConcurrentTestDefinition:
    """The definition of a test, which the rest of linpoint uses.

    ``spec`` is as the user gave it; ``file`` is the file of the test.
    """

    name: str
    setup: Callable[[], Any]
    operations: Mapping[str, TestedOperation]
    spec: Any = None
    observe: Callable[[Any], Any] | None = None
    threads: int = 2
    operations_per_thread: int = 2
    before: int = 0
    after: int = 0
    scenarios: tuple[Scenario, ...] = ()
    instrument: tuple[Any, ...] = ()
    file: str | None = None
    is_async: bool = False

    def __post_init__(self) -> None:
        if not self.operations:
            raise TestError(
                "LP-T002",
                f"{self.name} has no operations.",
                place=self.file,
                remedy="Mark the methods that call the object: @linpoint.operation",
            )
        for field, least in _LEAST.items():
            check_number(self.name, field.replace("_", " "), getattr(self, field), least, place=self.file)
        object.__setattr__(self, "operations", OperationsByName(self.operations.values()))
        object.__setattr__(self, "scenarios", tuple(map(self.accept, self.scenarios)))

    def accept(self, scenario: Scenario | str) -> Scenario:
        """Return ``scenario`` with the names of this test, or raise LP-T001, LP-T007 or LP-T008."""
        found = Scenario.parse(scenario) if isinstance(scenario, str) else scenario
        return Scenario(
            tuple(tuple(map(self._accepted, thread)) for thread in found.threads),
            tuple(map(self._accepted, found.before)),
            tuple(map(self._accepted, found.after)),
        )

    def _accepted(self, call: Call) -> Call:
        known = self.operations.get(call.operation)
        if known is None:
            raise TestError(
                "LP-T007",
                f'{self.name} has no operation "{call.operation}".',
                place=str(call),
                remedy=f"{nearest(call.operation, self.operations)}Use one of: {', '.join(self.operations)}.",
            )
        if len(call.args) != len(known.parameters):
            wanted = count_noun(len(known.parameters), "argument")
            raise TestError(
                "LP-T008",
                f'"{known.name}" of {self.name} takes {wanted}, not {len(call.args)}.',
                place=str(call),
                remedy=f"Call {known.signature()}.",
            )
        return call if call.operation == known.name else replace(call, operation=known.name)


def definition_of(test: type[ConcurrentTest]) -> ConcurrentTestDefinition:
    """The definition of a test class. Constructs one instance of the class."""
    instance = _instance(test)
    name, file = test.__name__, _file_of(test)
    if test.setup is ConcurrentTest.setup:
        raise _no_setup(name, file)
    for setting in _SETTINGS:
        if (mark := mark_of(getattr(test, setting))) is not None:
            raise _taken(name, mark.name or setting, getattr(test, setting))
    check_call(name, "setup", instance.setup, 0)
    observe = None if test.observe in (None, ConcurrentTest.observe) else instance.observe
    if observe is not None:
        check_call(name, "observe", observe, 1)
    operations = [make_operation(method, getattr(instance, method), mark) for method, mark in _marks(test).items()]
    return _definition(
        name,
        instance.setup,
        operations,
        observe=observe,
        file=file,
        spec=test.spec,
        threads=test.threads,
        operations_per_thread=test.operations,
        before=test.before,
        after=test.after,
        scenarios=test.scenarios,
        instrument=test.instrument,
    )


def definition_of_object(
    setup: Callable[[], Any],
    operations: Mapping[str, Mapping[str, Any] | Callable[..., Any] | None] | Sequence[str | Callable[..., Any]],
    *,
    spec: Any = None,
    observe: Callable[[Any], Any] | None = None,
    name: str | None = None,
    threads: int = 2,
    operations_per_thread: int = 2,
    before: int = 0,
    after: int = 0,
    scenarios: str | Scenario | Iterable[str | Scenario] = (),
    instrument: Iterable[Any] = (),
) -> ConcurrentTestDefinition:
    """The definition of a test of the objects that ``setup`` constructs, without a class.

    ``operations`` maps each operation to the values of its arguments, ``{"put": {"key": "ab", "value": [1, 2]}}``, and
    calls the method of that name; None means no arguments, and a list of names means operations without arguments. A
    function in place of the values is called with the object first; ``linpoint.operation`` may mark it. If ``setup`` is
    the class of the object, or a function is given, arguments are passed by name; otherwise in order.
    """
    owner = name or str(getattr(setup, "__name__", type(setup).__name__))
    if not callable(setup):
        fact = f"{setup!r} cannot be called to create an object."
        raise TestError("LP-T003", fact, remedy="Pass a class or a function without parameters.")
    check_call(owner, "setup", setup, 0)
    if observe is not None:
        check_call(owner, "observe", observe, 1)
    return _definition(
        owner,
        setup,
        [_of_object(owner, setup, each, given) for each, given in _named(owner, operations)],
        observe=observe,
        file=_file_of(setup),
        spec=spec,
        threads=threads,
        operations_per_thread=operations_per_thread,
        before=before,
        after=after,
        scenarios=scenarios,
        instrument=instrument,
    )


_LEAST: Final = {"threads": 1, "operations_per_thread": 1, "before": 0, "after": 0}
_SETTINGS: Final = tuple(name for name in vars(ConcurrentTest) if not name.startswith("_"))


def _definition(
    name: str,
    setup: Callable[[], Any],
    operations: list[TestedOperation],
    *,
    observe: Callable[[Any], Any] | None,
    scenarios: Any,
    instrument: Any,
    **rest: Any,
) -> ConcurrentTestDefinition:
    """The definition from settings as users write them: a single scenario or module may stand for a list."""
    parts = [setup, observe, *(each.call for each in operations)]
    return ConcurrentTestDefinition(
        name,
        setup,
        OperationsByName(operations),
        observe=observe,
        scenarios=listed_scenarios(name, scenarios),  # the definition parses texts when it is constructed
        instrument=listed_modules(instrument),
        is_async=any(each.is_async for each in operations) or any(map(inspect.iscoroutinefunction, parts)),
        **rest,
    )


def _instance(test: type[ConcurrentTest]) -> ConcurrentTest:
    if not (isinstance(test, type) and issubclass(test, ConcurrentTest)):
        raise TestError(
            "LP-T013",
            f"{test!r} is not a subclass of linpoint.ConcurrentTest.",
            remedy="Derive the class from it, or use definition_of_object.",
        )
    try:
        return test()
    except Exception as error:
        raise TestError(
            "LP-T013",
            f"{test.__name__}() raised {type(error).__name__}: {error}.",
            place=_file_of(test),
            remedy="Let the class take no arguments, and create the object in setup.",
        ) from error


def _marks(test: type) -> dict[str, OperationMark]:
    """The marked methods, those of base classes first. An overriding method stays an operation; None removes it."""
    marks: dict[str, OperationMark] = {}
    for each in reversed(test.__mro__):
        for attribute, thing in vars(each).items():
            mark = mark_of(thing)
            if mark is not None:
                marks[attribute] = mark
            elif thing is None:
                marks.pop(attribute, None)
    return marks


def _named(owner: str, operations: Any) -> Iterable[tuple[str, Any]]:
    """Operations with their names, from a mapping or from a list of method names and functions."""
    if isinstance(operations, Mapping):
        yield from operations.items()
        return
    for each in (operations,) if isinstance(operations, str) or not isinstance(operations, Iterable) else operations:
        if isinstance(each, str):
            yield each, None
        elif callable(each) and hasattr(each, "__name__"):
            yield each.__name__, each
        else:
            raise bad_setting(owner, "an operation", each, "Use names of methods, functions, or a dict of them.")


def _of_object(owner: str, setup: Callable[[], Any], name: str, given: Any) -> TestedOperation:
    """An operation of the function form: a method of the object by name, or a function."""
    if callable(given):
        return make_operation(name, given, mark_of(given) or OperationMark())
    if given is not None and not isinstance(given, Mapping):
        raise bad_setting(owner, f'operations["{name}"]', given, "Map each parameter to its values: {'key': 'ab'}.")
    known = setup if isinstance(setup, type) else None
    method = None if known is None else next((m for m in (name, name.replace("-", "_")) if hasattr(known, m)), None)
    if known is not None and method is None:
        public = [each for each in dir(known) if not each.startswith("_")]
        raise TestError(
            "LP-T007",
            f'{owner} has no method "{name}".',
            remedy=f"{nearest(name, public)}Use one of: {', '.join(public)}.",
        )
    called = method or name.replace("-", "_")
    mark = OperationMark(sources=dict(given or {}))
    return make_operation(name, getattr(known, called) if known else None, mark, call=_calling(called))


def _calling(method: str) -> Callable[..., Any]:
    def call_method(subject: Any, *args: Any, **keywords: Any) -> Any:
        return getattr(subject, method)(*args, **keywords)

    return call_method


def _taken(owner: str, name: str, method: Any) -> TestError:
    return TestError(
        "LP-T010",
        f'"{method.__name__}" is both a setting of {owner} and the method of an operation.',
        place=place_of(method),
        remedy=f'Rename the method and keep the operation\'s name: @linpoint.operation(name="{name}", ...)',
    )


def _no_setup(owner: str, place: str | None) -> TestError:
    remedy = "Write def setup(self): return ..., which creates a fresh object for each run."
    return TestError("LP-T003", f"{owner} has no setup.", place=place, remedy=remedy)


def _file_of(thing: Any) -> str | None:
    """The file in which a class or function is defined."""
    try:
        return inspect.getsourcefile(thing)
    except (TypeError, OSError):  # its module cannot be imported; its own functions know the file
        functions = (each for each in getattr(thing, "__dict__", {}).values() if inspect.isfunction(each))
        return next((each.__code__.co_filename for each in functions), None)
