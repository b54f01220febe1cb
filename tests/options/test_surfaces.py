# SPDX-License-Identifier: Apache-2.0
"""Every option gives the same merged value on each of its surfaces, in the documented precedence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click import Context

from linpoint.cli.command_builder import OptionsCommand
from linpoint.cli.main import COMMANDS
from linpoint.hosts.host_config import HostConfig
from linpoint.options.commands.check import ClockSkew, ColumnMap, TimeUnit, YesOrNo
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.explore import ExploreOptions, ShellWords
from linpoint.options.commands.refine import Constants, Processes, RefineOptions
from linpoint.options.commands.registry import options_classes
from linpoint.options.commands.test import TestOptions
from linpoint.options.environment import environment_layers
from linpoint.options.host_arguments import HostValue, host_arguments, host_words
from linpoint.options.layers import Layer
from linpoint.options.option_types import (
    CallsText,
    Choice,
    Choices,
    FilePath,
    JsonText,
    MemorySize,
    OnOff,
    OptionType,
    ScenarioText,
    SpecName,
    TimeSpan,
    WholeNumber,
    Words,
)
from linpoint.options.options_base import Options, merge_layers
from linpoint.options.project_file import project_layers, toml_key
from linpoint.options.rules import Requires
from linpoint.options.schema import Option, Panel, Surface
from linpoint.options.token_fields import options_from_token, token_fields
from linpoint.pytest_plugin.option_names import options_of
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.verdicts.replay_token import LAYOUTS

SAMPLES: dict[type[OptionType], str] = {
    WholeNumber: "7",
    TimeSpan: "9s",
    MemorySize: "64M",
    FilePath: "some/file.html",
    SpecName: "queue",
    ScenarioText: "push(1) | pop()",
    CallsText: "push(2)",
    JsonText: "[1]",
    ShellWords: "one 'two three'",
    ClockSkew: "5ms",
    ColumnMap: "op=f",
    YesOrNo: "yes",
    TimeUnit: "us",
    Processes: "reader=2,writer=1",
    Constants: "size=3",
    OptionType: "clang++",
    Words: "word",
}


def sample(option: Option) -> str:
    """A text that differs from the default."""
    if isinstance(option.type, (Choice, Choices)):
        return next(name for name in reversed(option.type.names) if name != option.default)
    return "true" if isinstance(option.type, OnOff) else SAMPLES[type(option.type)]


def every_option(surface: Surface) -> list[Any]:
    """The options of a surface, with their commands."""
    return [
        pytest.param(name, options_class, option, id=f"{name}-{option.key}")
        for name, options_class in options_classes().items()
        for option in options_class.declared().values()
        if surface in option.surfaces
    ]


def needed(options_class: type[Options], option: Option) -> Iterator[tuple[Option, str]]:
    """Options that must accompany an option, and positional arguments."""
    declared = options_class.declared()
    for rule in options_class.rules:
        if isinstance(rule, Requires) and option.name in rule.names:
            yield declared[rule.needed], sample(declared[rule.needed])


def words_of(option: Option, text: str) -> list[str]:
    """The option as arguments of a command line."""
    return [option.flag] if isinstance(option.type, OnOff) else [option.flag, text]


def expected(options_class: type[Options], option: Option) -> Any:
    """The value of an object constructed in code."""
    values = {each.name: each.type.parse_all([text], each.flag) for each, text in needed(options_class, option)}
    values[option.name] = option.type.parse_all([sample(option)], option.flag)
    return getattr(options_class(**values), option.name)


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.COMMAND_LINE))
def test_options_on_the_command_line(
    name: str, options_class: type[Options], option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = list(needed(options_class, option)) + (
        [] if option.positional or option.passthrough else [(option, sample(option))]
    )
    given += [(each, "queue") for each in options_class.declared().values() if each.required and each.flag == "--spec"]
    words = [word for each, text in given for word in words_of(each, text)]
    words += ["word" for each in options_class.declared().values() if each.positional]
    words += ["--", "word"] if option.passthrough else []
    command = OptionsCommand(name, COMMANDS[name])
    with Context(command, info_name=name) as context:
        command.parse_args(context, words)
        found = command.merged_options(context)
    wanted = "word" if option.positional and not option.type.many else expected(options_class, option)
    assert getattr(found, option.name) == wanted
    if Surface.ARGV in option.surfaces:
        assert words_of(option, sample(option))[0] in found.argv()


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.COMMENT))
def test_options_in_a_comment(name: str, options_class: type[Options], option: Option, tmp_path: Path) -> None:
    given = [*needed(options_class, option), (option, sample(option))]
    texts = [word if word.startswith("--") else f"'{word}'" for each, text in given for word in words_of(each, text)]
    if option.passthrough:
        texts = ["--", "word"]
    file = tmp_path / "test.cpp"
    file.write_text(f"\n// linpoint: {' '.join(texts)}\n", encoding="utf-8")
    found = getattr(options_class().for_file(str(file)), option.name)
    assert found == option.type.in_directory(expected(options_class, option), tmp_path), name


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.TOML))
def test_options_in_the_project_file(
    name: str, options_class: type[Options], option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = expected(options_class, option)
    text = json.dumps(dict(value) if isinstance(option.type, Processes) else value)
    if isinstance(option.type, Processes):
        text = f'"{sample(option)}"'
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    for table in ("tool.linpoint", f"tool.linpoint.{name}"):
        (tmp_path / "pyproject.toml").write_text(f"[{table}]\n{toml_key(option)} = {text}\n", encoding="utf-8")
        found = merge_layers(options_class, project_layers(options_class, name))
        assert getattr(found, option.name) == option.type.in_directory(value, tmp_path)


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.ENVIRONMENT))
def test_options_in_the_environment(name: str, options_class: type[Options], option: Option) -> None:
    layers = environment_layers(options_class, {option.variable: sample(option), "LINPOINT_UNRELATED_CACHE": "x"})
    assert getattr(merge_layers(options_class, layers), option.name) == expected(options_class, option), name


class FakeConfig:
    """A stand-in for pytest's configuration."""

    def __init__(self, **given: Any) -> None:
        self.given = given

    def getoption(self, name: str) -> Any:
        return self.given.get(name.removeprefix("--linpoint-"))

    def getini(self, name: str) -> Any:
        return self.given.get(name, "")


