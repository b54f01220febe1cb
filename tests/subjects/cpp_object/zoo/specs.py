# SPDX-License-Identifier: Apache-2.0
"""Sequential specs of inhabitants without a built-in one."""

from __future__ import annotations

import linpoint


@linpoint.spec
class Indicator:
    """Whether more have arrived than departed. A thread that has not arrived cannot depart: the result is false."""

    initial = 0

    @staticmethod
    def arrive(surplus: int) -> tuple[None, int]:
        return None, surplus + 1

    @staticmethod
    def depart(surplus: int) -> list[tuple[bool, int]]:
        return [(False, surplus), *([(True, surplus - 1)] if surplus > 0 else [])]

    @staticmethod
    def query(surplus: int) -> tuple[bool, int]:
        return surplus > 0, surplus


@linpoint.spec
class DoubleCompareSingleSwap:
    """A control and a word. The word is exchanged if both are as expected; the result is its previous value."""

    initial = (0, 0)

    @staticmethod
    def set_control(state: tuple[int, int], value: int) -> tuple[None, tuple[int, int]]:
        return None, (value, state[1])

    @staticmethod
    def rdcss(
        state: tuple[int, int], expected_control: int, expected: int, desired: int
    ) -> tuple[int, tuple[int, int]]:
        control, word = state
        return word, (control, desired if state == (expected_control, expected) else word)

    @staticmethod
    def read(state: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        return state[1], state
