# SPDX-License-Identifier: Apache-2.0
"""Verdicts of a naive enumerator of crashes, which shares only the checker that knows nothing but the definition.

The structure is compiled unchanged, without hooks, and run one instruction at a time (``naive/stepping.hpp``). Every
image that a crash can leave is recovered and probed in a process of its own (``naive/enumerating.hpp``). The results
form a history with a crash, which brute force decides.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import linpoint
from linpoint.scenarios.scenario import Call
from linpoint.scenarios.scenario_text import parse_calls
from tests.crash.zoo_twins import ZOO, Twin

_NAIVE = Path(__file__).parent / "naive"
_FLAGS = ["-O1", "-g0", "-fno-store-merging", "-fno-tree-vectorize", "-Wno-unused"]
_INNER = {"mwcas": "std::array<int, 3>", "txn": "NaiveTested::Step"}
"""The C++ type of the elements of a list argument."""


def enumerator(twin: Twin, workloads: Sequence[str], probes: Sequence[str], folder: Path) -> Path:
    """A program that enumerates the crashes of the workload with a given number."""
    source = folder / f"{twin}.cpp"
    source.write_text(_driver(twin, workloads, probes), encoding="utf-8")
    objects = []
    for name in twin.sources:
        objects.append(str(folder / f"{twin}.{name}.o"))
        _run(["cc", *_FLAGS, f"-D{twin.bug or 'WHOLE'}", "-c", str(ZOO / name), "-o", objects[-1]])
    program = folder / str(twin)
    words = ["c++", "-std=c++20", *_FLAGS, f"-D{twin.bug or 'WHOLE'}", f"-I{_NAIVE}", f"-I{ZOO}"]
    _run([*words, str(source), *objects, "-o", str(program)])
    return program


def verdict_of(program: Path, number: int, twin: Twin, workload: str, probes: str) -> tuple[str, int]:
    """``holds`` or ``violation``, and the number of different outcomes."""
    told = _run([str(program), str(number)]).splitlines()
    results, outcomes = json.loads(told[0]), [json.loads(line) for line in told[1:]]
    calls, asked = calls_of(workload), calls_of(probes)
    right = all(_is_right(twin.spec, calls, results, asked, each) for each in outcomes)
    return "holds" if right else "violation", len(outcomes)


def calls_of(text: str) -> list[Call]:
    """The calls in a text."""
    return [Call(name, args) for name, args in parse_calls(text, "test")]


def _is_right(spec: str, calls: Sequence[Call], results: Sequence[Any], probes: Sequence[Call], seen: Any) -> bool:
    if isinstance(seen["seen"], str):
        return False  # recovery or a probe crashed or hung
    lines: list[dict[str, Any]] = []
    done = seen["completed"]
    for at, (call, result) in enumerate(zip(calls[:done], results, strict=False)):
        lines.append(_line(call, 2 * at, 2 * at + 1, result))
    if seen["open"] >= 0:
        lines.append(_line(calls[seen["open"]], 2 * done, None, None))
    crash = 2 * len(calls) + 2
    lines.append({"crash": True, "time": crash})
    for at, (call, result) in enumerate(zip(probes, seen["seen"], strict=True)):
        lines.append(_line(call, crash + 2 * at + 1, crash + 2 * at + 2, result))
    verdict = linpoint.check(linpoint.history(lines), spec, checker="brute-force", condition="strict")
    assert verdict.status is not linpoint.Status.UNKNOWN, verdict.why
    return verdict.status is linpoint.Status.LINEARIZABLE


def _line(call: Call, begin: int, end: int | None, result: Any) -> dict[str, Any]:
    args = json.loads(json.dumps(call.args))
    return {"process": 0, "op": call.operation, "args": args, "call": begin, "return": end, "result": result}


def _driver(twin: Twin, workloads: Sequence[str], probes: Sequence[str]) -> str:
    lines = ["// SPDX-License-Identifier: Apache-2.0", f'#include "{twin.file}"', '#include "enumerating.hpp"']
    lines.append("int main(int, char** words) {")
    lines.append("  const int number = std::atoi(words[1]);")
    lines.append("  naive::Enumerator<NaiveTested> all;")
    for at, (workload, asked) in enumerate(zip(workloads, probes, strict=True)):
        lines.append(f"  if (number == {at}) return all.run({_calls(workload)}, {_calls(asked)});")
    return "\n".join([*lines, "  return 2;", "}", ""])


def _calls(text: str) -> str:
    made = (
        f"[](NaiveTested& o) {{ return naive::result_of([&] {{ return o.{call.operation}({_arguments(call)}); }}); }}"
        for call in calls_of(text)
    )
    return "{" + ",\n    ".join(made) + "}"


def _arguments(call: Call) -> str:
    return ", ".join(_value(each, _INNER.get(call.operation, "")) for each in call.args)


def _value(value: Any, inner: str) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join((inner if isinstance(each, tuple) else "") + _value(each, "") for each in value) + "}"
    return "std::nullopt" if value is None else json.dumps(value)


def _run(words: Sequence[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout
