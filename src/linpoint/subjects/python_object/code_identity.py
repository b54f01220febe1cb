# SPDX-License-Identifier: Apache-2.0
"""The part of a replay token that identifies a test: its location and a digest of its code."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from linpoint.options.commands.test import TestOptions
from linpoint.options.token_fields import options_from_token
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import replay_token

if TYPE_CHECKING:
    from linpoint.subjects.interface import Failure


class ReplayedFinding(msgspec.Struct):
    """The content of a test's token. ``file`` is empty for a test that only its author's code can construct."""

    scenario: dict[str, Any]
    schedule: list[tuple[int, int]]
    finding: str
    file: str = ""
    test: str = ""
    code: str = ""
    python: str = ""
    spec: str | None = None
    granularity: str = "access"
    backend: str = "auto"

    def failure(self) -> Failure:
        """The failure that the replay must reproduce."""
        from linpoint.subjects.interface import Failure  # noqa: PLC0415 - importing linpoint does not load the campaign

        return Failure(self.finding, Scenario.from_dict(self.scenario), tuple(self.schedule), 0, None)


def replayed_finding(content: dict[str, Any]) -> ReplayedFinding:
    """Read the finding in a decoded token; raises LP-U004 if its content is malformed."""
    if content["kind"] != "test":
        raise replay_token.not_a_finding("it is not of a test")
    options_from_token(TestOptions, content)  # rejects values that no option allows
    try:
        return msgspec.convert(content, ReplayedFinding)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None


def identity(
    definition: ConcurrentTestDefinition, *, file: str = "", test: str = "", spec: str | None = None
) -> dict[str, Any]:
    """The part of a token that identifies the test."""
    return {
        "kind": "test",
        **({"file": file, "test": test} if file else {}),
        "code": code_hash(definition),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **({} if spec is None else {"spec": spec}),
    }


def code_hash(definition: ConcurrentTestDefinition) -> str:
    """A digest of the known sources that a schedule depends on: changing them may change the schedule."""
    files = {definition.file} | {
        getattr(each.call, "__code__", None) and each.call.__code__.co_filename
        for each in definition.operations.values()
    }
    digest = hashlib.sha256()
    for file in sorted(each for each in files if each):
        try:
            digest.update(Path(file).read_bytes())
        except OSError:
            digest.update(file.encode())
    return digest.hexdigest()[:16]
