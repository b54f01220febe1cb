# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N805 - the first argument of a step is the state
"""Loading users' specs, and their errors: every code from LP-S001 to LP-S007."""

from __future__ import annotations

import collections
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import linpoint
from tests.specs.test_user_specs import ILLEGAL, LEGAL, Queue, status

# Loading


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Writes modules into the current directory; forgets them afterwards."""
    monkeypatch.chdir(tmp_path)
    before = dict(sys.modules)

    def write(name: str, source: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("import linpoint\n" + textwrap.dedent(source))

    yield write
    for name in set(sys.modules) - set(before):
        if name.startswith("_linpoint_user_") or str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    sys.modules.update(before)


REGISTER = """
    @linpoint.spec
    class Cell:
        initial = {initial}
        def read(state): return state, state
        def write(state, x): return None, x
"""


@pytest.mark.parametrize("name", ["cells_of_mine:Cell", "cells_of_mine.py:Cell", "./cells_of_mine.py:Cell"])
def test_a_spec_is_loaded_from_the_current_directory(folder: Callable[[str, str], None], name: str) -> None:
    folder("cells_of_mine.py", REGISTER.format(initial=5))
    assert status("A: |--read()->5--|", name) is LEGAL


def test_a_file_in_another_directory_can_import_its_neighbours(
    folder: Callable[[str, str], None], tmp_path: Path
) -> None:
    folder("deep/neighbour_of_mine.py", "FIRST = 6\n")
    folder("deep/cells.py", "from neighbour_of_mine import FIRST\n" + textwrap.dedent(REGISTER.format(initial="FIRST")))
    assert status("A: |--read()->6--|", "deep/cells.py:Cell") is LEGAL
    assert status("A: |--read()->6--|", f"{tmp_path}/deep/cells.py:Cell") is LEGAL


def test_the_current_directory_comes_first(folder: Callable[[str, str], None]) -> None:
    """Even before an already imported module of the standard library."""
    folder("queue.py", REGISTER.format(initial=7))
    assert status("A: |--read()->7--|", "queue:Cell") is LEGAL


def test_files_of_the_same_name_in_different_directories_are_distinct(folder: Callable[[str, str], None]) -> None:
    folder("one/cells.py", REGISTER.format(initial=1))
    folder("two/cells.py", REGISTER.format(initial=2))
    assert status("A: |--read()->1--|", "one/cells.py:Cell") is LEGAL
    assert status("A: |--read()->2--|", "two/cells.py:Cell") is LEGAL


def test_a_loaded_object_may_have_any_form_that_check_accepts(folder: Callable[[str, str], None]) -> None:
    folder(
        "things.py",
        """
        import collections
        deque = linpoint.sequential(collections.deque, methods=["append", "pop"])
        class Applied:
            initial = 0
            def apply(self, state, op): return state, state
        applied = Applied()
        built_in = linpoint.specs.register(initial=3)
        """,
    )
    assert status("A: |--append(1)--| |--pop()->1--|", "things.py:deque") is LEGAL
    assert status("A: |--read()->0--|", "things.py:applied") is LEGAL
    assert status("A: |--read()->3--|", "things:built_in") is LEGAL


# Errors


def failure(drawing: str, spec: Any) -> linpoint.LinpointError:
    with pytest.raises(linpoint.LinpointError) as caught:
        linpoint.check(drawing, spec)
    error = caught.value
    assert str(error).startswith(error.code)
    assert error.remedy
    assert error.message
    assert set(error.as_dict()) == {"code", "place", "message", "remedy"}
    return error


READ = "A: |--read()->0--|"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("regster", "register"),
        ("Queue", "queue"),
        ("", ""),
        ("queue)", ""),
        ("no such", ""),
        ("priority queue", "priority-queue"),
    ],
)
def test_s001_an_unknown_spec(name: str, hint: str) -> None:
    error = failure(READ, name)
    assert error.code == "LP-S001"
    assert isinstance(error, linpoint.SpecError)
    assert hint in error.remedy
    assert "mwcas" in error.remedy


def test_s002_an_unknown_operation_names_the_place_and_the_known_ones() -> None:
    error = failure("A: |--dequeue()--|\nB: |--push(1)--|", Queue)
    assert error.code == "LP-S002"
    assert '"push"' in error.message
    assert "enqueue" in error.remedy
    assert error.place == "drawing:2"


def test_s003_a_wrong_number_of_arguments() -> None:
    error = failure("A: |--enqueue()--|", Queue)
    assert error.code == "LP-S003"
    assert "enqueue(x)" in error.remedy


def test_s004_a_spec_without_parameters() -> None:
    with pytest.raises(linpoint.SpecError, match="LP-S004"):
        linpoint.sequential(collections.deque, methods=["append"])(maxlen=3)
    with pytest.raises(linpoint.SpecError, match="LP-S004"):
        Queue(capacity=3)


@pytest.mark.parametrize(
    ("name", "source", "evidence"),
    [
        ("missing.py:Cell", None, "no such file"),
        ("missing_module_of_mine:Cell", None, "missing_module_of_mine"),
        ("broken.py:Cell", "1 / 0\n", "ZeroDivisionError"),
        ("broken.py:Cell", "def (\n", "SyntaxError"),
        ("broken:Cell", "import no_such_module_at_all\n", "no_such_module_at_all"),
        ("broken.py:Cel", REGISTER.format(initial=0), "Cell"),
        ("broken.py:", REGISTER.format(initial=0), "Cell"),
        ("broken:Nothing", "x = 1\n", "Nothing"),
        ("broken.py:Cell", "raise SystemExit(0)\n", "SystemExit"),
        ("broken:Cell", "import sys; sys.exit('bye')\n", "SystemExit"),
        (":Cell", None, ""),
        ("os.:Cell", None, ""),
    ],
)
def test_s005_a_spec_that_cannot_be_loaded(
    folder: Callable[[str, str], None], name: str, source: str | None, evidence: str
) -> None:
    if source is not None:
        folder("broken.py", source)
    error = failure(READ, name)
    assert error.code == "LP-S005"
    assert evidence in str(error)


def _spec(step: Callable[..., Any], initial: Any = 0) -> linpoint.Spec:
    return linpoint.spec(type("Bad", (), {"initial": initial, "read": step}))


def raises(error: BaseException) -> Callable[[Any], Any]:
    def read(state: Any) -> Any:
        raise error

    return read


@pytest.mark.parametrize(
    "error",
    [KeyError("k"), ValueError("v"), RecursionError("deep"), MemoryError(), SystemExit(0)],
    ids=lambda error: type(error).__name__,
)
def test_s006_a_step_that_raises(error: BaseException) -> None:
    found = failure(READ, _spec(raises(error)))
    assert found.code == "LP-S006"
    assert type(error).__name__ in found.message
    assert "Bad.read" in str(found)


def test_s006_an_apply_that_raises() -> None:
    class Bad:
        initial = 0

        def apply(self, state: Any, op: Any) -> Any:
            raise LookupError("nothing there")

    error = failure(READ, Bad())
    assert error.code == "LP-S006"
    assert "nothing there" in error.message
    assert "Bad.apply" in str(error)


def test_s006_a_partition_that_raises() -> None:
    @linpoint.spec(partition=lambda key, *_: key)
    class Sized:
        initial = 0

        def size(state):
            return 0, state

        def get(state, key):
            return None, state

    error = failure("A: |--size()->0--|", Sized)
    assert error.code in ("LP-S006", "LP-S007")


class Unhashable:
    """Equal to nothing and without a hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False


