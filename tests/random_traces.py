# SPDX-License-Identifier: Apache-2.0
"""Random traces: any consistent mixture of kinds, with plain or hostile texts."""

from __future__ import annotations

import random
from typing import Any

from linpoint.traces.trace import (
    FAILURES,
    MEMORY_MODELS,
    SourcePlace,
    StepKind,
    Trace,
    TraceFailure,
    TraceStep,
    TraceThread,
    UnpersistedStore,
)
from linpoint.traces.trace_step import MEMORY_ORDERS, OF_MEMORY, WITHOUT_THREAD
from tests.explain.sample_traces import HOSTILE

PLAIN = ("x", "y", "flag[0]", "node.next", "counter")


class Maker:
    """The random parts of a trace."""

    def __init__(self, rng: random.Random, *, hostile: bool) -> None:
        self.rng = rng
        self.hostile = hostile

    def maybe(self, value: Any) -> Any:
        return value if self.rng.random() < 0.5 else None

    def text(self) -> str:
        if not self.hostile:
            return self.rng.choice(PLAIN)
        if self.rng.random() < 0.5:
            return self.rng.choice(HOSTILE)
        most = self.rng.choice([0x7F, 0x3000, 0x10FFFF])
        text = "".join(chr(self.rng.randint(0, most)) for _ in range(self.rng.randint(0, 30)))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # JSON joins adjacent halves

    def value(self, depth: int = 2) -> Any:
        kind = self.rng.randrange(8 if depth else 5)
        if kind < 5:
            return (None, True, self.rng.randint(-(10**30), 10**30), self.rng.random() * 1e300, self.text())[kind]
        inside = [self.value(depth - 1) for _ in range(self.rng.randint(0, 3))]
        return inside if kind < 7 else {self.text(): each for each in inside}

    def place(self) -> SourcePlace:
        return SourcePlace(self.text(), self.rng.randint(1, 10**6), self.maybe(self.text()), self.maybe(self.text()))


def random_trace(seed: int, *, hostile: bool = True) -> Trace:
    """The consistent trace of this seed."""
    rng = random.Random(seed)
    make = Maker(rng, hostile=hostile)
    ids: list[Any] = list(
        {rng.choice([number, f"{number}{make.text()}"]) for number in range(rng.choice([0, 1, 2, 3, 13]))}
    )
    model = rng.choice(list(MEMORY_MODELS))
    opened: dict[Any, list[str]] = {each: [] for each in ids}
    steps: list[TraceStep] = []
    running = None
    for _ in range(rng.choice([0, 5, 25, 60, 200])):
        nobody = not ids or rng.random() < 0.05
        thread = None if nobody else running if running is not None and rng.random() < 0.7 else rng.choice(ids)
        kinds = [each for each in StepKind if each in WITHOUT_THREAD or not nobody]
        kind = rng.choice([each for each in kinds if model != "sc" or each is not StepKind.DRAIN])
        if kind is StepKind.RETURN and not opened[thread]:
            kind = StepKind.CALL
        if kind is StepKind.CRASH and rng.random() < 0.7:
            kind = StepKind.NOTE
        more: dict[str, Any] = {
            "location": make.text(),
            "message": make.maybe(make.text()),
            "place": make.maybe(make.place()),
        }
        if rng.random() < 0.6:
            more |= {name: make.value() for name in ("value", "old", "expected")}
        if kind is StepKind.CALL:
            more |= {"operation": make.text(), "args": tuple(make.value() for _ in range(rng.randint(0, 2)))}
            opened[thread].append(more["operation"])
        elif kind is StepKind.RETURN:
            more["operation"] = make.maybe(opened[thread].pop())
        elif kind is StepKind.CRASH:
            running = None
            opened = {each: [] for each in ids}
        elif kind is StepKind.CAS:
            more |= {"success": make.maybe(False), "memory_order": make.maybe(rng.choice(MEMORY_ORDERS))}
        if thread is not None and kind is not StepKind.CRASH and kind not in OF_MEMORY:
            more["preempts"] = running is not None and running != thread and rng.random() < 0.5
            running = thread
        if thread is not None:
            more["other"] = make.maybe(rng.choice(ids))
        if model != "sc" and rng.random() < 0.5:
            more["buffer"] = tuple((make.text(), make.value()) for _ in range(rng.randint(0, 9)))
        if rng.random() < 0.2:
            more["unpersisted"] = tuple(UnpersistedStore(make.text(), make.value()) for _ in range(rng.randint(0, 9)))
        steps.append(TraceStep(thread, kind, **more))
    failure = None
    if steps and rng.random() < 0.8:
        positions = [rng.randrange(len(steps)) for _ in range(rng.randint(0, 4))]
        failure = TraceFailure(
            rng.choice(list(FAILURES)), make.maybe(rng.randrange(len(steps))), make.text(), tuple(positions)
        )
    named = tuple(TraceThread(each, make.text() if rng.random() < 0.3 else "") for each in ids)
    return Trace(named, tuple(steps), model, make.maybe(make.text()), failure)
