# SPDX-License-Identifier: Apache-2.0
"""Specs of libraries that promise less than a queue."""

from __future__ import annotations

import linpoint


@linpoint.spec
class Bag:
    """Values in no order: any value may be taken out, and none only if the bag is empty."""

    initial: tuple[int, ...] = ()

    @staticmethod
    def enqueue(values: tuple[int, ...], value: int) -> tuple[None, tuple[int, ...]]:
        return None, tuple(sorted((*values, value)))

    @staticmethod
    def dequeue(values: tuple[int, ...]) -> list[tuple[int | None, tuple[int, ...]]]:
        if not values:
            return [(None, values)]
        return [(each, values[:at] + values[at + 1 :]) for at, each in enumerate(values)]
