# SPDX-License-Identifier: Apache-2.0
"""Porcupine, the peer: finds Go, builds our small program around the published module, and finds its test data.

The module comes from Go's module proxy, pinned by ``porcupine/go.sum``; it contains its histories, so a fresh clone
needs nothing else. The program is built into ``build/bench``. If Go or the network is missing, ``PeerError`` reports
it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.running import ROOT

SOURCE: Final = ROOT / "benchmarks" / "porcupine"
MODULE: Final = "github.com/anishathalye/porcupine"


class PeerError(Exception):
    """Porcupine is not available here, and why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The built program, the version of Porcupine in it, and the directory of its histories."""

    program: Path
    version: str
    data: Path


def build(folder: Path) -> Peer:
    """Build the program into ``folder``."""
    go = shutil.which("go") or shutil.which("go", path=os.pathsep.join(("/usr/local/go/bin", "/usr/lib/go/bin")))
    if go is None:
        raise PeerError("Go is not installed (looked on the path and in /usr/local/go/bin).")
    module: dict[str, Any] = json.loads(_go(go, "mod", "download", "-json", MODULE))
    folder.mkdir(parents=True, exist_ok=True)
    program = folder.resolve() / "porcupine"
    _go(go, "build", "-trimpath", "-o", str(program), ".")
    return Peer(program, module["Version"], Path(module["Dir"]) / "test_data")


def _go(go: str, *arguments: str) -> str:
    try:
        done = subprocess.run(
            [go, *arguments], cwd=SOURCE, capture_output=True, text=True, timeout=600, check=False, encoding="utf-8"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerError(f"{' '.join(('go', *arguments[:2]))}: {error}") from error
    if done.returncode != 0:
        raise PeerError(f"{' '.join(('go', *arguments[:2]))} failed: {_fact(done.stdout, done.stderr)}")
    return done.stdout


def _fact(output: str, complaints: str) -> str:
    """The reason that Go reports, on one line: `go mod download -json` writes it to its output."""
    try:
        reason = json.loads(output)["Error"]
    except (ValueError, KeyError, TypeError):
        reason = complaints
    return " ".join(str(reason).split())[:400]
