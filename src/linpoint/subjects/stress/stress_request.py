# SPDX-License-Identifier: Apache-2.0
"""The calls for the threads of a C++ test, as the text that its program reads (``sdk/include/linpoint/detail``).

Guarantee: every call has a number, and calls of one operation have consecutive numbers, so that drawing an operation
and its arguments takes two random numbers. The same seed gives each round the same calls.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final

import msgspec

from linpoint.histories.values import thaw
from linpoint.scenarios.cpp_test_description import CppObjectTest
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.tested_operation import TestedOperation

_MAX_CALLS: Final = 4096
"""The maximum number of calls per operation; with more, this number is drawn at random."""
_BURST_OPERATIONS: Final = 4096
"""The number of operations of a thread between two messages, so that their records fit into the caches."""
_MAX_BURST_ROUNDS: Final = 64


@dataclass(frozen=True, slots=True)
class StressConfig:
    """The options of the threads."""

    threads: int
    operations: int
    seed: int = 0
    instances: int = 1
    erratic: bool = False
    patience: float = 5.0
    steady: bool = False
    """Use the system's clock even if the cores' counters agree."""


@dataclass(frozen=True, slots=True)
class StressRequest:
    """A request as text, its calls by number, and its number of threads."""

    text: str
    calls: tuple[Call, ...]
    threads: int


def build_request(test: CppObjectTest, scenario: Scenario | None, config: StressConfig) -> StressRequest:
    """The request to repeat a scenario, or to make random calls."""
    if scenario is not None:
        shares, calls, threads = _fixed(scenario)
        longest = max(map(len, scenario.threads)) + len(scenario.before) + len(scenario.after)
    else:
        shares, calls, threads = _drawn(test, config)
        longest = config.operations
    rounds = max(1, min(_MAX_BURST_ROUNDS, _BURST_OPERATIONS // longest))
    lines = [
        f"test {test.definition.name}",
        f"seed {config.seed}",
        f"rounds {rounds}",
        f"instances {config.instances}",
        f"patience {round(config.patience * 1000)}",
        *(["erratic"] if config.erratic else []),
        *(["steady"] if config.steady else []),
        *(f"call {call.operation} {msgspec.json.encode(thaw(call.args)).decode()}" for call in calls),
        *shares,
    ]
    return StressRequest("\n".join(lines) + "\n", tuple(calls), threads)


def _fixed(scenario: Scenario) -> tuple[list[str], list[Call], int]:
    numbers: dict[Call, int] = {}
    parts = [("before", scenario.before), *(("run", calls) for calls in scenario.threads), ("after", scenario.after)]
    shares = [
        " ".join([word, *(str(numbers.setdefault(call, len(numbers))) for call in calls)])
        for word, calls in parts
        if calls
    ]
    return shares, list(numbers), len(scenario.threads)


def _drawn(test: CppObjectTest, config: StressConfig) -> tuple[list[str], list[Call], int]:
    calls: list[Call] = []
    ranges: dict[str, str] = {}
    for operation in test.definition.operations.values():
        own = _calls_of(operation, config.seed)
        ranges[operation.name] = f"{len(calls)} {len(own)}"
        calls += own
    threads = test.shares(config.threads)
    shares = [" ".join(["draw", str(config.operations), *(ranges[name] for name in names)]) for names in threads]
    return shares, calls, len(threads)


def _calls_of(operation: TestedOperation, seed: int) -> Sequence[Call]:
    if prod(map(len, operation.sources)) <= _MAX_CALLS:
        return [Call(operation.name, args) for args in product(*operation.sources)]
    rng = random.Random(f"{seed}/{operation.name}")  # noqa: S311 - tests, not secrets
    drawn = {Call(operation.name, tuple(rng.choice(source) for source in operation.sources)) for _ in range(_MAX_CALLS)}
    return sorted(drawn, key=str)
