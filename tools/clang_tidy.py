# SPDX-License-Identifier: Apache-2.0
"""clang-tidy for the C++ sources, with a record of the files that passed.

The record, ``build/clang-tidy.json``, has a digest for each source: of its text, of every header of the repository that
it includes, and of the configuration. With ``--changed`` only sources with a different digest are checked, and none if
no run was recorded; without it all sources are checked.

    python -m tools.clang_tidy             # all sources, with clang's analyzer: takes minutes
    python -m tools.clang_tidy --changed   # sources changed since they passed, without the analyzer
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
RECORD: Final = Path("build") / "clang-tidy.json"
COMPILE_COMMANDS: Final = Path("build") / "dev"

_INCLUDE: Final = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
_INCLUDE_DIRECTORIES: Final = ("native", "native/include", "native/src", "native/sdk/include")
_EXAMPLE_FLAGS: Final = ("-std=c++20", "-isystem", "native/sdk/include")
_ANALYZER_OFF: Final = "--checks=-clang-analyzer-*"


@dataclass(frozen=True, slots=True)
class Sources:
    """The C++ sources of a repository."""

    root: Path

    def files(self) -> list[str]:
        """All checked sources; the bindings are left out, since they need Python's headers."""
        native = (path for path in (self.root / "native").rglob("*.cpp") if "bindings" not in path.parts)
        examples = (self.root / "examples").rglob("*.cpp")
        return sorted(str(path.relative_to(self.root)) for path in (*native, *examples))

    def digest(self, file: str, configuration: str) -> str:
        """The digest of a source with all headers of the repository that it includes, directly or indirectly."""
        found = hashlib.sha256(configuration.encode())
        for each in sorted(self._with_headers(self.root / file)):
            found.update(f"{each.relative_to(self.root)}\0".encode())
            found.update(each.read_bytes())
        return found.hexdigest()

    def _with_headers(self, file: Path) -> set[Path]:
        seen, todo = {file}, [file]
        while todo:
            new = set(_included(todo.pop(), self.root)) - seen
            seen |= new
            todo += new
        return seen


@functools.cache
def _included(file: Path, root: Path) -> tuple[Path, ...]:
    directories = [file.parent, *(root / each for each in _INCLUDE_DIRECTORIES)]
    found = []
    for name in _INCLUDE.findall(file.read_text(encoding="utf-8")):
        candidates = (Path(os.path.normpath(directory / name)) for directory in directories)
        found += [path for path in candidates if path.is_file() and path.is_relative_to(root)][:1]
    return tuple(found)


def read_record(path: Path) -> dict[str, str] | None:
    """The digests of sources that passed; None if there is no record or the file is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write_record(path: Path, digests: dict[str, str]) -> None:
    """Replace the record atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(path)


def sources_to_check(digests: dict[str, str], record: dict[str, str] | None, *, changed: bool) -> list[str]:
    """All sources, or those that ``changed`` since they passed: none without a record."""
    if not changed:
        return list(digests)
    return [] if record is None else [file for file, digest in digests.items() if record.get(file) != digest]


def _configuration() -> str:
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    return version + (ROOT / ".clang-tidy").read_text(encoding="utf-8")


def _passes(file: str, options: Sequence[str]) -> bool:
    command = ["clang-tidy", "--quiet", *options]
    if file.startswith("examples/"):
        command += ["--header-filter=examples/.*", file, "--", *_EXAMPLE_FLAGS]
    else:
        command += ["-p", str(COMPILE_COMMANDS), file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="", end="", flush=True)
    return not done.returncode


def main() -> int:
    """Check and record; the exit code is 1 if there is any diagnostic."""
    parser = argparse.ArgumentParser(prog="python -m tools.clang_tidy", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--changed", action="store_true", help="only sources that changed since they passed")
    options = parser.parse_args()
    sources, configuration = Sources(ROOT), _configuration()
    digests = {file: sources.digest(file, configuration) for file in sources.files()}
    record = read_record(ROOT / RECORD)
    todo = sources_to_check(digests, record, changed=options.changed)
    if options.changed and record is None:
        print("clang-tidy: no run is recorded; `make test-long` checks all sources")
        return 0
    if todo:
        command = ["cmake", "--preset", "dev", "--log-level=WARNING"]
        subprocess.run(command, cwd=ROOT / "native", stdout=subprocess.DEVNULL, check=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda file: _passes(file, [_ANALYZER_OFF] if options.changed else []), todo))
    good = {file: digests[file] for file, well in zip(todo, passed, strict=True) if well}
    kept = {file: digest for file, digest in (record or {}).items() if file in digests and file not in todo}
    write_record(ROOT / RECORD, kept | good)
    print(f"clang-tidy: {len(good)} of {len(todo)} sources passed, {len(digests) - len(todo)} are unchanged")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
