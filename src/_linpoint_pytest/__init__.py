# SPDX-License-Identifier: Apache-2.0
"""The entry point of linpoint's pytest plugin, which is cheap enough to be loaded in every run.

pytest loads this module wherever linpoint is installed. It imports nothing of linpoint until pytest collects a class
derived from ``linpoint.ConcurrentTest`` or a file ``*_linpoint.cpp``, or until one of the options below is used. The
rest of the plugin is in ``linpoint.pytest_plugin`` and ``linpoint.pytest_plugin.cpp_items``. The module lies outside
the package because importing a part of a package imports the whole package.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest

from _linpoint_pytest.option_table import OPTIONS

_PREFIX: Final = "--linpoint-"
CPP: Final = ("_linpoint.cpp", "_linpoint.cc", "_linpoint.cxx")
"""The endings of the names of C++ test files."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--linpoint-...``."""
    group = parser.getgroup("linpoint", "linpoint: tests of concurrent objects under every schedule")
    for name, (metavar, text, is_number) in OPTIONS.items():
        kind = int if is_number else str
        group.addoption(f"--linpoint-{name}", metavar=metavar, help=text, type=kind, default=None)
    parser.addini("linpoint_budget", "time limit of each linpoint test, such as 10s or 2m (default 30s)", default="")


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Propose the nearest option for a misspelt one, before pytest rejects it."""
    words = args[: args.index("--")] if "--" in args else args
    for word in words:
        flag = word.partition("=")[0]
        if flag.startswith(_PREFIX) and flag.removeprefix(_PREFIX) not in OPTIONS:
            import difflib  # noqa: PLC0415 - needed only after a mistake

            near = difflib.get_close_matches(flag.removeprefix(_PREFIX), OPTIONS, n=1)
            hint = f"Did you mean {_PREFIX}{near[0]}? " if near else ""
            known = ", ".join(f"{_PREFIX}{name}" for name in OPTIONS)
            raise pytest.UsageError(f"LP-U001: unknown option {flag}. {hint}Use one of: {known}.")


def pytest_configure(config: pytest.Config) -> None:
    """Report invalid options before anything is collected."""
    if used(config):
        _plugin(config).check_options(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """The options of linpoint that are used; nothing in all other runs."""
    shown = {name: value for name, value in used(config).items() if name != "replay"} | (
        {"replay": "one schedule"} if "replay" in used(config) else {}
    )
    return [f"linpoint: {', '.join(f'{name} {value}' for name, value in shown.items())}"] if shown else []


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    """Collect files of C++ tests."""
    if not file_path.name.endswith(CPP):
        return None
    _plugin(parent.config)
    from linpoint.pytest_plugin.cpp_items import CppFile  # noqa: PLC0415 - imported as late as possible

    return CppFile.from_parent(parent, path=file_path)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """Collect classes derived from ``linpoint.ConcurrentTest``. A module that has not imported linpoint has none."""
    linpoint = sys.modules.get("linpoint")
    base = getattr(linpoint, "ConcurrentTest", None)
    if base is None:
        return None
    if isinstance(obj, type) and issubclass(obj, base):
        return _plugin(collector.config).collect(collector, name, obj)
    # An operation may be named test_and_set; pytest collects only the ordinary tests of a class.
    return [] if hasattr(obj, "__linpoint_operation__") and isinstance(collector, pytest.Class) else None


def used(config: pytest.Config) -> dict[str, Any]:
    """The options given on the command line."""
    found = {name: config.getoption(f"--linpoint-{name}") for name in OPTIONS}
    return {name: value for name, value in found.items() if value is not None}


def _plugin(config: pytest.Config) -> Any:
    from linpoint import pytest_plugin  # noqa: PLC0415 - imported as late as possible

    if not config.pluginmanager.is_registered(pytest_plugin):
        config.pluginmanager.register(pytest_plugin, "linpoint-tests")
    return pytest_plugin