@pytest.mark.parametrize(
    "step",
    [
        lambda state: None,
        lambda state: 5,
        lambda state: (1,),
        lambda state: (1, 2, 3),
        lambda state: [1, 2],
        lambda state: [(1, 2), None],
        lambda state: iter([(0, 0)]),
        lambda state: (0, Unhashable()),
        lambda state: (0, [{"a": Unhashable()}]),
    ],
    ids=[
        "None",
        "5",
        "(1,)",
        "(1, 2, 3)",
        "[1, 2]",
        "[(1, 2), None]",
        "iterator",
        "unhashable state",
        "nested unhashable",
    ],
)
def test_s007_a_step_that_breaks_the_protocol(step: Callable[..., Any]) -> None:
    assert failure(READ, _spec(step)).code == "LP-S007"


def test_s007_an_unhashable_first_state() -> None:
    assert failure(READ, _spec(lambda state: (0, state), initial=Unhashable())).code == "LP-S007"


def test_an_unhashable_result_is_compared_or_a_coded_error() -> None:
    """The result must be a violation or LP-S007."""
    try:
        assert status(READ, _spec(lambda state: (Unhashable(), state))) is ILLEGAL
    except linpoint.SpecError as error:
        assert error.code == "LP-S007"


@pytest.mark.parametrize("thing", [5, None, object(), linpoint.Spec, collections.deque, ["queue"]], ids=range(6))
def test_s007_objects_that_are_not_specs(thing: Any) -> None:
    assert failure(READ, thing).code == "LP-S007"


def test_s007_classes_that_are_not_specs() -> None:
    def decorate(**body: Any) -> linpoint.LinpointError:
        with pytest.raises(linpoint.SpecError) as caught:
            linpoint.spec(type("Bad", (), body))
        assert caught.value.remedy
        return caught.value

    assert decorate(initial=0).code == "LP-S007"
    assert decorate(read=lambda state: (state, state)).code == "LP-S007"
    assert decorate(initial=0, read=lambda: (0, 0)).code == "LP-S007"


def test_an_error_of_the_spec_on_one_key_is_reported_despite_other_keys() -> None:
    @linpoint.spec
    class Picky:
        initial = 0

        def read(state):
            return state, state

        def write(state, x):
            if x == 13:
                raise ValueError("unlucky")
            return None, x

    lines = [
        {"process": n, "op": "write", "args": [n], "result": None, "call": 0, "return": 9, "key": n} for n in range(20)
    ]
    with pytest.raises(linpoint.SpecError, match=r"LP-S006.*unlucky"):
        linpoint.check(lines, Picky)
