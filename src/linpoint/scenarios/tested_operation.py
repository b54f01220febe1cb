# SPDX-License-Identifier: Apache-2.0
"""The operations of a test: the function to call, its parameters, and the sources of their values.

``@operation`` only marks a function. ``make_operation`` reads the mark and the signature together, and rejects
mismatches at the line of the function.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, overload

from linpoint.errors import TestError
from linpoint.scenarios.argument_sources import is_strategy, source_of
from linpoint.scenarios.scenario_text import NAME

_Function = TypeVar("_Function", bound=Callable[..., Any])
_MARK: Final = "__linpoint_operation__"


@dataclass(frozen=True, slots=True)
class TestedOperation:
    """An operation that scenarios may call: ``call(subject, *args)``, with one argument for each of ``parameters``.

    Each of ``sources`` gives the values of one parameter; an iterable or a strategy is converted to an
    ``ArgumentSource``. A ``blocking`` operation may wait for other operations; ``is_async`` means that calling it gives
    a coroutine.
    """

    __test__: ClassVar[bool] = False

    name: str
    call: Callable[..., Any]
    parameters: tuple[str, ...] = ()
    sources: tuple[Any, ...] = ()
    blocking: bool = False
    is_async: bool = False
    place: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or NAME.fullmatch(self.name) is None:
            raise TestError(
                "LP-T012",
                f'"{self.name}" is not a valid name in a scenario.',
                place=self.place,
                remedy="Use an identifier; hyphens are allowed.",
            )
        made = tuple(
            source_of(source, place=self.place, what=f'"{parameter}" of {self.name}')
            for parameter, source in zip(self.parameters, self.sources, strict=True)
        )
        object.__setattr__(self, "sources", made)

    def signature(self) -> str:
        """The operation as messages show it: ``put(key, value)``."""
        return f"{self.name}({', '.join(self.parameters)})"


class OperationsByName(Mapping[str, TestedOperation]):
    """Operations in order, found by either spelling: ``_`` and ``-`` are equal in names.

    ``remedy`` describes how an operation gets another name where the test is written.
    """

    __slots__ = ("_found", "_names")

    def __init__(
        self, operations: Iterable[TestedOperation], *, remedy: str = "Rename one of them with name=..."
    ) -> None:
        self._found: dict[str, TestedOperation] = {}
        for each in operations:
            other = self._found.setdefault(_spelling(each.name), each)
            if other is not each:
                raise TestError(
                    "LP-T012",
                    f'two operations have the same name: "{other.name}" and "{each.name}".',
                    place=each.place,
                    remedy=remedy,
                )
        self._names = tuple(each.name for each in self._found.values())

    def __getitem__(self, name: str) -> TestedOperation:
        return self._found[_spelling(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{{{', '.join(each.signature() for each in self._found.values())}}}"


@dataclass(frozen=True, slots=True)
class OperationMark:
    """The content of ``@operation`` on a function. Iterables have been read; strategies are as the user gave them.

    ``role`` and ``pairs_with`` apply to models: the role that calls the operation, and the operation that must precede
    it.
    """

    blocking: bool = False
    name: str | None = None
    sources: Mapping[str, Any] = field(default_factory=dict)
    role: str | None = None
    pairs_with: str | None = None


@overload
def operation(function: _Function, /) -> _Function: ...
@overload
def operation(
    function: Mapping[str, Any] | None = None,
    /,
    *,
    blocking: bool = ...,
    name: str | None = ...,
    role: str | None = ...,
    pairs_with: str | None = ...,
    **arguments: Any,
) -> Callable[[_Function], _Function]: ...
def operation(
    function: Any = None,
    /,
    *,
    blocking: bool = False,
    name: str | None = None,
    role: Any = None,
    pairs_with: Any = None,
    **arguments: Any,
) -> Any:
    """Mark a method of a test or of a model as an operation, with or without values for its arguments.

    Each keyword names a parameter of the method and gives its values: a Hypothesis strategy or any finite iterable,
    which is read once: ``@linpoint.operation(key="ab", value=range(3))``. A ``blocking`` operation may wait for other
    operations, as an acquire does. ``name`` is the name in scenarios and in the spec, by default that of the method. In
    a model, ``role`` names the processes that call it, and ``pairs_with`` the operation that must precede each call of
    it. Parameters that are themselves named ``name`` or ``blocking`` are given in a dict:
    ``@linpoint.operation({"name": ["a", "b"]})``. A dict also works for all other parameters.
    """
    words = {"role": role, "pairs_with": pairs_with}
    values = {**function, **arguments} if isinstance(function, Mapping) else arguments
    marking = _marking(
        OperationMark(blocking, name), {word: given for word, given in words.items() if given is not None}, values
    )
    return marking if function is None or isinstance(function, Mapping) else marking(function)


def _marking(
    mark: OperationMark, words: Mapping[str, Any], arguments: Mapping[str, Any]
) -> Callable[[_Function], _Function]:
    """``words`` are those of models, unless the function has parameters with these names."""

    def marked(function: _Function) -> _Function:
        if not inspect.isfunction(function):
            raise TestError(
                "LP-T010",
                f"@linpoint.operation requires a function, not {function!r}.",
                remedy="Write def name(self, subject, ...), and @linpoint.operation above all other decorators.",
            )
        place = place_of(function)
        what = mark.name or function.__name__
        parameters = inspect.signature(function).parameters
        taken = {
            parameter: given if is_strategy(given) else source_of(given, place=place, what=f'"{parameter}" of {what}')
            for parameter, given in [*arguments.items(), *((word, words[word]) for word in words if word in parameters)]
        }
        told = {word: given for word, given in words.items() if word not in parameters}
        for word, given in told.items():
            if not isinstance(given, str):
                raise TestError(
                    "LP-T010", f"{word}={given!r} of {what} is not a text.", place=place, remedy=f'Write {word}="...".'
                )
        setattr(function, _MARK, replace(mark, sources=taken, **told))
        return function

    return marked


def mark_of(thing: Any) -> OperationMark | None:
    """The mark of ``@operation`` on ``thing``, if it has one. For a static method it is that of its function."""
    found = getattr(getattr(thing, "__func__", thing), _MARK, None)
    return found if isinstance(found, OperationMark) else None


def place_of(function: Any) -> str | None:
    """The place of a function, ``file:line``, relative to the working directory if it is inside."""
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    if code is None:
        return None
    path = Path(code.co_filename)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{code.co_firstlineno}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The text ``Did you mean x? `` if a known word is close, else an empty text."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {near[0]}? " if near else ""


def make_operation(
    name: str, function: Callable[..., Any] | None, mark: OperationMark, *, call: Callable[..., Any] | None = None
) -> TestedOperation:
    """The operation that calls ``function(subject, ...)`` with the marked arguments.

    ``call`` is called instead if ``function`` only gives the signature. Without a function, or with one whose parameter
    names are unknown, arguments are passed in the order in which they were marked.
    """
    place = None if function is None else place_of(function)
    parameters = _parameters(name, function, place)
    by_name = parameters is not None and not any(each.kind is each.POSITIONAL_ONLY for each in parameters)
    names = tuple(mark.sources)
    if parameters is not None:
        if by_name:
            names = tuple(each.name for each in parameters if each.name in mark.sources)
        _check_fit(name, parameters, mark.sources, by_name=by_name, place=place)
    target = call or function
    assert target is not None
    in_order = parameters is None or not by_name or names == _leading(parameters)[: len(names)]
    return TestedOperation(
        mark.name or name,
        target if in_order else _with_keywords(target, names),
        names,
        tuple(mark.sources[each] for each in names),
        mark.blocking,
        inspect.iscoroutinefunction(function),
        place,
    )


def _parameters(name: str, function: Callable[..., Any] | None, place: str | None) -> list[inspect.Parameter] | None:
    """The parameters of a function after the object; None if they are unknown: written in C, or only ``*args``."""
    if function is None:
        return None
    try:
        every = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    parameters = [each for each in every if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if len(parameters) < 2 and any(each.kind is each.VAR_POSITIONAL for each in every):
        return None
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise TestError(
            "LP-T010",
            f'the operation "{name}" has no parameter for the object.',
            place=place,
            remedy=f"Add it first, in a class after self: def {name}(self, subject, ...)",
        )
    return parameters[1:]


def _check_fit(
    name: str, parameters: list[inspect.Parameter], sources: Mapping[str, Any], *, by_name: bool, place: str | None
) -> None:
    """Raise LP-T006 for values without a parameter, LP-T004 for a parameter without values or a default."""
    known = [each.name for each in parameters]
    shown = f"{name}({', '.join(known)})"
    extra = [each for each in sources if each not in known] if by_name else list(sources)[len(parameters) :]
    if extra:
        raise TestError(
            "LP-T006",
            f'there are values for "{extra[0]}", but {shown} has no such parameter.',
            place=place,
            remedy=f"{nearest(extra[0], known)}Use the names of the parameters after the object.",
        )
    given = sources if by_name else known[: len(sources)]
    missing = [each.name for each in parameters if each.default is each.empty and each.name not in given]
    if missing:
        raise TestError(
            "LP-T004",
            f'the parameter "{missing[0]}" of {shown} has no values.',
            place=place,
            remedy=f"Add them: @linpoint.operation({missing[0]}=[...]), or set a default.",
        )


def _leading(parameters: list[inspect.Parameter]) -> tuple[str, ...]:
    """The parameters that can be passed by position."""
    return tuple(each.name for each in parameters if each.kind is not each.KEYWORD_ONLY)


def _with_keywords(call: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """``call`` with its arguments passed by name: parameters before them have defaults, or they are keyword-only."""

    def call_by_name(subject: Any, *args: Any) -> Any:
        return call(subject, **dict(zip(names, args, strict=True)))

    return call_by_name


def _spelling(name: str) -> str:
    return name.replace("_", "-")
