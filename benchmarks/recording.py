# SPDX-License-Identifier: Apache-2.0
"""Histories of a real queue on real threads, for Lowe's experiment.

The queue is Michael and Scott's lock-free one. Python has no compare-and-set instruction, so a cell has a lock for that
single step; everything between the steps interleaves freely, and a failed attempt is repeated, as in the original. On a
build with a global lock threads take turns far longer than a run of a few operations. So each attempt releases that
lock once, between reading and changing the queue: exactly where other threads intervene on real cores.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_ENQUEUES: Final = 0.3
_VALUES: Final = 20


class _Cell:
    """A reference with compare-and-set."""

    __slots__ = ("_lock", "value")

    def __init__(self, value: _Node | None) -> None:
        self.value = value
        self._lock = threading.Lock()

    def compare_and_set(self, old: _Node | None, new: _Node | None) -> bool:
        with self._lock:
            if self.value is not old:
                return False
            self.value = new
            return True


class _Node:
    """A link of the queue."""

    __slots__ = ("item", "next")

    def __init__(self, item: int | None) -> None:
        self.item = item
        self.next = _Cell(None)


def _let_others_run() -> None:
    time.sleep(0)


class LockFreeQueue:
    """Michael and Scott's queue (PODC 1996): a dummy in front, and a tail that may lag by one link."""

    def __init__(self) -> None:
        dummy = _Node(None)
        self._head = _Cell(dummy)
        self._tail = _Cell(dummy)

    def enqueue(self, item: int) -> None:
        """Add at the end."""
        node = _Node(item)
        while True:
            tail = self._tail.value
            assert tail is not None
            after = tail.next.value
            _let_others_run()
            if after is not None:
                self._tail.compare_and_set(tail, after)  # help an enqueue that has linked but not yet moved the tail
            elif tail.next.compare_and_set(None, node):
                self._tail.compare_and_set(tail, node)
                return

    def dequeue(self) -> int | None:
        """Take from the front; None when empty."""
        while True:
            head, tail = self._head.value, self._tail.value
            assert head is not None
            assert tail is not None
            first = head.next.value
            _let_others_run()
            if head is not self._head.value:
                continue
            if first is None:
                return None
            if head is tail:
                self._tail.compare_and_set(tail, first)
            elif self._head.compare_and_set(head, first):
                return first.item


def record(workers: int, operations: int, seed: int) -> list[dict[str, Any]]:
    """One run: each worker makes ``operations`` calls, 3 in 10 enqueues of one of 20 values, as on Lowe's slides."""
    shared = LockFreeQueue()
    logs: list[list[dict[str, Any]]] = [[] for _ in range(workers)]
    together = threading.Barrier(workers)

    def work(me: int) -> None:
        rng = random.Random(f"{seed}/{me}")
        choices = [rng.randrange(_VALUES) if rng.random() <= _ENQUEUES else None for _ in range(operations)]
        log = logs[me]
        together.wait()
        for value in choices:
            called = time.monotonic_ns()
            result = None
            if value is None:
                result = shared.dequeue()
            else:
                shared.enqueue(value)
            returned = time.monotonic_ns()
            log.append({"value": value, "result": result, "call": called, "return": returned})

    with _eager_switching():
        threads = [threading.Thread(target=work, args=(me,)) for me in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return [
        {
            "process": me,
            "op": "dequeue" if entry["value"] is None else "enqueue",
            "args": [] if entry["value"] is None else [entry["value"]],
            "result": entry["result"],
            "call": entry["call"],
            "return": entry["return"],
        }
        for me, log in enumerate(logs)
        for entry in log
    ]


def overlap(lines: list[dict[str, Any]]) -> float:
    """The share of operations that overlap one of another worker: how concurrent a recorded run was."""
    spans = sorted((line["call"], line["return"], line["process"]) for line in lines)
    overlapping = set()
    latest: dict[int, int] = {}  # for each worker the index of its last call so far
    for index, (called, _, process) in enumerate(spans):
        for other, last in latest.items():
            if other != process and spans[last][1] >= called:
                overlapping |= {index, last}
        latest[process] = index
    return len(overlapping) / max(1, len(spans))


@contextmanager
def _eager_switching() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
