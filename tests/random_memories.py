# SPDX-License-Identifier: Apache-2.0
"""Random histories of memories with unique values, made by running a memory and then corrupting some of the results."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome
from linpoint.histories.values import freeze
from linpoint.specs import cas_register, mwcas
from linpoint.specs.spec import Spec

_FORMS = ("false", "at", "values")


class _Memory:
    """A memory, with its open calls."""

    def __init__(
        self, rng: random.Random, *, register: bool, swaps: float, writes: float, forms: tuple[str, ...]
    ) -> None:
        self.rng = rng
        self.register = register
        self.swaps = swaps
        self.writes = writes
        self.forms = forms
        self.words = ["x"] if register else rng.sample(["x", "y", "z"], rng.randint(1, 3))
        self.initial = 0 if rng.random() < 0.8 else 7
        self.content: dict[str, Any] = dict.fromkeys(self.words, self.initial)
        self.known: dict[str, list[Any]] = {word: [self.initial] for word in self.words}
        self.everything: dict[str, list[Any]] = {word: [self.initial] for word in self.words}
        self.fresh = 100

    def call(self) -> dict[str, Any]:
        """Draw an operation."""
        rng = self.rng
        words = rng.sample(self.words, rng.randint(1, len(self.words)))
        drawn = rng.random()
        if drawn < 0.35:
            return {"op": "read", "words": words}
        cells = []
        for word in words:
            self.fresh += 1
            cells.append([word, self._expected(word), self.fresh])
        op = "mwcas"
        if drawn < 0.35 + self.swaps + self.writes:
            op = "mwswap" if drawn < 0.35 + self.swaps else "mwwrite"
        return {"op": op, "words": words, "cells": cells}

    def _expected(self, word: str) -> Any:
        rng = self.rng
        drawn = rng.random()
        if drawn < 0.6:
            return self.content[word]
        if drawn < 0.85:
            return rng.choice(self.known[word])
        if drawn < 0.97:
            return rng.choice(self.everything[word])
        return self.fresh + rng.randint(1, 4)  # one that may be written later

    def take_effect(self, call: dict[str, Any]) -> None:
        """Give the operation its result."""
        seen = [self.content[word] for word in call["words"]]
        if call["op"] == "read":
            call["result"] = seen
            return
        blamed = [cell[0] for cell, value in zip(call["cells"], seen, strict=True) if cell[1] != value]
        if call["op"] == "mwcas" and blamed:
            call["result"] = self.failure(self.rng.choice(blamed), seen)
            return
        call["result"] = seen if call["op"] == "mwswap" or self.rng.random() < 0.1 else True
        if call["op"] == "mwwrite":
            call["result"] = None
        for word, _, fresh in call["cells"]:
            self.content[word] = fresh
            self.everything[word].append(fresh)

    def failure(self, blamed: str, seen: list[Any]) -> Any:
        """The result that a failed compare-and-swap reports."""
        form = self.rng.choice(self.forms)
        if self.register or form == "false":
            return False
        return {"at": blamed} if form == "at" else seen

    def learn(self, call: dict[str, Any]) -> None:
        """Record the values that a returned operation has seen."""
        if isinstance(call["result"], list):
            for word, value in zip(call["words"], call["result"], strict=True):
                self.known[word].append(value)

    def operation(self, call: dict[str, Any]) -> Operation:
        """The operation in the form of the spec."""
        result = call.get("result")
        if self.register:
            name, args = _of_register(call)
            result = result[0] if isinstance(result, list) else result
            if name == "cas" and not isinstance(result, bool):
                result = None if result is None else result == call["cells"][0][1]
        else:
            name = call["op"]
            blind = name in ("mwswap", "mwwrite")
            cells = [[word, fresh] for word, _, fresh in call["cells"]] if blind else call.get("cells")
            args = [call["words"] if name == "read" else cells]
        known = "return" in call
        return Operation(
            call["process"],
            name,
            tuple(freeze(each) for each in args),
            freeze(result) if known else None,
            call["call"],
            call.get("return"),
            Outcome.OK if known else Outcome.UNKNOWN,
        )


def _of_register(call: dict[str, Any]) -> tuple[str, list[Any]]:
    if call["op"] == "read":
        return "read", []
    _, old, fresh = call["cells"][0]
    return ("swap", [fresh]) if call["op"] == "mwswap" else ("cas", [old, fresh])


def random_memory(
    rng: random.Random,
    *,
    operations: int = 10,
    crashes: float = 0.1,
    register: bool = False,
    swaps: float = 0.1,
    writes: float = 0.0,
    spoiled: float = 0.6,
    forms: tuple[str, ...] = _FORMS,
    hints: bool = True,
    skew: bool = True,
) -> tuple[History, Spec]:
    """A random history of at most ``operations`` operations, and its spec.

    ``crashes`` is how often a step is a crash, of all, of one or of the object; ``spoiled`` the share of histories with
    wrong results; ``writes`` the share of operations that do not report what they overwrote.
    """
    memory = _Memory(rng, register=register, swaps=swaps if rng.random() < 0.5 else 0.0, writes=writes, forms=forms)
    processes = rng.randint(1, 4)
    wanted = rng.randint(1, operations)
    calls: list[dict[str, Any]] = []
    is_open: dict[int, dict[str, Any]] = {}
    limbo: list[dict[str, Any]] = []
    gone: set[int] = set()
    crash_events: list[Crash] = []
    crash_rate = crashes if rng.random() < 0.6 else 0.0
    time = 0
    while len(calls) < wanted or is_open:
        time += rng.choice([0, 1, 1, 1]) if time else 1
        if limbo and rng.random() < 0.3:
            memory.take_effect(limbo.pop(rng.randrange(len(limbo))))
            continue
        if rng.random() < crash_rate:
            time += 1
            _crash(rng, time, processes, is_open, limbo, crash_events)
            time += 1
            continue
        process = rng.randrange(processes)
        call = is_open.get(process)
        if call is not None:
            if "result" not in call:
                memory.take_effect(call)
            elif time > call["call"] or rng.random() < 0.5:
                call["return"] = time
                memory.learn(call)
                del is_open[process]
        elif len(calls) < wanted and process not in gone:
            call = memory.call() | {"process": process, "call": time}
            calls.append(call)
            if crash_rate and rng.random() < 0.05:  # an unknown outcome without a crash
                gone.add(process)
                limbo.append(call)
            else:
                is_open[process] = call
        elif gone and len(gone) == processes:
            break
    if rng.random() < spoiled:
        for _ in range(rng.randint(1, 2)):
            _spoil(rng, memory, calls)
    ops = [memory.operation(call) for call in calls]
    if hints and rng.random() < 0.2:  # some have hints about their order, which are more often right than wrong
        ops = [dataclasses.replace(op, order=op.call) if rng.random() < 0.5 else op for op in ops]
    rng.shuffle(ops)
    spec = (cas_register if register else mwcas)(initial=memory.initial)
    if not register and rng.random() < 0.1:
        spec = mwcas(initial=dict.fromkeys(memory.words, memory.initial))
    history = _sequential(ops, crash_events)
    return history.with_clock_skew(rng.choice([1, 2, 5])) if skew and rng.random() < 0.15 else history, spec


def _crash(
    rng: random.Random,
    time: int,
    processes: int,
    is_open: dict[int, dict[str, Any]],
    limbo: list[dict[str, Any]],
    events: list[Crash],
) -> None:
    if rng.random() < 0.3:  # the operations it interrupts never return; the others continue
        events.append(Crash(time, of_object=True))
        for process in [process for process in is_open if rng.random() < 0.3]:
            call = is_open.pop(process)
            if "result" not in call and rng.random() < 0.6:
                limbo.append(call)
        return
    victim = None if rng.random() < 0.5 else rng.randrange(processes)
    events.append(Crash(time, victim))
    for process in [*is_open] if victim is None else [victim] if victim in is_open else []:
        call = is_open.pop(process)
        if "result" not in call and rng.random() < 0.4:
            limbo.append(call)


def _spoil(rng: random.Random, memory: _Memory, calls: list[dict[str, Any]]) -> None:
    complete = [call for call in calls if "return" in call]
    if not complete:
        return
    call = rng.choice(complete)
    drawn = rng.random()
    if drawn < 0.5:
        seen = [rng.choice(memory.everything[word]) for word in call["words"]]
        if call["op"] == "mwwrite":
            return
        if call["op"] != "mwcas":
            call["result"] = seen
        elif call["result"] is not True and rng.random() < 0.6:
            call["result"] = True
        else:
            call["result"] = memory.failure(rng.choice(call["words"]), seen)
    elif drawn < 0.9:
        other = rng.choice(complete)
        for name in ("call", "return", "process"):
            call[name], other[name] = other[name], call[name]
    else:
        call["return"] += rng.randint(0, 2)


def _sequential(ops: list[Operation], crashes: list[Crash]) -> History:
    """The history, with separate processes for operations that corruption made overlap."""
    free: dict[Any, float] = {}
    kept = []
    for drawn in sorted(ops, key=lambda each: (each.call, each.end)):
        op = drawn
        spans = any(op.outcome is Outcome.OK and c.covers(op.process) and op.call < c.time < op.end for c in crashes)
        if spans or op.call < free.get(op.process, 0):
            op = dataclasses.replace(op, process=f"s{len(kept)}")
            if any(crash.of_everything and op.call < crash.time < op.end for crash in crashes):
                op = dataclasses.replace(op, return_=None, result=None, outcome=Outcome.UNKNOWN)
        end = op.end
        if op.outcome is Outcome.UNKNOWN:
            end = min((c.time for c in crashes if c.interrupts(op.process) and c.time > op.call), default=float("inf"))
        free[op.process] = max(end, free.get(op.process, 0))
        kept.append(op)
    return History(kept, crashes=crashes)
