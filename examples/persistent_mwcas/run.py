# SPDX-License-Identifier: Apache-2.0
"""Builds the driver and runs it: ``python run.py --bug dirty-bit --log history.jsonl``.

The options are the driver's own; ``--build DIRECTORY`` before them keeps the program there instead of in a temporary
directory. ``CXX`` names another compiler. Tests and benchmarks import ``build``.
"""
# Run: python run.py --crashes 3 --log history.jsonl && linpoint check history.jsonl --spec mwcas
# Exit code: 0

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("driver.cpp")


class BuildError(Exception):
    """The driver could not be built."""


class NoCompilerError(BuildError):
    """There is no C++ compiler."""


def build(folder: Path, *, flags: Sequence[str] = ("-O2",)) -> Path:
    """Compile the driver into a directory, and return the program's path."""
    name = os.environ.get("CXX", "c++")
    compiler = shutil.which(name)
    if compiler is None:
        raise NoCompilerError(f"no C++ compiler: there is no {name} on the path; CXX can name another")
    program = folder.resolve() / "driver"
    command = [compiler, "-std=c++20", *flags, "-pthread", str(SOURCE), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{done.stderr}")
    return program


def main() -> int:
    arguments = sys.argv[1:]
    keep = None
    if arguments[:1] == ["--build"]:
        if len(arguments) == 1:
            sys.stderr.write("--build requires a directory\n")
            return 2
        keep = Path(arguments[1])
        arguments = arguments[2:]
        keep.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = build(keep or Path(folder))
            return subprocess.run([program, *arguments], check=False).returncode  # noqa: S603
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return 3


if __name__ == "__main__":
    sys.exit(main())