@pytest.mark.parametrize(
    "option", [each for each in TestOptions.declared().values() if Surface.PYTEST in each.surfaces]
)
def test_options_in_pytest(option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = int(sample(option)) if isinstance(option.type, WholeNumber) else sample(option)
    config: Any = FakeConfig(**{option.key: given})
    assert getattr(options_of(config), option.name) == expected(TestOptions, option)


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.TOKEN))
def test_options_in_a_token(name: str, options_class: type[Options], option: Option) -> None:
    made = options_class(**{option.name: expected(options_class, option)})
    content = json.loads(json.dumps(token_fields(made)))
    assert list(content) == [option.name], name
    assert options_from_token(options_class, content) == made


TOKENS = {
    "test": (TestOptions, Panel.CPP),
    "test-cpp": (TestOptions, Panel.PYTHON),
    "explore": (ExploreOptions, Panel.CPP),
    "explore-cpp": (ExploreOptions, Panel.PYTHON),
    "refine": (RefineOptions, None),
    "crash": (CrashOptions, None),
}
IDENTITY = {"kind", "file", "files", "code", "python", "finding", "test", "model", "args"}


@pytest.mark.parametrize("kind", TOKENS)
def test_the_layout_of_a_token_has_the_declared_options(kind: str) -> None:
    options_class, other_language = TOKENS[kind]
    declared = {
        name
        for name, each in options_class.declared().items()
        if Surface.TOKEN in each.surfaces and each.panel is not other_language
    }
    layout, words = LAYOUTS[kind], {"flags"} if kind == "explore-cpp" else set()  # its flags are positional
    assert set(layout.keys) - layout.reproduction - IDENTITY - words == declared - IDENTITY


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.HOST))
def test_options_for_the_host(name: str, options_class: type[Options], option: Option) -> None:
    value = expected(options_class, option)
    argument = host_arguments()[option.name]
    words = host_words(**{option.name: value})
    assert words == ([argument.flag] if argument.value is HostValue.FLAG else [argument.flag, str(value)]), name
    assert host_words(**{option.name: False if value is True else None}) == []


