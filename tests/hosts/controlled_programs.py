# SPDX-License-Identifier: Apache-2.0
"""Controlled C++ programs for tests: the only module that knows how they and the host are built and run."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, build_target

PROGRAMS = Path(__file__).parent / "programs"
COMPILERS = ("g++", "clang++")

_PATIENCE = 600.0
"""Seconds beyond its budget after which the host is considered to hang, even on a busy machine."""


@dataclass(frozen=True)
class Target:
    """A built program, and the host for it."""

    library: Path
    host: Path


@dataclass(frozen=True)
class ExplorationOutcome:
    """The last message of the host; ``ended`` is ``died`` or ``killed`` if it sent none."""

    ended: str
    reason: str | None = None
    exhaustive: bool = False
    schedules: int = 0
    redundant: int = 0
    steps: int = 0
    cut: int = 0
    completed: int = -1
    diverged_at: int | None = None
    qualified: list[str] = field(default_factory=list)
    outcomes: dict[str, int] = field(default_factory=dict)
    finding: dict[str, Any] | None = None
    races: list[dict[str, Any]] = field(default_factory=list)
    trace: dict[str, Any] | None = None

    @property
    def kind(self) -> str | None:
        """The kind of the finding."""
        return self.finding["kind"] if self.finding is not None else None

    @property
    def holds(self) -> bool:
        """Whether every schedule was explored, without a finding."""
        return self.exhaustive and self.finding is None and self.ended == "exhausted"


def explore(target: Target, *arguments: str, **options: Any) -> ExplorationOutcome:
    """Run the host: ``memory_model="tso"`` is ``--memory-model tso``, and ``outcomes=True`` is ``--outcomes``."""
    options.setdefault("seconds", 60)
    command = [str(target.host), str(target.library)]
    for name, value in options.items():
        if value is not False:
            command.append(f"--{name.replace('_', '-')}")
            command.extend([] if value is True else [str(value)])
    command += ["--", *arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=float(options["seconds"]) + _PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ExplorationOutcome("killed", f"nothing was said in {options['seconds']} s")
    last = done.stdout.splitlines()[-1:] if done.returncode == 0 else []
    if not last or not last[0].startswith('{"result"'):
        return ExplorationOutcome("died", f"exit code {done.returncode}: {done.stderr[-500:]}")
    said = json.loads(last[0])["result"]
    known = {name: said[name] for name in ExplorationOutcome.__dataclass_fields__ if said.get(name) is not None}
    return ExplorationOutcome(**known)


@functools.cache
def built(source: str, *flags: str, compiler: str = "g++") -> Target:
    """The target built from a source in ``programs``, with ``-std=c++20 -O1`` by default."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    found = find_compiler(compiler)
    target = build_target(BuildRecipe((str(PROGRAMS / source),), flags, found))
    assert not target.contents.unseen
    return Target(target.library, find_host(found))
