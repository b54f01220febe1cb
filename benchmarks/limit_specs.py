# SPDX-License-Identifier: Apache-2.0
"""User-defined specs that need limits: they step slowly, accumulate memory, or hold the interpreter's lock."""

from __future__ import annotations

from typing import Any, ClassVar

import linpoint


@linpoint.spec
class PlainQueue:
    """A queue in its simplest form; its states are as long as the queue."""

    initial: ClassVar[tuple[Any, ...]] = ()

    def enqueue(state, value):
        return None, (*state, value)

    def dequeue(state):
        return (state[0], state[1:]) if state else (None, state)


@linpoint.spec
class PlainRegister:
    """A register in Python."""

    initial: ClassVar[Any] = None

    def read(state):
        return state, state

    def write(state, value):
        return None, value


_hoard: list[bytes] = []


@linpoint.spec
class Hoarder:
    """Every step allocates a megabyte and keeps it."""

    initial: ClassVar[Any] = None

    def read(state):
        _hoard.append(b"x" * (1 << 20))
        return state, state

    def write(state, value):
        _hoard.append(b"x" * (1 << 20))
        return None, value


@linpoint.spec
class Stubborn:
    """A step that computes for hours without releasing the interpreter's lock."""

    initial: ClassVar[Any] = None

    def read(state):
        return state, 7 ** (10**8)

    def write(state, value):
        return None, 7 ** (10**8)
