# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the host: an executable that speaks as the host does, with answers that a test gives it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_SCRIPT = """#!{python}
import json, os, signal, sys, time
words = sys.argv[1:]
fd = int(words[words.index("--results") + 1])
search = words[words.index("--search") + 1]
with open({asked!r}, "a") as log:
    log.write(json.dumps(words) + "\\n")
def say(**what):
    os.write(fd, json.dumps(what).encode() + b"\\n")
answers = json.loads({answers!r})
answer = answers.get(search) or answers[search.partition(":")[0]]
say(progress=dict(schedules=3, steps=30, depth=10, estimate=None))
do = answer.pop("do", None)
if do is not None:
    exec(do)
say(result=answer)
"""


def stand_in(folder: Path, **answers: dict[str, Any]) -> Path:
    """A host that answers a search by its name (``bounded``, ``dpor``, ``replay``, ...); ``do`` in it is code to run first."""
    path = folder / "host"
    script = _SCRIPT.format(python=sys.executable, asked=str(folder / "asked"), answers=json.dumps(answers))
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


def asked(folder: Path) -> list[list[str]]:
    """The command lines that the stand-in was started with."""
    return [json.loads(line) for line in (folder / "asked").read_text(encoding="utf-8").splitlines()]


def searches(folder: Path) -> list[str]:
    """What it was asked to search."""
    return [words[words.index("--search") + 1] for words in asked(folder)]
