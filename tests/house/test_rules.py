# SPDX-License-Identifier: Apache-2.0
"""House rules that no linter knows: licence lines, module sizes, names, errors that are documented and tested."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

from linpoint.errors import CODES

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("src", "native", "tests", "benchmarks", "examples", "docs", "tools")
    for pattern in ("*.py", "*.pyi", "*.cpp", "*.hpp", "*.js", "*.css", "*.html")
    for path in (ROOT / folder).rglob(pattern)
    if "_build" not in path.parts
]
PRODUCT = [path for path in SOURCES if path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "native")]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_file_has_a_licence_line() -> None:
    licence = "SPDX-License-Identifier: Apache-2.0"
    without = [name(path) for path in SOURCES if licence not in path.read_text().partition("\n")[0]]
    assert not without, f"the first line must have {licence!r}:\n" + "\n".join(without)


def test_modules_are_short() -> None:
    limits = {".pyi": 600}  # the stub of the extension stays one module, whatever its size
    sizes = {path: len(path.read_text().splitlines()) for path in PRODUCT}
    too_long = [f"{name(path)}: {size} lines" for path, size in sizes.items() if size > limits.get(path.suffix, 400)]
    assert not too_long, "modules above the limit:\n" + "\n".join(too_long)


def test_no_vague_names() -> None:
    vague = {"utils", "common", "helpers", "manager", "util", "misc"}
    assert not [name(path) for path in PRODUCT if path.stem.strip("_") in vague]


def test_the_oracle_stays_readable() -> None:
    assert len((ROOT / "src/linpoint/checkers/brute_force.py").read_text().splitlines()) < 80


def test_every_error_code_is_tested() -> None:
    tests = "\n".join(path.read_text() for path in SOURCES if "tests" in path.parts)
    assert not [code for code in CODES if code not in tests]


def test_every_error_code_is_used() -> None:
    product = "\n".join(path.read_text() for path in PRODUCT if path.name != "errors.py")
    assert not [code for code in CODES if code not in product]


def test_no_paths_of_a_machine() -> None:
    found = [
        name(path)
        for path in [*SOURCES, *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        if re.search(r"(^|[^\w.])/(work|root|home)/[a-z]", path.read_text()) and path != Path(__file__)
    ]
    assert not found


@pytest.mark.parametrize(
    "name", ["_native", "_native.decisions", "_native.frontiers", "_native.limits", "_native.readers", "_native.refine"]
)
def test_the_stub_names_every_name_of_the_native_module(name: str) -> None:
    _native = importlib.import_module(f"linpoint.{name}")
    file = {"_native": "__init__"}.get(name, name.removeprefix("_native."))
    stub = ast.parse((ROOT / f"src/linpoint/_native/{file}.pyi").read_text())
    defined = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    has = {each for each, thing in vars(_native).items() if not inspect.ismodule(thing)}
    assert defined == {each for each in has if not each.startswith("_")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and not any("Enum" in ast.unparse(base) for base in node.bases):
            members = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            found = {each for each in vars(getattr(_native, node.name)) if not each.startswith("_")}
            assert {each for each in members if not each.startswith("_")} == found
        elif isinstance(node, ast.ClassDef):
            values = {each.targets[0].id: each.value.value for each in node.body}
            assert values == {each.name: each.value for each in getattr(_native, node.name)}
        elif isinstance(node, ast.FunctionDef):
            function = getattr(_native, node.name)
            plain = not hasattr(function, "__nb_signature__")  # a callback of sys.monitoring, of another type
            signature = function.__doc__ if plain else function.__nb_signature__[0][0]
            arguments = re.findall(r"(\w+): ", signature)
            assert arguments == [argument.arg for argument in node.args.args]
