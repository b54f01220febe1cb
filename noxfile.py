# SPDX-License-Identifier: Apache-2.0
"""Sessions beneath the Makefile. They run in the environment that `make setup` made, but for `versions`."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nox

nox.options.sessions = ["native", "test", "lint", "docs"]
nox.options.error_on_missing_interpreters = False

# The environment that holds nox holds every tool; nothing else on the machine's path may stand in for them.
# Interpreters that pyenv keeps are found by their own folders: its shims answer for the chosen version alone.
PYENV = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"))
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), *map(str, PYENV), os.environ.get("PATH", "")])

NATIVE = sorted(str(path) for path in Path("native").rglob("*.[ch]pp"))
EXAMPLES = sorted(str(path) for path in Path("examples").rglob("*.[ch]pp"))


# Tests wait for their processes a quarter of the time, so there are more of them than cores.
PYTEST = ["python", "-m", "pytest", "-n", str(2 * (os.cpu_count() or 1)), "--dist", "worksteal"]

# The extension is built by the compiler of Python. Under the same name, ccache has the objects of the core already.
COMPILER = {"CXX": (sysconfig.get_config_var("CXX") or "c++").split()[0]}


def _cmake(session: nox.Session, preset: str) -> None:
    """Build and run the native tests of a preset."""
    session.chdir("native")
    session.run("cmake", "--preset", preset, "--log-level=WARNING", env=COMPILER, external=True, silent=True)
    cores = str(os.cpu_count() or 2)
    session.run("cmake", "--build", "--preset", preset, "--parallel", cores, external=True, silent=True)
    session.run("ctest", "--preset", preset, "--parallel", cores, external=True)
    session.chdir("..")


@nox.session(venv_backend="none")
def native(session: nox.Session) -> None:
    """The native core's own tests."""
    _cmake(session, "release")


@nox.session(venv_backend="none")
def test(session: nox.Session) -> None:
    """The tests, but for the long lane."""
    session.run("python", "-m", "compileall", "-q", "src")  # else each of a thousand commands compiles it again
    session.run(*PYTEST, *session.posargs)


@nox.session(venv_backend="none")
def long(session: nox.Session) -> None:
    """A million random histories, a million random programs, and ten minutes of fuzzing."""
    _cmake(session, "release")
    session.run("build/release/dpor_reduction_test", "1", "1000000", external=True)
    session.run("build/release/shared_search_test", "1", "500000", external=True)
    session.run("build/release/persistency_test", "1", "500000", external=True)
    session.run(*PYTEST, "-m", "long", *session.posargs)


@nox.session(venv_backend="none")
def sanitize(session: nox.Session) -> None:
    """The native tests with address, undefined-behaviour and thread sanitizers."""
    for preset in ("asan", "tsan"):
        _cmake(session, preset)


@nox.session(venv_backend="none")
def fuzz(session: nox.Session) -> None:
    """Coverage-guided fuzzing of every reader, a minute each unless told otherwise; needs clang and atheris."""
    session.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--group", "fuzz")
    session.run("python", "-m", "tools.fuzz", *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13"], name="versions")
def versions(session: nox.Session) -> None:
    """The tests on every supported version of Python that is installed."""
    session.install("--group", "test", "mypy", "sphinx", "myst-parser", "furo")
    session.install(".")
    session.run(*PYTEST, *session.posargs)


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """Style, spelling, plain English, types, import contract, C++ format; C++ lint of sources that changed since they passed."""
    commands = [
        ["mypy"],
        ["python", "-m", "tools.clang_tidy", "--changed"],
        ["clang-format", "--dry-run", "-Werror", *NATIVE, *EXAMPLES],
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["lint-imports", "--no-cache"],
        ["codespell"],
        ["python", "-m", "tools.plain_english"],
    ]
    _side_by_side(session, commands)


@nox.session(venv_backend="none")
def analyze(session: nox.Session) -> None:
    """C++ lint of everything, with clang's analyzer, which follows every path and takes ten times as long as the rest."""
    session.run("python", "-m", "tools.clang_tidy")


def _side_by_side(session: nox.Session, commands: list[list[str]]) -> None:
    """Run commands of which each takes one core."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda command: session.run(*command, silent=True), commands))


@nox.session(venv_backend="none", name="format")
def format_(session: nox.Session) -> None:
    """Format Python and C++."""
    session.run("ruff", "check", "--fix", ".")
    session.run("ruff", "format", ".")
    session.run("clang-format", "-i", *NATIVE, *EXAMPLES)


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """The documentation, with warnings as errors, and pictures of the walks. Its blocks are executed by the tests."""
    shutil.rmtree("docs/_build", ignore_errors=True)
    session.run("python", "-m", "tools.walks", "docs/_build/walks", silent=True)
    session.run("python", "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html")
    session.log("open docs/_build/html/index.html; for contributors docs/_build/walks/index.html")


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """Benchmarks; ratios, never gates."""
    session.run("python", "-m", "benchmarks", *session.posargs)
