# SPDX-License-Identifier: Apache-2.0
"""An operation of a test: what is called, with which parameters, and where their values come from.

``@operation`` only marks a function; ``make_operation`` reads the mark and the signature together and refuses what
does not fit, at the line of the function.
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
    """An operation that scenarios may call: ``call(subject, *args)``, one argument for each of ``parameters``.

    Each of ``sources`` is the values of one parameter; any iterable or strategy that is given is made a ``Source``.
    A ``blocking`` operation may wait for others; ``is_async`` says that calling it gives a coroutine.
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
                f'"{self.name}" cannot stand in a scenario.',
                place=self.place,
                remedy="Names are identifiers, also with hyphens.",
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
    """Operations in their order, found by either spelling: ``_`` and ``-`` are the same in names.

    ``remedy`` says how an operation gets another name where the test is written.
    """

    __slots__ = ("_found", "_names")

    def __init__(
        self, operations: Iterable[TestedOperation], *, remedy: str = "Give one of them another with name=..."
    ) -> None:
        self._found: dict[str, TestedOperation] = {}
        for each in operations:
            other = self._found.setdefault(_spelling(each.name), each)
            if other is not each:
                raise TestError(
                    "LP-T012",
                    f'there is an operation "{other.name}" already, and "{each.name}" is the same name.',
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
    """What ``@operation`` says of a function. Iterables are taken already, strategies are as they were given.

    ``role`` and ``pairs_with`` are of models: who may call the operation, and which other one must have come before.
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
    """Mark a method of a test or of a model as an operation: bare, or with values for each of its arguments.

    Each keyword is a parameter of the method and gives its values, a Hypothesis strategy or any finite iterable, which
    is taken once: ``@linpoint.operation(key="ab", value=range(3))``. A ``blocking`` operation may wait for others, as an
    acquire does; ``name`` is what scenarios and the spec call it, by default the method's name. In a model, ``role`` says
    which processes call it, and ``pairs_with`` names the operation that must have come before, once for each call.
    Parameters that are themselves called ``name`` or ``blocking`` are given in a dict, as any others can be:
    ``@linpoint.operation({"name": ["a", "b"]})``.
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
    """``words`` are those of models, unless the function has parameters that are called so."""

    def marked(function: _Function) -> _Function:
        if not inspect.isfunction(function):
            raise TestError(
                "LP-T010",
                f"@linpoint.operation marks functions, and {function!r} is none.",
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
                    "LP-T010", f"{word}={given!r} of {what} is no text.", place=place, remedy=f'Write {word}="...".'
                )
        setattr(function, _MARK, replace(mark, sources=taken, **told))
        return function

    return marked


def mark_of(thing: Any) -> OperationMark | None:
    """What ``@operation`` said of ``thing``, if it did; a static method is its function."""
    found = getattr(getattr(thing, "__func__", thing), _MARK, None)
    return found if isinstance(found, OperationMark) else None


def place_of(function: Any) -> str | None:
    """Where a function was written, ``file:line``, relative to the current folder where it is inside."""
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    if code is None:
        return None
    path = Path(code.co_filename)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{code.co_firstlineno}"


def nearest(word: str, known: Iterable[str]) -> str:
    """``Did you mean x? `` where one of the known words is close, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {near[0]}? " if near else ""


def make_operation(
    name: str, function: Callable[..., Any] | None, mark: OperationMark, *, call: Callable[..., Any] | None = None
) -> TestedOperation:
    """The operation that calls ``function(subject, ...)`` with the marked arguments.

    ``call`` is called in its stead where ``function`` only shows the signature; without a function, or with one that
    cannot tell its parameters' names, arguments are given in the order in which they were marked.
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
    """What a function takes after the object; None where it does not tell: written in C, or ``*args`` and no more."""
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
            f'the operation "{name}" does not take the object.',
            place=place,
            remedy=f"The object comes first, in a class after self: def {name}(self, subject, ...)",
        )
    return parameters[1:]


def _check_fit(
    name: str, parameters: list[inspect.Parameter], sources: Mapping[str, Any], *, by_name: bool, place: str | None
) -> None:
    """LP-T006 for values without a parameter, LP-T004 for a parameter without values or a default."""
    known = [each.name for each in parameters]
    shown = f"{name}({', '.join(known)})"
    extra = [each for each in sources if each not in known] if by_name else list(sources)[len(parameters) :]
    if extra:
        raise TestError(
            "LP-T006",
            f'there are values for "{extra[0]}", but {shown} has no such parameter.',
            place=place,
            remedy=f"{nearest(extra[0], known)}Each keyword is a parameter of the operation, after the object.",
        )
    given = sources if by_name else known[: len(sources)]
    missing = [each.name for each in parameters if each.default is each.empty and each.name not in given]
    if missing:
        raise TestError(
            "LP-T004",
            f'the parameter "{missing[0]}" of {shown} has no values.',
            place=place,
            remedy=f"Say which: @linpoint.operation({missing[0]}=[...]), or give it a default.",
        )


def _leading(parameters: list[inspect.Parameter]) -> tuple[str, ...]:
    """The parameters that can be given by position."""
    return tuple(each.name for each in parameters if each.kind is not each.KEYWORD_ONLY)


def _with_keywords(call: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """``call`` with its arguments given by name: some before them have defaults, or they take no position."""

    def call_by_name(subject: Any, *args: Any) -> Any:
        return call(subject, **dict(zip(names, args, strict=True)))

    return call_by_name


def _spelling(name: str) -> str:
    return name.replace("_", "-")
