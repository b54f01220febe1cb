# SPDX-License-Identifier: Apache-2.0
"""The door through which pytest finds linpoint, light enough to stand open in every run.

pytest loads this module wherever linpoint is installed, so it imports nothing of linpoint until a class derived from
``linpoint.ConcurrentTest`` or a file ``*_linpoint.cpp`` is collected, or one of the options here is used. Everything else
is in ``linpoint.pytest_plugin`` and ``linpoint.pytest_plugin.cpp_items``. It lies outside of the package because importing a part of one imports the whole.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest

OPTIONS: Final = {
    "budget": ("TIME", "the time for each test, such as 10s or 2m (default: 30s)"),
    "seed": ("N", "for the scenarios that are generated"),
    "threads": ("N", "at most so many threads, whatever the test says"),
    "operations": ("N", "at most so many operations in each thread"),
    "replay": ("TOKEN", "run one test with the schedule of a finding, and nothing else"),
    "report": ("DIR", "write a page, the text and JSON of each failure into this folder"),
}
CPP: Final = ("_linpoint.cpp", "_linpoint.cc", "_linpoint.cxx")
"""How the names of files of tests in C++ end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options ``--linpoint-...``."""
    group = parser.getgroup("linpoint", "concurrent objects under every schedule (linpoint)")
    for name, (metavar, text) in OPTIONS.items():
        kind = int if name in ("seed", "threads", "operations") else str
        group.addoption(f"--linpoint-{name}", metavar=metavar, help=text, type=kind, default=None)
    parser.addini("linpoint_budget", "the time for each test of linpoint, such as 10s or 2m", default="")


def pytest_configure(config: pytest.Config) -> None:
    """What is wrong with an option is said before anything is collected."""
    if used(config):
        _plugin(config).check_options(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """The options that are used; nothing in all other runs."""
    shown = {name: value for name, value in used(config).items() if name != "replay"} | (
        {"replay": "one schedule"} if "replay" in used(config) else {}
    )
    return [f"linpoint: {', '.join(f'{name} {value}' for name, value in shown.items())}"] if shown else []


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    """Files of tests in C++."""
    if not file_path.name.endswith(CPP):
        return None
    _plugin(parent.config)
    from linpoint.pytest_plugin.cpp_items import CppFile  # noqa: PLC0415 - this import is what is put off

    return CppFile.from_parent(parent, path=file_path)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """Classes derived from ``linpoint.ConcurrentTest``; who has not imported linpoint has none."""
    linpoint = sys.modules.get("linpoint")
    base = getattr(linpoint, "ConcurrentTest", None)
    if base is None:
        return None
    if isinstance(obj, type) and issubclass(obj, base):
        return _plugin(collector.config).collect(collector, name, obj)
    # An operation may be called test_and_set; only the tests of a class are pytest's.
    return [] if hasattr(obj, "__linpoint_operation__") and isinstance(collector, pytest.Class) else None


def used(config: pytest.Config) -> dict[str, Any]:
    """The options that were given on the command line."""
    found = {name: config.getoption(f"--linpoint-{name}") for name in OPTIONS}
    return {name: value for name, value in found.items() if value is not None}


def _plugin(config: pytest.Config) -> Any:
    from linpoint import pytest_plugin  # noqa: PLC0415 - this import is what is put off

    if not config.pluginmanager.is_registered(pytest_plugin):
        config.pluginmanager.register(pytest_plugin, "linpoint-tests")
    return pytest_plugin
