# SPDX-License-Identifier: Apache-2.0
"""The options ``--linpoint-...`` of pytest: their names, and the options of a run that they are merged into.

``_linpoint_pytest.option_table`` is generated from here by ``tools/generate_option_table.py``, since the part that pytest
loads must not import linpoint.
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
    """A row of the table."""

    metavar: str
    help: str
    is_number: bool


OWN_OPTIONS: Final = {
    "replay": PytestOption("TOKEN", "Run one test with the schedule of a finding, and nothing else.", False),
    "report": PytestOption("DIR", "Write a page, the text and JSON of each failure into this directory.", False),
}
"""Options that only pytest has."""
_HELP: Final = {"budget": "Time for each test, such as 10s or 2m (default 30s)."}
"""Where pytest means something else: each test has the budget of a command."""


def pytest_options() -> dict[str, PytestOption]:
    """All options by name, without the prefix."""
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
    """The options of a run of pytest: of the project, the environment, pytest's own file and its command line."""
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
