# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the host: an executable that follows the host protocol, with answers from a test."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from linpoint.hosts.host_message import PROTOCOL

_SCRIPT = """#!{python}
import json, os, signal, sys, time
words = sys.argv[1:]
fd = int(words[words.index("--results") + 1])
search = words[words.index("--search") + 1]
with open({asked!r}, "a") as log:
    log.write(json.dumps(words) + "\\n")
def say(**what):
    os.write(fd, json.dumps(what).encode() + b"\\n")
say(hello=dict(protocol={protocol}))
answers = json.loads({answers!r})
answer = answers.get(search) or answers[search.partition(":")[0]]
say(progress=dict(schedules=3, steps=30, depth=10, estimate=None))
do = answer.pop("do", None)
if do is not None:
    exec(do)
say(result=answer)
"""


def stand_in(folder: Path, **answers: dict[str, Any]) -> Path:
    """A host that answers searches by name (``bounded``, ``dpor``, ``replay``, ...) after running the code ``do``."""
    path = folder / "host"
    script = _SCRIPT.format(
        python=sys.executable, asked=str(folder / "asked"), answers=json.dumps(answers), protocol=PROTOCOL
    )
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


def asked(folder: Path) -> list[list[str]]:
    """The command lines of all starts of the stand-in."""
    return [json.loads(line) for line in (folder / "asked").read_text(encoding="utf-8").splitlines()]


def searches(folder: Path) -> list[str]:
    """The searches requested from it."""
    return [words[words.index("--search") + 1] for words in asked(folder)]


_TEST_SCRIPT = """#!{python}
import json, os, signal, sys, time
words = sys.argv[1:]
fd = int(words[words.index("--results") + 1])
search = words[words.index("--search") + 1]
seed = int(words[words.index("--seed") + 1])
with open({asked!r}, "a") as log:
    log.write(json.dumps(words) + "\\n")
def say(**what):
    os.write(fd, json.dumps(what).encode() + b"\\n")
def history(number, *results, schedule=(), preemptions=0, schedules=1, orders=None, called=None, stuck=""):
    order = [each for at in range(len(results)) for each in (2 * at, 2 * at + 1)]
    say(history=dict(
        scenario=number, results=[[each] for each in results], called=called or [True] * len(results),
        orders=orders or [order], schedule=list(schedule), preemptions=preemptions, schedules=schedules, stuck=stuck,
    ))
def ended(number, ended="exhausted", **more):
    say(result=dict(scenario=number, ended=ended) | dict(exhaustive=ended == "exhausted", schedules=5, steps=50) | more)
say(hello=dict(protocol={protocol}))
texts = os.read(int(words[words.index("--scenarios") + 1]), 10**6).decode().split("\\0")[:-1]
{code}
"""


def stand_in_with_test(folder: Path, code: str) -> Path:
    """A host with a test: ``code`` sets ``history`` and ``ended``, given ``texts``, ``search``, ``seed``, ``words``."""
    path = folder / "host"
    path.write_text(
        _TEST_SCRIPT.format(python=sys.executable, asked=str(folder / "asked"), code=code, protocol=PROTOCOL),
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path
