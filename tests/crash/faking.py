# SPDX-License-Identifier: Apache-2.0
"""Tests of persistent objects that a fake host plays, and small campaigns with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from linpoint.crash.asked import CrashAsked
from linpoint.crash.campaign import Campaign
from linpoint.crash.hosts import CrashHost
from linpoint.crash.program import CrashTest, described_tests
from linpoint.crash.vocabulary import vocabulary_of
from linpoint.specs.lookup import find
from linpoint.targets.building import Contents, Target
from linpoint.verdicts.durability import CrashResult

_HOST = Path(__file__).with_name("fake_host.py")


def fake_host(folder: Path, manner: dict[str, Any], asked: CrashAsked) -> CrashHost:
    """A host that plays a target of this manner."""
    host = folder / "host"
    host.write_text(_HOST.read_text(encoding="utf-8").replace("/usr/bin/env python3", sys.executable, 1))
    host.chmod(0o755)
    target = folder / "target.json"
    target.write_text(json.dumps(manner), encoding="utf-8")
    return CrashHost(host, target, asked.manner(None))


def fake_test(folder: Path, manner: dict[str, Any], **asked: Any) -> CrashTest:
    """The test that such a host has."""
    wanted = CrashAsked(**{"spec": "map", "workers": 1} | asked)
    host = fake_host(folder, manner, wanted)
    tests, given = described_tests(host, "map_test.cpp")
    test, spec = tests["MapTest"], find("map")
    target = Target(host.target, "digest", Contents((), ()))
    return CrashTest("map_test.cpp", test, spec, wanted, host, target, vocabulary_of(spec, test, given["MapTest"]))


def tried(folder: Path, manner: dict[str, Any], *, seconds: float = 20.0, **asked: Any) -> CrashResult:
    """A whole campaign."""
    return Campaign(fake_test(folder, manner, **asked), seconds).result()
