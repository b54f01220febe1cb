# SPDX-License-Identifier: Apache-2.0
"""Messages of hosts: each is one line of JSON, an object with exactly one key.

The structs define the schema for both sides: ``tools/generate_protocol.py`` derives the names that the C++ side uses
(``native/host/protocol/generated_messages.inc``). The first message is ``{"hello": {"protocol": 1}}``. Increment
``PROTOCOL`` for every change that an older reader or writer would misunderstand.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from linpoint.hosts.crash_messages import (
    CrashProgress,
    CrashQuestion,
    CrashTestsEnded,
    CrashViolation,
    ImageSampled,
    WorkloadTraced,
)
from linpoint.hosts.search_messages import ScenarioHistory, ScenarioLost, SearchProgress, SearchResult

PROTOCOL: Final = 1
"""The version of the protocol."""


class HostHello(msgspec.Struct, frozen=True):
    """The first message of a host."""

    protocol: int


class HostMessage(msgspec.Struct, frozen=True):
    """A message of any host."""

    hello: HostHello | None = None
    described: Any = None
    """The tests of a target."""


class SearchMessage(HostMessage, frozen=True):
    """A message of a host that searches schedules."""

    progress: SearchProgress | None = None
    result: SearchResult | None = None
    history: ScenarioHistory | None = None
    lost: ScenarioLost | None = None


class CrashMessage(HostMessage, frozen=True, rename={"question": "judge"}):
    """A message of a host that tests crashes."""

    progress: CrashProgress | None = None
    result: CrashTestsEnded | None = None
    traced: WorkloadTraced | None = None
    question: CrashQuestion | None = None
    sampled: ImageSampled | None = None
    violation: CrashViolation | None = None


SEARCH_MESSAGES: Final = msgspec.json.Decoder(SearchMessage)
CRASH_MESSAGES: Final = msgspec.json.Decoder(CrashMessage)
