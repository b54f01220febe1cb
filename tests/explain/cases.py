# SPDX-License-Identifier: Apache-2.0
"""Histories whose explanations are golden texts: a violation of every built-in spec, and one of every cause."""

from __future__ import annotations

from typing import Any

Case = tuple[Any, Any, dict[str, Any]]

SPECS: dict[str, Case] = {
    "cas-register": (
        """
        p1: |--write(1)--|                              |--read()->1--|
        p2:                |--cas(1, 2)->true--|
        """,
        "cas-register",
        {},
    ),
    "multi-register": (
        """
        p1: |--txn([["write", "x", 1], ["write", "y", 1]])->[["write", "x", 1], ["write", "y", 1]]--|
        p2:    |--txn([["read", "x", null], ["read", "y", null]])->[["read", "x", 1], ["read", "y", null]]--|
        """,
        "multi-register",
        {},
    ),
    "map": ('p1: |--put("k", 1)--| |--delete("k")->true--| |--contains("k")->true--|', "map", {}),
    "counter": (
        """
        p1: |--increment()--|
        p2:  |--increment()--|   |--read()->1--|
        """,
        "counter",
        {},
    ),
    "fetch-add": (
        """
        p1: |--fetch-add(1)->0--|
        p2:  |--fetch-add(1)->0--|
        """,
        "fetch-add",
        {},
    ),
    "deque": (
        """
        p1: |--push-back(1)--|                   |--pop-front()->2--|
        p2:                    |--push-back(2)--|
        """,
        "deque",
        {},
    ),
    "priority-queue": (
        "p1: |--insert(3)--| |--insert(7)--| |--delete-max()->3--|",
        "priority-queue",
        {},
    ),
    "set": ("p1: |--add(1)->true--|\np2:   |--add(1)->true--|", "set", {}),
    "multiset": ("p1: |--add(4)--| |--add(4)--| |--remove(4)->true--| |--count(4)->2--|", "multiset", {}),
    "rw-lock": (
        """
        p1: |--acquire-read()--|                         |--release-read()--|
        p2:                      |--acquire-write()--|
        """,
        "rw-lock",
        {},
    ),
    "semaphore": (
        "p1: |--acquire()--|\np2:   |--acquire()--|\np3:     |--try-acquire()->true--|",
        "semaphore(2)",
        {},
    ),
    "log": (
        """
        p1: |--append("a")->0--|
        p2:   |--append("b")->1--|  |--read()->["b", "a"]--|
        """,
        "log",
        {},
    ),
    "queue-with-a-capacity": (
        "p1: |--enqueue(1)->true--| |--enqueue(2)->true--|",
        "queue(capacity=1)",
        {},
    ),
}


def _lines(*rows: tuple[Any, str, list[Any], Any, float, float | None], **more: Any) -> list[dict[str, Any]]:
    fields = ("process", "op", "args", "result", "call", "return")
    return [dict(zip(fields, row, strict=True)) | more for row in rows]


def _tiny(count: int) -> list[dict[str, Any]]:
    """A register whose reader's clock is slightly late: it sees each value just after the next one is written."""
    lines = []
    for number in range(count):
        start = 100 * number
        lines += _lines(("writer", "write", [number], None, start, start + 40))
        lines += _lines(("reader", "read", [], number - 1 if number else None, start + 43, start + 80))
    return lines


def _split() -> list[dict[str, Any]]:
    """Two pairs of clients, each of which sees only its own writes."""
    lines, time = _lines(("a1", "write", ["first"], None, 0, 5)), 10
    for number in range(3):
        for side in ("a", "b") if number % 2 else ("b", "a"):
            value = f"{side}{number}"
            lines += _lines((f"{side}1", "write", [value], None, time, time + 2))
            lines += _lines((f"{side}2", "read", [], value, time + 3, time + 5))
            time += 10
        for side in ("a", "b"):
            lines += _lines((f"{side}2", "read", [], f"{side}{number}", time, time + 2))
            time += 5
    return [*lines, {"annotation": "network split: n1 | n2, n3", "time": 7, "until": 200}]


CAUSES: dict[str, Case] = {
    "stale-read": (
        """
        p1: |--write(1)--| |--write(2)--|
        p2:                                  |--read()->1--| |--read()->2--|
        """,
        "register",
        {},
    ),
    "lost-write": (
        """
        p1: |--write(1)--| |--write(2)--|
        p2:                                  |--cas(1, 3)->true--|
        """,
        "cas-register",
        {},
    ),
    "lost-after-crash": (
        [
            *_lines(("p1", "write", [1], None, 0, 5), ("p1", "write", [2], None, 10, 15)),
            *_lines(("p2", "read", [], 1, 40, 45), ("p2", "read", [], 1, 50, 55)),
            {"annotation": "kill -9 n1", "time": 20},
            {"annotation": "start n1", "time": 30},
        ],
        "register",
        {},
    ),
    "hidden-retry": (
        [
            *_lines(("p1", "write", [1], None, 0, 5)),
            {"process": "p1", "op": "cas", "args": [1, 2], "outcome": "failed", "call": 10, "return": 30},
            *_lines(("p2", "read", [], 2, 40, 45)),
        ],
        "cas-register",
        {},
    ),
    "split-brain": (_split(), "register", {}),
    "wrong-initial-value": ("p1: |--read()->0--| |--write(1)--| |--read()->1--|", "register", {}),
    "duplicate-delivery": (
        """
        p1: |--enqueue("m")--| |--dequeue()->"m"--|
        p2:                       |--dequeue()->"m"--|
        """,
        "queue",
        {},
    ),
    "torn-snapshot": (
        """
        p1: |--mwcas([["x", 0, 1], ["y", 0, 1]])->true--|
        p2:   |--read(["x", "y"])->[1, 0]--|
        """,
        "mwcas",
        {},
    ),
    "non-atomic-update": (
        """
        p1: |--write(5)--| |--cas(5, 6)->true--|
        p2:                  |--cas(5, 7)->true--|
        """,
        "cas-register",
        {},
    ),
    "clock-trouble": (_tiny(5), "register", {}),
    "unrecorded-writer": ("p1: |--write(1)--| |--read()->9--| |--read()->1--|", "register", {}),
}
