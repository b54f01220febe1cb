# SPDX-License-Identifier: Apache-2.0
"""The options ``--linpoint-...`` of pytest, and how they are merged into the options of a run.

``tools/generate_option_table.py`` generates ``_linpoint_pytest.option_table`` from this module, since the part that
pytest loads must not import linpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from linpoint.options.commands.test import TestOptions
from linpoint.options.environment import environment_layers
from linpoint.options.layers import Layer
from linpoint.options.option_types import WholeNumber
from linpoint.options.options_base import merge_layers
from linpoint.options.project_file import project_layers
from linpoint.options.schema import Panel, Surface

if TYPE_CHECKING:
    import pytest

_PREFIX: Final = "--linpoint-"


class PytestOption(NamedTuple):
    """The metavar and the help of an option, and whether its value is a number."""

    metavar: str
    help: str
    is_number: bool


OWN_OPTIONS: Final = {
    "replay": PytestOption("TOKEN", "Replay one finding: run only its test, under its schedule.", False),
    "report": PytestOption(
        "DIR", "Write an HTML page, the text and the JSON of each failure to this directory.", False
    ),
}
"""Options that exist only for pytest."""
_HELP: Final = {"budget": "Time limit of each test, such as 10s or 2m (default 30s)."}
"""Help that differs for pytest: under pytest each test has the budget of a command."""


def pytest_options() -> dict[str, PytestOption]:
    """All options of pytest by name, without the prefix."""
    declared = [each for each in TestOptions.declared().values() if Surface.PYTEST in each.surfaces]
    declared.sort(key=lambda each: each.panel is not Panel.LIMITS)
    shared = {
        each.key: PytestOption(
            each.type.metavar, _HELP.get(each.key, each.help_text), isinstance(each.type, WholeNumber)
        )
        for each in declared
    }
    return shared | OWN_OPTIONS


def options_of(config: pytest.Config) -> TestOptions:
    """The options of a pytest run, merged from the project, the environment, pytest's own file and its command line."""
    ini = config.getini("linpoint_budget")
    values = {}
    for name, each in TestOptions.declared().items():
        if Surface.PYTEST in each.surfaces:
            value = config.getoption(f"{_PREFIX}{each.key}")
            if value is not None:
                values[name] = each.type.read(value, f"{_PREFIX}{each.key}")
    layers = [
        *project_layers(TestOptions, "test"),
        *([Layer(Surface.TOML, {"budget": ini})] if ini else []),
        *environment_layers(TestOptions),
        Layer(Surface.PYTEST, values),
    ]
    return merge_layers(TestOptions, layers)
