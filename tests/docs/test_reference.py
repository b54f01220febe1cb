# SPDX-License-Identifier: Apache-2.0
"""The reference is complete: every code, option, format, spec and public name is documented."""

from __future__ import annotations

import dataclasses
import enum
import importlib.util
import inspect
import re
import subprocess
import sys

import pytest
from click import Context

import linpoint
from linpoint.cli.main import app
from linpoint.errors import CODES
from linpoint.explain.history.reasons import CAUSES, REASONS
from linpoint.histories.formats import FORMATS
from linpoint.options.choices import CHECKERS, CONDITIONS
from linpoint.options.commands.registry import options_classes
from linpoint.options.project_file import toml_key
from linpoint.options.schema import Surface
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Returns
from linpoint.traces.trace import (
    FAILURES,
    SourcePlace,
    StepKind,
    Trace,
    TraceFailure,
    TraceStep,
    TraceThread,
    UnpersistedStore,
)
from tests.docs.pages import DOCS, ROOT, blocks_of
from tests.missing_packages import missing

REFERENCE = ROOT / "docs" / "reference"
EXPLAINED = (ROOT / "docs" / "explanation" / "reasons-and-causes.md").read_text(encoding="utf-8")


def text_of(page: str) -> str:
    return (REFERENCE / page).read_text(encoding="utf-8")


def sections_of(page: str) -> dict[str, str]:
    """The text under each second-level heading, without its backticks."""
    parts = re.split(r"^## (.+)$", text_of(page), flags=re.MULTILINE)
    return {title.strip("`"): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}


# Errors


def test_the_errors_page_has_exactly_the_codes():
    assert re.findall(r"^## (LP-\S+)", text_of("errors.md"), re.MULTILINE) == list(CODES)


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_its_anchor_meaning_message_and_remedy(code):
    assert f"({code.lower()})=\n## {code}\n" in text_of("errors.md")
    section = sections_of("errors.md")[code]
    assert CODES[code].lower() in section.lower()
    assert f"{code} " in section or f"{code}:" in section, "an example message"
    assert "**Remedy.**" in section


# Commands

COMMANDS = {name: app.get_command(Context(app), name) for name in app.entries}


def test_the_commands_page_has_exactly_the_commands():
    assert {title.removeprefix("linpoint ") for title in sections_of("commands.md")} >= set(COMMANDS)


def options_of(name: str) -> list[str]:
    """The options and arguments of a command as the page writes them."""
    parameters = [each for each in COMMANDS[name].params if each.name != "help"]
    options = [each for parameter in parameters if parameter.param_type_name == "option" for each in parameter.opts]
    arguments = [each for each in parameters if each.param_type_name != "option"]
    return options + [(each.metavar or each.name.upper()).strip("[]") for each in arguments]


def shared_options_of(name: str) -> list[str]:
    """The options in the rows of the shared options that name the command."""
    rows = re.findall(r"^\| (`-.*) \| (`\w.*?) \| .* \|$", sections_of("commands.md")["Shared options"], re.MULTILINE)
    cells = [options for options, commands in rows if f"`{name}`" in commands]
    return re.findall(r"`(-[\w-]+)", " ".join(cells))


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_documents_its_options(name):
    section = sections_of("commands.md")[f"linpoint {name}"]
    shared = shared_options_of(name)
    assert set(shared) <= set(options_of(name))
    missing = [each for each in options_of(name) if f"`{each}" not in section]
    assert set(missing) <= set(shared)
    assert not missing or "](#command-shared)" in section


@pytest.mark.parametrize("name", COMMANDS)
def test_each_default_of_a_project_is_listed(name):
    section = sections_of("commands.md")["Defaults"]
    row = re.search(rf"^\| `{name}` \| (.*) \|$", section, re.MULTILINE)
    options = [option for option in options_classes()[name].declared().values() if Surface.TOML in option.surfaces]
    assert re.findall(r"`([^`]+)`", row[1] if row else "") == sorted(map(toml_key, options))
    for option in options:
        key = toml_key(option)
        if Surface.ENVIRONMENT in option.surfaces:
            assert option.variable == f"LINPOINT_{key.upper().replace('-', '_')}", "the rule on the page"
        else:
            assert re.search(rf"`{key}` [^.]* no variable", section)


