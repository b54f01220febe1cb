# SPDX-License-Identifier: Apache-2.0
"""C++ programs under control, for tests: the one place that knows how they and the host are built and run."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(__file__).parent / "programs"
COMPILERS = ("g++", "clang++")

_NATIVE = ROOT / "native"
_BUILT = ROOT / "build" / "explore-cpp"
_INCLUDES = ("include", "src", "runtime", "sdk/include")
_HOST_FLAGS = ("-std=c++20", "-O2", "-rdynamic", *(f"-I{_NATIVE / each}" for each in _INCLUDES))
_HOOKS = ("-g", "-Wno-tsan", "-fPIC", "-fsanitize=thread", "-fno-gnu-unique", "-fno-omit-frame-pointer")
_COMPILER_HOOKS = {
    "g++": ("--param", "tsan-distinguish-volatile=1"),
    "clang++": ("-mllvm", "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-read-before-write=1"),
}
_LINKING = ("-shared", "-Wl,-z,now", "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset")
_PATIENCE = 30.0
"""Seconds that the host may take beyond those it was given, on a busy machine."""


@dataclass(frozen=True)
class Told:
    """What the host said at its end; ``ended`` is ``died`` or ``killed`` if it said nothing."""

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
    trace: dict[str, Any] | None = None

    @property
    def kind(self) -> str | None:
        """Of what was found."""
        return self.finding["kind"] if self.finding is not None else None

    @property
    def holds(self) -> bool:
        """Whether every schedule was seen, and nothing found in any."""
        return self.exhaustive and self.finding is None and self.ended == "exhausted"


def explore(target: Path, *arguments: str, **options: Any) -> Told:
    """Run the host: ``memory_model="tso"`` is ``--memory-model tso``, and ``outcomes=True`` is ``--outcomes``."""
    options.setdefault("seconds", 60)
    command = [str(host()), str(target)]
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
        return Told("killed", f"nothing was said in {options['seconds']} s")
    last = done.stdout.splitlines()[-1:] if done.returncode == 0 else []
    if not last or not last[0].startswith('{"result"'):
        return Told("died", f"exit code {done.returncode}: {done.stderr[-500:]}")
    said = json.loads(last[0])["result"]
    known = {name: said[name] for name in Told.__dataclass_fields__ if said.get(name) is not None}
    return Told(**known)


def built(source: str, *flags: str, compiler: str = "g++") -> Path:
    """The target made of a source beneath ``programs``, by ``-std=c++20 -O1`` if nothing else is said."""
    needed(compiler)
    return _built(source, flags, compiler)


@functools.cache
def _built(source: str, flags: tuple[str, ...], compiler: str) -> Path:
    path = PROGRAMS / source
    flags = flags if any(flag.startswith("-O") for flag in flags) else ("-O1", *flags)
    compiling = [compiler, "-std=c++20", *flags, *_HOOKS, *_COMPILER_HOOKS[compiler], f"-I{_NATIVE / 'sdk/include'}"]
    made = _BUILT / f"{path.stem}-{_digest(compiling, [path])}.so"
    if not made.exists():
        _BUILT.mkdir(parents=True, exist_ok=True)
        object_file = made.with_suffix(f".{os.getpid()}.o")
        _run([*compiling, "-c", str(path), "-o", str(object_file)])
        _make(made, [compiler, str(object_file), *_LINKING])
        object_file.unlink()
    return made


@functools.cache
def host() -> Path:
    """Built once for each state of its sources."""
    needed("g++")
    if not (_NATIVE / "runtime").is_dir():
        pytest.skip("the host is not here")
    folders = ("runtime", "src/explore", "src/memory")
    sources = sorted(path for folder in folders for path in (_NATIVE / folder).glob("*.cpp"))
    headers = sorted(path for folder in (*folders, "include") for path in (_NATIVE / folder).rglob("*.hpp"))
    assembly = sorted((_NATIVE / "runtime").glob("*.S"))
    command = ["g++", *_HOST_FLAGS, *map(str, sources), *map(str, assembly), "-ldl", "-lpthread"]
    made = _BUILT / f"host-{_digest(command, [*sources, *assembly, *headers])}"
    if not made.exists():
        _BUILT.mkdir(parents=True, exist_ok=True)
        _make(made, command)
    return made


def needed(compiler: str) -> None:
    """Skip where there is no such compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")


def _make(made: Path, command: list[str]) -> None:
    """Others may make the same at the same time: each does so under a name of its own."""
    own = made.with_name(f"{made.name}.{os.getpid()}")
    _run([*command, "-o", str(own)])
    own.replace(made)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _digest(command: list[str], files: list[Path]) -> str:
    digest = hashlib.sha256("\0".join(command).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
