# SPDX-License-Identifier: Apache-2.0
"""A command that is killed (``kill -9``) at any moment leaves no process behind."""

from __future__ import annotations

import os
import random
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are found in /proc")

_VICTIMS = """
import os, random, signal, sys, time
from linpoint.processes.process_launch import MESSAGES
from linpoint.processes.supervised_process import SupervisedProcess

CHILD = '''
import os, signal, sys, time
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(each, signal.SIG_IGN)
os.fork()
if "escape" in sys.argv and not os.fork():
    os.setsid()
os.write(int(sys.argv[1]), b"x")
time.sleep(600)
'''

def live(number):
    words = [sys.executable, "-I", "-S", "-c", CHILD, MESSAGES]
    if number % 5 == 0:
        with SupervisedProcess.start([*words, "escape"]):
            time.sleep(600)
    while True:
        with SupervisedProcess.start(words) as one, SupervisedProcess.start(words) as other:
            for process in (one, other):
                process.read_block(random.random() / 50)

for number, seconds in enumerate(map(float, sys.argv[1:])):
    child = os.fork()
    if not child:
        live(number)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


def marked(word: str) -> list[str]:
    """The command lines of processes whose environment contains a given word."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (each / "environ").read_bytes():
                found.append((each / "cmdline").read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue
    return found


def test_a_command_killed_at_50_random_moments_leaves_no_process() -> None:
    """Up to four processes run each time and ignore polite signals; in every fifth case some leave their session."""
    word = f"LINPOINT_TEST_{secrets.token_hex(8)}"
    moments = [str(random.Random(at).uniform(0, 0.15)) for at in range(50)]
    subprocess.run([sys.executable, "-c", _VICTIMS, *moments], env=os.environ | {word: "1"}, check=True)
    left = marked(word)
    for _ in range(600):
        if not left:
            break
        time.sleep(0.1)
        left = marked(word)
    assert not left