@pytest.mark.parametrize("name", CHECKERS)
def test_each_checker_is_explained(name):
    assert f"`{name}`" in text_of("commands.md")
    assert f"`{name}`" in (ROOT / "docs" / "explanation" / "algorithms.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_is_explained(name):
    assert f"`{name}`" in text_of("commands.md")
    assert f"\n## `{name}`\n" in (ROOT / "docs" / "explanation" / "conditions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("word", "meaning"), REASONS.items())
def test_each_reason_is_explained(word, meaning):
    assert f"| `{word}` | {meaning} |" in EXPLAINED


@pytest.mark.parametrize("word", CAUSES)
def test_each_cause_is_explained(word):
    assert f"| `{word}` | " in EXPLAINED


# Formats and specs


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_a_section(name):
    assert re.search(rf"^## .*\(`{name}`\)$", text_of("formats.md"), re.MULTILINE)


MEANING_OF_NULL = {
    Returns.VALUE: "the value null",
    Returns.OBSERVATION: "not allowed",
    Returns.SUCCESS: "not observed",
    Returns.NOTHING: "nothing",
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_spec_documents_its_operations_and_the_meaning_of_null(name):
    section = sections_of("specs.md")[name]
    for step in BUILT_IN[name].steps.values():
        row = re.search(
            rf"^\| `{re.escape(step.name)}\({re.escape(', '.join(step.parameters))}\)` .*$", section, re.MULTILINE
        )
        assert row, step.signature()
        assert row[0].split("|")[-2].strip().startswith(MEANING_OF_NULL[step.returns])


# Traces


@pytest.mark.parametrize("thing", [Trace, TraceStep, TraceFailure, TraceThread, SourcePlace, UnpersistedStore])
def test_each_field_of_a_trace_is_explained(thing):
    page = text_of("traces.md")
    assert [field.name for field in dataclasses.fields(thing) if f"`{field.name}`" not in page] == []


def test_each_kind_of_step_and_failure_is_explained():
    rows = re.findall(r"^\| (`[^|]*`) +\|", sections_of("traces.md")["JSON"], re.MULTILINE)
    assert {kind.value for kind in StepKind} <= set(re.findall(r"`([^`]+)`", " ".join(rows)))
    assert [kind for kind in FAILURES if f'`"{kind}"`' not in text_of("traces.md")] == []


# Python


def names_of(thing) -> list[str]:
    """The names an entry must have: parameters of a function, fields and public members of a class."""
    if inspect.isfunction(thing):
        return list(inspect.signature(thing).parameters)
    if not inspect.isclass(thing) or issubclass(thing, BaseException):
        return []
    if issubclass(thing, enum.Enum):
        return [member.name for member in thing]
    fields = (
        [field.name for field in dataclasses.fields(thing) if not field.name.startswith("_")]
        if dataclasses.is_dataclass(thing)
        else []
    )
    own = [name for name in vars(thing) if not name.startswith("_")]
    return list(dict.fromkeys([*fields, *own]))


PUBLIC = {name: getattr(linpoint, name) for name in linpoint.__all__}
OTHER_NAMES = {
    "Answer": "Status",
    "ModelFinding": "Finding",
    "ModelResult": "TestResult",
    "StressResult": "TestResult",
}
"""Public names of classes that have their entry under another one."""


def directive_of(thing) -> str:
    """The autodoc directive that makes the entry."""
    if inspect.ismodule(thing):
        return "automodule"
    if inspect.isfunction(thing):
        return "autofunction"
    return "autoexception" if issubclass(thing, BaseException) else "autoclass"


def test_python_has_exactly_the_public_names_each_by_autodoc():
    blocks = [block for block in blocks_of(text_of("python.md")) if block.kind == "{eval-rst}"]
    lines = [line for block in blocks for line in block.text.splitlines()]
    assert sorted(lines) == sorted(f".. {directive_of(thing)}:: linpoint.{name}" for name, thing in PUBLIC.items())


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_has_a_docstring(name):
    assert inspect.getdoc(PUBLIC[name])


@pytest.fixture(scope="module")
def entries(tmp_path_factory) -> dict[str, str]:
    """The entries of the built page by their names, in plain text."""
    if importlib.util.find_spec("sphinx") is None or importlib.util.find_spec("myst_parser") is None:
        missing("Sphinx and MyST")
    folder = tmp_path_factory.mktemp("python")
    (folder / "python.md").write_text(text_of("python.md"), encoding="utf-8")
    options = ["-D", "extensions=myst_parser,sphinx.ext.autodoc", "-D", "root_doc=python", "-d", "doctrees"]
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-Q", "-b", "text", "-c", ROOT / "docs", *options, ".", "built"],
        cwd=folder,
        check=True,
    )
    parts = re.split(
        r"^(?:class |exception )?linpoint\.(?:strategies\.)?(\w+)(?=[(\n])",
        (folder / "built" / "python.txt").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    found: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        found[name] = found.get(name, "") + text  # an overloaded function has several signatures
    return found


def test_each_entry_has_its_parts(entries):
    things = {name: thing for name, thing in PUBLIC.items() if not inspect.ismodule(thing)}
    assert set(entries) == {*things, "scenarios"}
    lacking = {
        name: [each for each in names_of(thing) if not re.search(rf"(?<!\w){each}(?!\w)", entries[name])]
        for name, thing in things.items()
        if name not in OTHER_NAMES
    }
    assert {name: parts for name, parts in lacking.items() if parts} == {}


@pytest.mark.parametrize(("name", "first"), OTHER_NAMES.items())
def test_each_second_name_refers_to_the_first(entries, name, first):
    assert PUBLIC[name] is PUBLIC[first]
    assert entries[name].strip().startswith(f'alias of "{first}"')


# Every page


@pytest.mark.parametrize(
    "page", [page for page in DOCS if page.name != "README.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_page_is_reachable(page):
    name = str(page.relative_to(ROOT / "docs").with_suffix(""))
    if page.parent.name == "internals":  # pages for contributors, who read them in the repository
        index = (page.parent / "index.md").read_text(encoding="utf-8")
        assert page.name == "index.md" or f"({page.name})" in index
        return
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert name == "index" or re.search(rf"^{re.escape(name)}$", index, re.MULTILINE)
