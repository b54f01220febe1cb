# SPDX-License-Identifier: Apache-2.0
"""Porcupine's own histories: Jepsen logs of etcd, a CAS register, and logs of a key-value store.

A failed CAS can be interpreted in two ways. For Jepsen, and so for linpoint, ``:fail`` means that the operation had no
effect, and does not report what it observed: it is left out. Porcupine's own tests treat it as an observation: the
value was not the expected one. Here both tools answer both questions: ``etcd`` is the logs as they are,
``etcd-observed`` the same with failed CAS as observations, rewritten as operation lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_EVENT: Final = re.compile(r"jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.*)")


def files(data: Path) -> tuple[list[Path], list[Path]]:
    """The logs of etcd and of the key-value store in Porcupine's directory, or a similar one; without empty files."""
    found = [
        sorted(path for path in folder.glob(pattern) if path.stat().st_size)
        for folder, pattern in ((data / "jepsen", "etcd_*.log"), (data / "kv", "*.txt"))
    ]
    return found[0], found[1]


def observed_lines(log: Path) -> Iterator[str]:
    """A Jepsen log of a CAS register as operation lines; a failed CAS is one that observed another value.

    The line number is the time, since only the order of a log matters.
    """
    open_calls: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(log.read_text(encoding="utf-8").splitlines(), 1):
        match = _EVENT.search(line)
        if match is None:
            continue
        process, kind, op, value = match.groups()
        if kind == "invoke":
            args = [int(text) for text in re.findall(r"-?\d+", value)]
            open_calls[process] = {"process": int(process), "op": op, "args": args, "call": number, "return": None}
            continue
        call = open_calls.pop(process)
        if kind == "info":
            yield json.dumps(call)
        elif kind == "ok" or op == "cas":  # a failed read shows nothing
            results = {"read": None if value.strip() == "nil" else value, "cas": kind == "ok", "write": None}
            result = results[op]
            yield json.dumps({**call, "return": number, "result": int(result) if isinstance(result, str) else result})
    for call in open_calls.values():
        yield json.dumps(call)
