# SPDX-License-Identifier: Apache-2.0
"""Replay tokens: a finding as one self-contained word, for ``linpoint replay TOKEN``.

A token is data: a version letter and compressed JSON in URL-safe letters. Reading one evaluates nothing, and what it
unpacks to is limited, since tokens travel through chats and issue trackers.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any, Final

import msgspec

from linpoint.errors import UsageError

_PREFIX: Final = "lp1-"
_MAX_TOKEN_BYTES: Final = 16 * 2**20


def encode(content: dict[str, Any]) -> str:
    """The token for JSON ``content``."""
    packed = zlib.compress(msgspec.json.encode(content), 9)
    return _PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decode(token: str) -> dict[str, Any]:
    """The content of a token, or a coded error."""
    try:
        if not token.startswith(_PREFIX):
            raise ValueError(_PREFIX)
        letters = token.removeprefix(_PREFIX)
        # Strictly: by default letters that are none would be skipped, and a token broken by a blank be another one.
        packed = base64.b64decode(letters + "=" * (-len(letters) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, _MAX_TOKEN_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError(_MAX_TOKEN_BYTES)
        content = msgspec.json.decode(data)
        if not isinstance(content, dict) or not isinstance(content.get("kind"), str):
            raise TypeError(content)
    except (ValueError, TypeError, RecursionError, binascii.Error, zlib.error, msgspec.MsgspecError):
        raise UsageError(
            "LP-U004",
            f"{token[:20]!r}... is not a whole replay token."
            if len(token) > 20
            else f"{token!r} is not a replay token.",
            remedy="Copy the whole word after `linpoint replay`, without line breaks.",
        ) from None
    return content


def not_a_finding(fact: str) -> UsageError:
    """The error for a token that can be read, but does not hold what a finding needs."""
    return UsageError(
        "LP-U004",
        f"the token does not hold a finding: {fact}.",
        remedy="Copy the whole word after `linpoint replay`, from the same version of linpoint.",
    )
