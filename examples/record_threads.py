# SPDX-License-Identifier: Apache-2.0
"""Recording a history from real threads: wrap the object, and call it from any thread.

Here the object is the standard library's queue behind a slow connection, so every run passes; use your own instead. To
keep a history, save it: ``linpoint.save(recorder.history(), "recorded.jsonl.gz")``.
"""
# Run: python record_threads.py
# Exit code: 0

import queue
import random
import threading
import time

import linpoint


class RemoteQueue:
    """A queue behind a slow connection, so that operations overlap."""

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


recorder = linpoint.Recorder()
shared = recorder.wrap(RemoteQueue())


def work(process: int) -> None:
    for number in range(20):
        shared.enqueue(process * 1000 + number)
        shared.dequeue()


threads = [threading.Thread(target=work, args=(process,)) for process in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

verdict = linpoint.check(recorder.history(), "queue", budget="60s")
print(verdict.explain())
verdict.raise_for_violation()
assert not verdict.warnings
