# SPDX-License-Identifier: Apache-2.0
"""Source-rewritten code behaves like the original: results, exceptions, order of evaluation."""

from __future__ import annotations

import sysconfig
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import run_abort  # noqa: F401 - defines what the control raises
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.explore.python_control.source_rewriting.name_scopes import codes_within
from linpoint.explore.python_control.source_rewriting.rewritten_code import CodeBuild, twins_of
from linpoint.judging.scenario_run import RunEnding
from tests.explore.python_control import odd_syntax

LIBRARY = Path(sysconfig.get_path("stdlib"))


def under_control(function: Callable[[], Any], **options: Any) -> Any:
    """The result of a function that runs as the only thread of a session."""
    explorer = native.explore_again([])
    with ControlSession(backend="ast", most_steps=10**9, patience=600, **options) as session:
        assert explorer.begin()
        session.prepare()
        assert session.run(explorer, [((function, ()),)]) is RunEnding.COMPLETE
        ((_, _, value, raised),) = native.control_operations()[0]
        assert not raised, value
    return value


@pytest.mark.parametrize("options", [{}, {"granularity": "line"}, {"granularity": "opcode"}, {"gil": True}], ids=str)
@pytest.mark.parametrize("function", odd_syntax.CASES, ids=lambda each: each.__name__)
def test_results_are_unchanged_under_control(function: Callable[[], Any], options: dict[str, Any]) -> None:
    call = as_text(function)
    assert under_control(call, **options) == call()


def as_text(function: Callable[[], Any]) -> Callable[[], str]:
    def call() -> str:
        return repr(function())

    return call


def test_every_function_of_the_corpus_is_rewritten() -> None:
    twins = twins_of(odd_syntax.__file__, CodeBuild())
    for function in odd_syntax.CASES:
        twin = twins.of(function.__code__)
        assert twin is not None, function
        assert twin != function.__code__
        assert (twin.co_name, twin.co_firstlineno, twin.co_flags, twin.co_varnames, twin.co_consts[0]) == (
            function.__code__.co_name,
            function.__code__.co_firstlineno,
            function.__code__.co_flags,
            function.__code__.co_varnames,
            function.__code__.co_consts[0],
        )


def check_twins(path: Path, making: CodeBuild) -> int:
    """Every code object of a file has a rewritten twin with the same interface."""
    try:
        module = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return 0
    twins = twins_of(str(path), making)
    again = set(codes_within(compile(path.read_bytes(), str(path), "exec", dont_inherit=True)))
    # A NaN inside makes it unequal to itself; an empty file has no source to read.
    codes = [code for code in codes_within(module) if code is not module and code in again]
    for code in codes:
        twin = twins.of(code)
        assert twin is not None, code
        assert outside(twin) == outside(code), code
    return len(codes)


def outside(code: types.CodeType) -> tuple[Any, ...]:
    # The order of cell variables may change, their names do not.
    return (
        code.co_qualname,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags,
        code.co_freevars,
        sorted(code.co_cellvars),
        sorted(code.co_varnames),
    )


def test_all_code_of_a_file_has_a_twin() -> None:
    files = sorted(LIBRARY.glob("*.py"))[::12]
    assert sum(check_twins(path, CodeBuild()) for path in files) > 300


@pytest.mark.long
@pytest.mark.parametrize("making", [CodeBuild(), CodeBuild(lines=True), CodeBuild(program=True)], ids=str)
def test_all_code_of_the_standard_library_has_a_twin(making: CodeBuild) -> None:
    files = [path for path in LIBRARY.rglob("*.py") if "site-packages" not in path.parts]
    assert sum(check_twins(path, making) for path in files) > 20_000
