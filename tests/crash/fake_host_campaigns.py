# SPDX-License-Identifier: Apache-2.0
"""Tests of persistent objects on a fake host, and small campaigns with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.crash.crash_host import CrashHost
from linpoint.crash.operation_purposes import find_purposes
from linpoint.options.commands.crash import CrashOptions
from linpoint.specs.spec_lookup import find
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest, config_of, described_tests
from linpoint.subjects.persistent_object.crash_token import read_token
from linpoint.subjects.persistent_object.subject import PersistentObjectSubject
from linpoint.targets.target_builder import Target, TargetContents
from linpoint.verdicts import replay_token
from linpoint.verdicts.result import Result

_HOST = Path(__file__).with_name("fake_host.py")


def fake_host(folder: Path, manner: dict[str, Any], options: CrashOptions) -> CrashHost:
    """A host that simulates a target with this behaviour."""
    host = folder / "host"
    host.write_text(f"#!{sys.executable}\n{_HOST.read_text(encoding='utf-8')}", encoding="utf-8")
    host.chmod(0o755)
    target = folder / "target.json"
    target.write_text(json.dumps(manner), encoding="utf-8")
    return CrashHost(host, target, config_of(options, None))


def fake_test(folder: Path, manner: dict[str, Any], **asked: Any) -> BuiltCrashTest:
    """The test of such a host."""
    wanted = CrashOptions(**{"spec": "map", "workers": 1} | asked)
    host = fake_host(folder, manner, wanted)
    tests, given = described_tests(host, "map_test.cpp")
    test, spec = tests["MapTest"], find("map")
    target = Target(host.target, "digest", TargetContents((), ()))
    return BuiltCrashTest("map_test.cpp", test, spec, wanted, host, target, find_purposes(spec, test, given["MapTest"]))


def tried(folder: Path, manner: dict[str, Any], *, seconds: float = 20.0, **asked: Any) -> Result:
    """The result of a whole campaign."""
    return run_campaign(PersistentObjectSubject(fake_test(folder, manner, **asked)), seconds)


def replayed(folder: Path, manner: dict[str, Any], token: str) -> Result:
    """The result of replaying the token of a finding."""
    test, found = fake_test(folder, manner), read_token(replay_token.decode(token))
    return replay_finding(PersistentObjectSubject(test), found.failure, 10.0, changed=found.is_outdated(test))
