# SPDX-License-Identifier: Apache-2.0
"""Which threads belong to the session: the one that drives it, while it makes objects, and those of the pool."""

from __future__ import annotations

from _thread import get_ident

members: set[int] = set()
"""Identities of the threads under control."""


def under_control() -> bool:
    """Whether the calling thread belongs to the session."""
    return get_ident() in members
