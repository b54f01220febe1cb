# SPDX-License-Identifier: Apache-2.0
"""Runs commands and records their output, with the stable parts separate from the volatile ones.

Seconds, memory and rates are volatile: in JSON by their key, in texts by their unit. They are replaced by a placeholder
in the record and kept under ``volatile``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tools.baseline.cases import Case

_VOLATILE_KEYS: Final = {"seconds", "peak_memory_bytes", "bytes_per_state", "crash_tests_a_second"}
_VOLATILE_TEXT: Final = re.compile(r"\b\d+(?:\.\d+)?(?:e[-+]?\d+)? ?(?:s|ms|us|µs|min|KB|MB|GB|KiB|MiB|GiB)\b(?!/)")
_TIMEOUT_S: Final = 900


def run_cases(linpoint: Path, directory: Path, cases: Sequence[Case], parallel: int = 1) -> dict[str, Any]:
    """The record of all cases. Cases that use the token or document of another one run after all others."""
    runner = _Runner(linpoint.absolute(), directory)
    first, then = [each for each in cases if not each.after], [each for each in cases if each.after]
    started = time.monotonic(), sum(os.times()[2:4])
    for group in (first, then):
        with ThreadPoolExecutor(parallel) as pool:
            list(pool.map(runner.run, group))
    wall, cpu = time.monotonic() - started[0], sum(os.times()[2:4]) - started[1]
    names = [each.name for each in cases]
    return {
        "cases": {name: runner.records[name] for name in names if name in runner.records},
        "volatile": {
            "linpoint": str(linpoint),
            "wall_seconds": round(wall, 1),
            "cpu_seconds": round(cpu, 1),
            "values": {name: runner.volatile[name] for name in names if runner.volatile.get(name)},
        },
    }


class _Runner:
    def __init__(self, linpoint: Path, directory: Path) -> None:
        self._linpoint, self._directory = linpoint, directory
        self.records: dict[str, Any] = {}
        self.volatile: dict[str, dict[str, Any]] = {}
        self._printed: dict[str, str] = {}
        """The output of each case, for the cases that use it."""

    def run(self, case: Case) -> None:
        argv = self._argv(case)
        if argv is None:
            self.records[case.name] = {"skipped": f"no token in {case.after}"}
            return
        done = subprocess.run(
            [str(self._linpoint), *argv],
            cwd=self._directory,
            env={**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
        self._printed[case.name] = done.stdout
        self.volatile[case.name] = volatile = {}
        record: dict[str, Any] = {"argv": list(case.argv), "exit_code": done.returncode}
        if case.keeps == "nothing":
            volatile["stdout"] = done.stdout
        else:
            record["stdout"] = self._stdout(done.stdout, volatile)
            record["stderr"] = self._text(done.stderr, "stderr", volatile).splitlines()
            for name in case.writes:
                text = (self._directory / name).read_text(encoding="utf-8")
                record[f"file {name}"] = self._stdout(text, volatile)
        self.records[case.name] = record

    def _argv(self, case: Case) -> list[str] | None:
        """The arguments, with the token or the document of another case in its place; None if it has no token."""
        if not case.after:
            return list(case.argv)
        printed = self._printed.get(case.after, "")
        if "TOKEN" in case.argv:
            found = re.search(r"\blp1-[\w-]+", printed)
            return None if found is None else [found.group() if each == "TOKEN" else each for each in case.argv]
        document = f"{case.name.replace('/', '-')}.json"  # a separate file, since cases run in parallel
        (self._directory / document).write_text(printed, encoding="utf-8")
        return [document if each == "DOCUMENT" else each for each in case.argv]

    def _stdout(self, text: str, volatile: dict[str, Any]) -> Any:
        try:
            document = json.loads(text)
        except ValueError:
            return self._text(text, "stdout", volatile).splitlines()
        return self._stable(document, "stdout", volatile)

    def _stable(self, value: Any, path: str, volatile: dict[str, Any]) -> Any:
        if isinstance(value, dict):
            return {key: self._entry(key, each, f"{path}.{key}", volatile) for key, each in value.items()}
        if isinstance(value, list):
            return [self._stable(each, f"{path}[{number}]", volatile) for number, each in enumerate(value)]
        return self._text(value, path, volatile) if isinstance(value, str) else value

    def _entry(self, key: str, value: Any, path: str, volatile: dict[str, Any]) -> Any:
        if key in _VOLATILE_KEYS and isinstance(value, int | float):
            volatile[path] = value
            return "<volatile>"
        return self._stable(value, path, volatile)

    def _text(self, text: str, path: str, volatile: dict[str, Any]) -> str:
        text = text.replace(str(self._directory), "<directory>")
        found = _VOLATILE_TEXT.findall(text)
        if found:
            volatile[path] = found
        return _VOLATILE_TEXT.sub("<volatile>", text)
