# SPDX-License-Identifier: Apache-2.0
"""Settings shared by all tests.

Tests interrupt the commands that they start. A shell makes its background processes ignore interrupts, and all
processes started from there would inherit that.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from linpoint.judging import spec_judge
from tests.command_server import COMMAND, Server, environment
from tests.volume import SEED, seed_numbers, share, volume

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore_glob = ["*_linpoint.cpp"]
"""Subjects of tests, some of them deliberately broken: linpoint's plugin must not collect them."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set the volume before tests are imported, and seed Hypothesis like other random tests."""
    if config.option.markexpr == "long":
        os.environ.setdefault("TEST_VOLUME", "1")
        spec_judge.PASSES_PER_CERTIFICATE = 1
    hypothesis.settings.register_profile("day", max_examples=volume(100), deadline=None)
    hypothesis.settings.register_profile("long", max_examples=100, deadline=None)
    hypothesis.settings.load_profile("long" if share() >= 1 else "day")
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(seed_numbers(1, "hypothesis").start)


def pytest_report_header() -> str:
    """How to repeat the random tests of this run."""
    return f"random tests: TEST_SEED={SEED} TEST_VOLUME={share():g}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """At full volume, add tests with a scaled volume to the long lane."""
    if share() >= 1:
        for item in items:
            if item.get_closest_marker("random") is not None:
                item.add_marker("long")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Runs the command where its start does not matter; closed before other tests look for processes."""
    server = Server(COMMAND, environment(tmp_path_factory.mktemp("home")))
    yield server
    server.close()


@pytest.fixture
def linpoint_command(server: Server, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """``linpoint_command("check", ...)`` runs the command in ``tmp_path``."""

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        code, out, err = server.run(args, folder=tmp_path, environment=environment(tmp_path))
        return subprocess.CompletedProcess(["linpoint", *args], code, out.decode(), err.decode())

    return run
