# SPDX-License-Identifier: Apache-2.0
"""Recording a history from real threads: a wrapper that notes the times around each call.

The call time is taken before the call and the return time after it, with one clock for all threads. Here the object
is the standard library's queue behind a slow line, so every run passes; put your own in its place. To keep a history,
save it: ``linpoint.save(history, "recorded.jsonl.gz")``.
"""
# Run: python record_threads.py
# Exit code: 0

import queue
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import linpoint


class RemoteQueue:
    """A queue behind a line that takes its time, so that operations overlap."""

    def __init__(self) -> None:
        self._items: queue.SimpleQueue[int] = queue.SimpleQueue()

    def enqueue(self, value: int) -> None:
        """Add at the end."""
        self._travel()
        self._items.put(value)
        self._travel()

    def dequeue(self) -> int | None:
        """Take from the front; None when empty."""
        self._travel()
        try:
            return self._items.get_nowait()
        except queue.Empty:
            return None
        finally:
            self._travel()

    @staticmethod
    def _travel() -> None:
        time.sleep(random.random() / 1000)  # noqa: S311 - not a secret


operations: list[dict[str, Any]] = []  # appending to a list is atomic


def record(process: int, op: str, call: Callable[..., Any], *args: Any) -> None:
    started = time.monotonic_ns()
    result = call(*args)
    ended = time.monotonic_ns()
    operations.append(
        {"process": process, "op": op, "args": list(args), "result": result, "call": started, "return": ended}
    )


def work(process: int) -> None:
    for number in range(20):
        record(process, "enqueue", shared.enqueue, process * 1000 + number)
        record(process, "dequeue", shared.dequeue)


shared = RemoteQueue()
threads = [threading.Thread(target=work, args=(process,)) for process in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

verdict = linpoint.check(operations, "queue", budget="60s")
print(verdict.explain())
verdict.raise_for_violation()
assert not verdict.warnings