@pytest.mark.parametrize(("name", "options_class", "option"), every_option(Surface.COMMAND_LINE))
def test_options_for_another_process(name: str, options_class: type[Options], option: Option) -> None:
    values = {each.name: each.type.parse_all([text], each.flag) for each, text in needed(options_class, option)}
    made = options_class(**values | {option.name: expected(options_class, option)})
    again = options_class.from_json(json.loads(json.dumps(made.as_json())))
    passed_on = not option.positional and option.panel is not Panel.OUTPUT
    assert getattr(again, option.name) == (getattr(made, option.name) if passed_on else option.default), name


def test_every_host_flag_is_declared() -> None:
    config = HostConfig("tso", "report", True, True, "fork", (), 2**30, ((1, 2),), 2)
    flags = {each.flag for each in host_arguments().values()}
    assert {word for word in config.words(2) if word.startswith("--")} <= flags


def test_surfaces_override_each_other_in_the_documented_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """default < pyproject < environment < comment < command line < token."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.linpoint]\nseed = 1\ncompiler-flags = ["-DA"]\n', encoding="utf-8")
    file = tmp_path / "test.cpp"
    file.write_text("// linpoint: --seed 3 -- -DC\n", encoding="utf-8")
    layers: list[Layer] = []
    assert merge_layers(TestOptions, layers).seed == 0
    layers = project_layers(TestOptions, "test")
    assert merge_layers(TestOptions, layers).seed == 1
    layers += environment_layers(TestOptions, {"LINPOINT_SEED": "2"})
    assert merge_layers(TestOptions, layers).seed == 2
    assert merge_layers(TestOptions, layers).for_file(str(file)).seed == 3
    layers.append(Layer(Surface.COMMAND_LINE, {"seed": 4, "flags": ("-DD",)}))
    merged = merge_layers(TestOptions, layers).for_file(str(file))
    assert (merged.seed, merged.flags) == (4, ("-DA", "-DC", "-DD"))
    assert merged.argv() == ["--seed", "4", "--", "-DD"]
    assert merge_layers(TestOptions, [Layer(Surface.TOKEN, {"seed": 5}), *merged.layers]).seed == 5
    assert sorted_flags(merged.compiler_flags).compiling[-3:] == ("-DA", "-DC", "-DD")


def test_the_table_of_the_command_overrides_the_general_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = '[tool.linpoint]\nbudget = "1m"\nheap = "free"\n[tool.linpoint.refine]\nbudget = 2.5\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    refine = merge_layers(RefineOptions, project_layers(RefineOptions, "refine"))
    assert (refine.budget, refine.heap) == (2.5, "free")
    assert merge_layers(TestOptions, project_layers(TestOptions, "test")).budget == "1m"


def test_fields_of_a_group_replace_each_other(tmp_path: Path) -> None:
    file = tmp_path / "test.cpp"
    file.write_text('// linpoint: --scenario "get(1)" --before "get(2)"\n', encoding="utf-8")
    assert CrashOptions().for_file(str(file)).before == "get(2)"
    lengthy = CrashOptions(operations=9).for_file(str(file))
    assert (lengthy.operations, lengthy.scenario, lengthy.before) == (9, None, "")
    other = TestOptions(scenario="push(1)").for_file(str(file))
    assert (other.scenario, other.before) == ("push(1)", "")


def test_defaults_that_do_not_apply_are_ignored() -> None:
    """A project may set options for C++ although a test is in Python."""
    layer = Layer(Surface.TOML, {"races": "report", "erratic": True, "instances": 3})
    options = merge_layers(TestOptions, [layer])
    options.check_language("python")
    assert (options.races, options.erratic) == ("report", True)
    assert TestOptions.from_json(options.as_json()) == options
    assert options.argv() == []
