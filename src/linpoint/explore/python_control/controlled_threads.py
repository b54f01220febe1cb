# SPDX-License-Identifier: Apache-2.0
"""The threads that belong to the session: the one that drives it, while it creates objects, and those of the pool."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager

from linpoint.explore import _native_control as native

controlled_thread_ids: set[int] = set()
"""Identities of the threads under control."""


def under_control() -> bool:
    """Whether the calling thread belongs to the session."""
    return native.control_process() is not None or get_ident() in controlled_thread_ids


@contextmanager
def membership() -> Iterator[None]:
    """Make the calling thread belong to the session within the block."""
    ident = get_ident()
    before = ident in controlled_thread_ids
    controlled_thread_ids.add(ident)
    try:
        yield
    finally:
        if not before:
            controlled_thread_ids.discard(ident)
