# SPDX-License-Identifier: Apache-2.0
"""The host, which runs C++ targets under control: built once per compiler from the shipped sources.

So a target meets a runtime built by the same compiler with the same standard library, which no shipped binary could
guarantee.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from linpoint.errors import TestError
from linpoint.processes.command_runner import run, run_commands
from linpoint.targets.build_cache import build_lock, building, digest, lookup, store
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import Compiler

_KIND: Final = "hosts"
_FLAGS: Final = ("-std=c++20", "-O2", "-fno-omit-frame-pointer")
_PACKAGE: Final = Path(__file__).resolve().parents[1]
_PARTS: Final = ("host", "src/explore", "src/memory_models", "src/persistency")
"""Directories of sources in which each file is compiled."""
_HEADERS: Final = ("include/linpoint/explore", "include/linpoint/memory_models", "include/linpoint/persistency")


def native_sources() -> Path:
    """The directory of the shipped sources: in the package, or next to it in a checkout."""
    for directory in (_PACKAGE / "native", _PACKAGE.parents[1] / "native"):
        if (directory / "host").is_dir():
            return directory
    raise TestError(
        "LP-T035",
        "the sources of the host are missing.",
        place=str(_PACKAGE),
        remedy="Reinstall linpoint.",
    )


def sdk() -> Path:
    """The directory of the headers that a user's program may include."""
    return native_sources() / "sdk" / "include"


def cmake_dir() -> Path:
    """The directory of the CMake package, for ``linpoint_DIR``."""
    return native_sources() / "sdk" / "lib" / "cmake" / "linpoint"


def find_host(compiler: Compiler, *, report_progress: Callable[[str], None] = lambda _: None) -> Path:
    """The host for targets of a compiler, built if it is not in the cache."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ("x86_64", "AMD64"):
        raise TestError(
            "LP-T035",
            f"C++ programs are explored on x86-64 Linux, not on {sys.platform} with {machine}.",
            remedy="Use an x86-64 Linux machine or container.",
        )
    native = native_sources()
    sources = sorted(path for part in _PARTS for path in (native / part).rglob("*.cpp"))
    name = digest([compiler.identity, *_FLAGS, *_contents(native)])
    found = lookup(_KIND, name)
    if found is None:
        with build_lock(_KIND, name):
            found = lookup(_KIND, name) or _build(native, sources, compiler, name, report_progress)
    return found / "host"


def _contents(native: Path) -> list[str | bytes]:
    """All inputs of the host, with their names."""
    directories = [native / part for part in (*_PARTS, *_HEADERS)]
    files = sorted(path for directory in directories for path in directory.rglob("*") if path.is_file())
    files += [path for path in [native / "src" / "hashing.hpp"] if path.is_file()]
    parts: list[str | bytes] = []
    for path in files:
        parts += [str(path.relative_to(native)), path.read_bytes()]
    return parts


def _build(
    native: Path, sources: list[Path], compiler: Compiler, name: str, report_progress: Callable[[str], None]
) -> Path:
    report_progress(f"building the host with {compiler.name}, once")
    include = [f"-I{native / part}" for part in ("", "include", "src")]
    with building(_KIND) as directory:
        objects = [str(directory / f"{number}.o") for number in range(len(sources))]
        pairs = zip(sources, objects, strict=True)
        made = run_commands([[*compiler.words, *_FLAGS, *include, "-c", str(each), "-o", to] for each, to in pairs])
        if not any(each.code for each in made):
            made = [run([*compiler.words, "-rdynamic", "-o", str(directory / "host"), *objects, "-ldl", "-lpthread"])]
        wrong = b"".join(each.output for each in made if each.code)
        if wrong:
            raise BuildError(
                "LP-T035",
                f"{compiler.name} ({compiler.version}) cannot build the host.",
                wrong,
                remedy="Use a compiler with C++20 support (g++ 11, clang 14, or newer): set --compiler.",
            )
        for each in objects:
            Path(each).unlink()
        return store(directory, _KIND, name)
