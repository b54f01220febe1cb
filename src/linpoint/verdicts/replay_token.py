# SPDX-License-Identifier: Apache-2.0
"""Replay tokens: a finding as one self-contained string, for ``linpoint replay TOKEN``.

A token is data: a version prefix and compressed JSON in URL-safe characters. Reading a token evaluates nothing, and its
size and depth are limited, since tokens travel through chats and issue trackers; ``token_trust`` limits the files and
flags that a token may use. The JSON is one flat object whose keys are part of the contract: tokens of earlier versions
still replay.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.errors import UsageError
from linpoint.histories.values import MAX_NESTING_DEPTH

_PREFIX: Final = "lp1-"
_MAX_TOKEN_BYTES: Final = 16 * 2**20
_MAX_VALUES: Final = 1_000_000
_MAX_DEPTH: Final = MAX_NESTING_DEPTH + 8
"""Arguments and results of operations are values within a few lists and objects."""


@dataclass(frozen=True, slots=True)
class TokenLayout:
    """The keys of a kind of token."""

    keys: tuple[str, ...]
    """All keys in order."""
    reproduction: frozenset[str]
    """The keys that reproduce the failure; the others are options, except the identity of the finding."""
    target: str = ""
    """The key for the name of the test or model."""


def _layout(keys: str, reproduction: str, target: str = "") -> TokenLayout:
    return TokenLayout(tuple(keys.split()), frozenset(reproduction.split()), target)


LAYOUTS: Final[Mapping[str, TokenLayout]] = {
    "test": _layout(
        "kind file test code python spec scenario schedule finding granularity backend", "scenario schedule", "test"
    ),
    "test-cpp": _layout(
        "kind file test code spec flags compiler memory_model races reuse method stop scenario schedule finding",
        "stop scenario schedule",
        "test",
    ),
    "explore": _layout("kind file args code python schedule finding granularity backend", "schedule"),
    "explore-cpp": _layout(
        "kind files code flags compiler args memory_model races isolate reuse spurious atomic_methods schedule finding",
        "schedule",
    ),
    "stress": _layout("kind file test finding operations spec", "operations", "test"),
    "stress-cpp": _layout("kind file test finding operations spec", "operations", "test"),
    "refine": _layout(
        "kind file model spec constants processes operations memory_model heap without points compact progress fairness "
        "finding run room left_out",
        "run room left_out",
        "model",
    ),
    "crash": _layout(
        "kind file test finding spec workload probes beside reads healed state condition flags compiler code persistency "
        "pool_size persistent_heap seed",
        "workload probes beside reads healed state",
        "test",
    ),
}
"""The layouts of the tokens of campaigns, by kind."""
_NO_LAYOUT: Final = TokenLayout((), frozenset())


class ReplayToken(msgspec.Struct, frozen=True):
    """The content of a token: the identity of a finding, the options of its subject, and how to reproduce it."""

    kind: str
    """A key of ``LAYOUTS``."""
    finding: str = ""
    """The kind of the finding."""
    file: str = ""
    target: str = ""
    """The name of the test or model in the file."""
    code: str = ""
    """A digest of the sources, which detects changes."""
    options: dict[str, Any] = {}
    reproduction: dict[str, Any] = {}
    """A schedule, a run of a model, or a crash state."""

    @property
    def is_complete(self) -> bool:
        """Whether the token names the files of its code, so that a command can replay it."""
        return bool(self.file or self.options.get("files"))

    def as_dict(self) -> dict[str, Any]:
        """The flat JSON object of the contract, without empty values."""
        layout = LAYOUTS.get(self.kind, _NO_LAYOUT)
        identity = {"kind": self.kind, "finding": self.finding, "file": self.file, "code": self.code}
        if layout.target:
            identity[layout.target] = self.target
        flat = {name: value for name, value in identity.items() if value} | self.options | self.reproduction
        return {name: flat[name] for name in (*layout.keys, *flat) if name in flat}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> ReplayToken:
        """The token of a flat JSON object. The decoder of its kind checks the types of the values."""
        kind = str(content["kind"])
        layout = LAYOUTS.get(kind, _NO_LAYOUT)
        names = {"finding": "finding", "file": "file", "code": "code"} | (
            {layout.target: "target"} if layout.target else {}
        )
        rest = {name: value for name, value in content.items() if name != "kind"}
        identity = {names[name]: rest.pop(name) for name in names if isinstance(rest.get(name), str) and rest[name]}
        reproduction = {name: rest.pop(name) for name in layout.reproduction & rest.keys()}
        return cls(kind, **identity, options=rest, reproduction=reproduction)

    def encode(self) -> str:
        """The token as a string."""
        return encode(self.as_dict())

    @classmethod
    def decode(cls, text: str) -> ReplayToken:
        """The content of a token; raises LP-U004 for a malformed token."""
        return cls.from_dict(decode(text))


def encode(content: Mapping[str, Any]) -> str:
    """The token for a flat JSON object."""
    packed = zlib.compress(msgspec.json.encode(content), 9)
    return _PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decode(token: str) -> dict[str, Any]:
    """The flat JSON object of a token; raises LP-U004 for a malformed token."""
    try:
        if not token.startswith(_PREFIX):
            raise ValueError(_PREFIX)
        letters = token.removeprefix(_PREFIX)
        # Strict: by default, invalid characters are skipped, so a token with a space would decode to another one.
        packed = base64.b64decode(letters + "=" * (-len(letters) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, _MAX_TOKEN_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError(_MAX_TOKEN_BYTES)
        content = msgspec.json.decode(data)
        if not isinstance(content, dict) or not isinstance(content.get("kind"), str) or _is_too_much(content):
            raise TypeError(_PREFIX)
    except (ValueError, TypeError, RecursionError, binascii.Error, zlib.error, msgspec.MsgspecError):
        raise UsageError(
            "LP-U004",
            f"{token[:20]!r}... is not a complete replay token."
            if len(token) > 20
            else f"{token!r} is not a replay token.",
            remedy="Copy the whole token after `linpoint replay`, without line breaks.",
        ) from None
    return content


def _is_too_much(content: Any) -> bool:
    """Whether the content is nested too deeply, or has more values than any finding."""
    level, count = [content], 0
    for _ in range(_MAX_DEPTH):
        parts = [list(each.values()) if isinstance(each, dict) else each for each in level]
        level = [value for part in parts if isinstance(part, list) for value in part]
        count += len(level)
        if not level or count > _MAX_VALUES:
            break
    return bool(level)


def not_a_finding(fact: str) -> UsageError:
    """The error for a token that can be decoded but does not contain a finding."""
    return UsageError(
        "LP-U004",
        f"the token does not contain a finding: {fact}.",
        remedy="Copy the whole token after `linpoint replay`, from the same version of linpoint.",
    )
