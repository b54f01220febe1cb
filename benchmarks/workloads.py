# SPDX-License-Identifier: Apache-2.0
"""Histories of any size, linearizable by construction: operations take effect at hidden points inside their spans.

Guarantee: the lines depend only on the parameters and the seed. Without ``bad`` or ``stale`` a history is linearizable;
with one of them it is not, whether or not the calls that never returned took effect. Cost: O(operations).

    bad     one read in the last tenth returns a value that is never written (registers only)
    stale   one result in the last tenth is a value that occurs elsewhere, but is no longer available
    unknown calls that never returned, every other one of which took effect; their callers continue as new processes.
            They are in the first tenth, so that they are open during most of the history, or with ``spread`` anywhere
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from benchmarks.hidden_objects import Call, HiddenObjects, Maps, Queues, Registers


def cas_register_lines(
    operations: int,
    *,
    keys: int = 1,
    processes: int = 10,
    values: int = 5,
    seed: int = 1,
    bad: bool = False,
    stale: bool = False,
    unknown: int = 0,
    spread: bool = False,
) -> Iterator[str]:
    """Operation lines of CAS registers: each process calls, takes effect and returns at random moments.

    With ``values=0`` every value is written only once. ``bad`` replaces the result of one read in the last tenth by
    a value that is never written, ``stale`` by one that has been overwritten.
    """
    objects = Registers(operations, keys, processes, values, seed, bad=bad, stale=stale)
    return _lines(objects, operations, keys, processes, seed, unknown, spread=spread)


def map_lines(
    operations: int,
    *,
    keys: int = 10,
    processes: int = 10,
    values: int = 5,
    seed: int = 1,
    stale: bool = False,
    unknown: int = 0,
) -> Iterator[str]:
    """Operation lines of a key-value map with get, put and append; ``stale`` and ``values`` as for registers."""
    objects = Maps(operations, keys, processes, values, seed, stale=stale)
    return _lines(objects, operations, keys, processes, seed, unknown)


def queue_lines(
    operations: int,
    *,
    keys: int = 1,
    processes: int = 4,
    values: int = 0,
    length: int = 8,
    seed: int = 1,
    stale: bool = False,
    unknown: int = 0,
) -> Iterator[str]:
    """Operation lines of FIFO queues with enqueue, dequeue and peek.

    Dequeues prevail if a queue has ``length`` values. The longer it is, the later a search learns in which order
    overlapping enqueues took effect.

    With ``stale`` one dequeue in the last tenth takes the wrong value: with distinct values (``values=0``) one that is
    behind another, else one of which none is left.
    """
    objects = Queues(operations, keys, processes, values, seed, stale=stale, length=length)
    return _lines(objects, operations, keys, processes, seed, unknown)


def _lines(
    objects: HiddenObjects,
    operations: int,
    keys: int,
    processes: int,
    seed: int,
    unknown: int,
    *,
    spread: bool = False,
) -> Iterator[str]:
    """The lines in the order in which the operations end."""
    rng = random.Random(seed)
    # Lost calls come from a separate generator, so that the others are the same without them.
    last = operations * 9 // 10 if spread else max(operations // 10, unknown)
    lost = sorted(random.Random(f"{seed}/lost").sample(range(1, last + 1), unknown))
    effective = set(lost[::2])
    names = list(range(processes))
    open_calls: dict[int, Call] = {}
    clock = started = 0
    while started < operations or open_calls:
        clock += 1
        slot = rng.randrange(processes)
        call = open_calls.get(slot)
        if call is None:
            if started < operations:
                started += 1
                call = Call(
                    names[slot], clock, rng.randrange(keys), lost=started in lost, idle=started not in effective
                )
                open_calls[slot] = call
                objects.called(call, started)
        elif call.op == "":
            objects.take_effect(rng, call, started)
        else:
            del open_calls[slot]
            if call.lost:
                names[slot] = max(names) + 1
            else:
                call.returned = clock
                objects.returned(call)
            yield json.dumps(_line(call, objects, keys))
    objects.finish()


def _line(call: Call, objects: HiddenObjects, keys: int) -> dict[str, Any]:
    line: dict[str, Any] = {"process": call.process, "op": call.op, "args": call.args}
    if not call.lost:
        line["result"] = call.result
    line |= {"call": call.called, "return": call.returned}
    if keys > 1 and not objects.key_is_argument:
        line["key"] = call.key
    return line
