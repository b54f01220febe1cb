# SPDX-License-Identifier: Apache-2.0
"""The public types as mypy sees them, and the stub of the native module against the module at run time."""

from __future__ import annotations

import ast
import collections
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linpoint

PACKAGE = Path(linpoint.__file__).parent
# mypy finds an installed package by itself and rejects its path; it needs the path of sources.
SOURCES = {} if PACKAGE.parent.name == "site-packages" else {"MYPYPATH": str(PACKAGE.parent)}


def test_the_package_is_marked_as_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


TYPED = {
    "status": "assert_type(linpoint.check('', 'queue').status, linpoint.Status)",
    "witness": "assert_type(linpoint.check('', 'queue').witness, linpoint.Witness | None)",
    "order": "w = linpoint.check('', 'queue').witness\nassert w\nassert_type(w.order, Sequence[int])",
    "checker": "v = linpoint.check('', 'queue')\nassert_type(v.checker, str)\nassert_type(v.why, str)",
    "statistics": "assert_type(linpoint.check('', 'queue').statistics.seconds, float)",
    "keys": "assert_type(linpoint.check('', 'queue').keys, tuple[linpoint.KeyVerdict, ...])",
    "explain": "assert_type(linpoint.check('', 'queue').explain(), linpoint.Explanation)",
    "text": "assert_type(linpoint.check('', 'queue').explain().text, str)",
    "scenario": "assert_type(linpoint.Scenario.parse('f()').threads[0][0].operation, str)",
    "operation": "@linpoint.operation\ndef f(x: int) -> str: return str(x)\nassert_type(f(1), str)",
    "operation with values": "@linpoint.operation(x=[1])\ndef f(x: int) -> str: return str(x)\nassert_type(f(1), str)",
    "history": "assert_type(linpoint.history('A: |--read()--|'), linpoint.History)",
    "position": "assert_type(linpoint.history('')[0], linpoint.Operation)",
    "iteration": "for op in linpoint.history(''):\n    assert_type(op, linpoint.Operation)",
    "slice": "assert_type(linpoint.history('')[1:], Sequence[linpoint.Operation])",
    "load": "assert_type(linpoint.load('f.edn', keyed=True), linpoint.History)",
    "built-in": "assert_type(linpoint.specs.queue(capacity=8), linpoint.Spec)",
    "sequential": "assert_type(linpoint.sequential(collections.deque, methods=['append']), linpoint.Spec)",
    "spec": "@linpoint.spec\nclass Q:\n    initial = 0\nlinpoint.check('', Q)",
    "spec with options": "@linpoint.spec(reads=['read'])\nclass Q:\n    initial = 0\nlinpoint.check('', Q)",
    "lines": "linpoint.check([{'process': 0, 'op': 'read'}], 'queue', budget=1, max_memory='2G')",
    "conformance": "assert_type(linpoint.conformance('queue', []).problems, tuple[str, ...])",
}
REFUSED = {
    "positional checker": "linpoint.check('', 'queue', 'dfs')",
    "frozen operation": "linpoint.history('')[0].name = 'x'",
    "frozen history": "linpoint.history('').operations = ()",
    "frozen verdict": "linpoint.check('', 'queue').status = linpoint.Status.UNKNOWN",
    "budget as a list": "linpoint.check('', 'queue', budget=[1])",
    "misspelt": "linpoint.check('', 'queue').stauts",
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The messages of mypy about each snippet, from one run."""
    folder = tmp_path_factory.mktemp("typed")
    head = "import collections\nfrom collections.abc import Sequence\nfrom typing import assert_type\nimport linpoint\n"
    names = {}
    for number, (name, snippet) in enumerate((TYPED | REFUSED).items()):
        names[f"s{number}.py"] = name
        (folder / f"s{number}.py").write_text(head + snippet + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "--no-error-summary", "."],
        cwd=folder,
        env={**os.environ, **SOURCES},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, str] = collections.defaultdict(str)
    for line in done.stdout.splitlines():
        found[names.get(line.partition(":")[0], line.partition(":")[0])] += line + "\n"
    return found


@pytest.mark.parametrize("name", TYPED)
def test_public_types_pass_mypy_strict(complaints: dict[str, str], name: str) -> None:
    assert complaints.get(name, "") == ""


@pytest.mark.parametrize("name", REFUSED)
def test_mypy_finds_mistakes_in_types(complaints: dict[str, str], name: str) -> None:
    assert "error" in complaints.get(name, "")


# The stub of the native module

ARTEFACTS = (
    "is a disjoint base at runtime",  # every nanobind class is an instance of
    "metaclass differs",  # nanobind.nb_type
    "__nb_enum__ is not present in stub",
    "is not a function",  # nanobind.nb_func: compared by their docstrings below
    # Only the core makes objects without __init__. From 3.13 on, inspect reports *args for any nanobind.nb_func.
    "is inconsistent, stub does not have *args",
)


def test_the_stub_matches_the_native_module(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "linpoint._native", "--concise"],
        cwd=PACKAGE.parent.parent,
        env={**os.environ, **SOURCES, "MYPY_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("linpoint._native")]
    assert said or done.returncode == 0, done.stdout + done.stderr
    assert [line for line in said if not any(artefact in line for artefact in ARTEFACTS)] == []


def _functions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, list[str]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not node.decorator_list:
            rest = [] if node.args.vararg is None else [f"*{node.args.vararg.arg}"]
            names = (*(arg.arg for arg in node.args.args), *rest, *(arg.arg for arg in node.args.kwonlyargs))
            yield owner + node.name, list(names)


@pytest.mark.parametrize("part_of", ["", ".refine"])
def test_native_functions_take_the_parameters_of_the_stub(part_of: str) -> None:
    _native = importlib.import_module(f"linpoint._native{part_of}")
    stub = ast.parse((PACKAGE / f"_native/{part_of.strip('.') or '__init__'}.pyi").read_text())
    functions = dict(_functions(stub.body))
    assert functions
    for name, parameters in functions.items():
        thing: Any = _native
        for part in name.split("."):
            thing = getattr(thing, part)
        signature = (thing.__doc__ or "").splitlines()[0]
        inside = signature.partition("(")[2].rpartition(")")[0]
        flat = inside
        while "[" in flat:  # the text in brackets has commas of its own
            flat = re.sub(r"\[[^\[\]]*\]", "", flat)
        taken = [
            re.split(r"[:=]", part.strip())[0].strip() for part in flat.split(",") if part.strip() not in ("", "/", "*")
        ]
        assert taken == parameters, name
