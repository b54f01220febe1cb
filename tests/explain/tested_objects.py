# SPDX-License-Identifier: Apache-2.0
"""Minimal objects with every kind of failure, and some without, for sample results of tests."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from functools import cache
from typing import Any

import linpoint
from linpoint.campaign.driver import run_campaign
from linpoint.scenarios import definition_of
from linpoint.subjects.python_object.subject import PythonObjectSubject
from linpoint.verdicts.result import Result


class Counter(linpoint.ConcurrentTest):
    """An update is lost."""

    def setup(self) -> list[int]:
        return [0]

    @linpoint.operation
    def increment(self, cell: list[int]) -> int:
        value = cell[0]
        cell[0] = value + 1
        return value + 1


class Lazy(linpoint.ConcurrentTest):
    """Created twice."""

    def setup(self) -> dict[str, int]:
        return {"made": 0}

    @linpoint.operation
    def get(self, lazy: dict[str, int]) -> int:
        if "value" not in lazy:
            lazy["made"] = lazy["made"] + 1
            lazy["value"] = lazy["made"]
        return lazy["value"]


class Cache(linpoint.ConcurrentTest):
    """The least recently used entry is evicted while another thread looks at it."""

    before = 1

    def setup(self) -> OrderedDict[str, int]:
        return OrderedDict()

    @linpoint.operation(key="ab")
    def get(self, entries: OrderedDict[str, int], key: str) -> int | None:
        if key not in entries:
            return None
        entries.move_to_end(key)
        return entries[key]

    @linpoint.operation(key="ab")
    def put(self, entries: OrderedDict[str, int], key: str) -> None:
        if len(entries) >= 1 and key not in entries:
            entries.popitem(last=False)
        entries[key] = 1


class Pair:
    def __init__(self) -> None:
        self.left = threading.Lock()
        self.right = threading.Lock()


class Deadlock(linpoint.ConcurrentTest):
    """Two locks in two orders."""

    def setup(self) -> Pair:
        return Pair()

    @linpoint.operation
    def there(self, pair: Pair) -> None:
        with pair.left, pair.right:
            pass

    @linpoint.operation
    def back(self, pair: Pair) -> None:
        with pair.right, pair.left:
            pass


class Crossing:
    def __init__(self) -> None:
        self.left = False
        self.right = False
        self.rounds = 0


class Livelock(linpoint.ConcurrentTest):
    """Each announces that it wants to go, lets the other go first, and counts how long that takes."""

    def setup(self) -> Crossing:
        return Crossing()

    @linpoint.operation
    def go_left(self, crossing: Crossing) -> None:
        crossing.left = True
        while crossing.right:
            crossing.rounds += 1
        crossing.left = False

    @linpoint.operation
    def go_right(self, crossing: Crossing) -> None:
        crossing.right = True
        while crossing.left:
            crossing.rounds += 1
        crossing.right = False


class Raising(linpoint.ConcurrentTest):
    """An element that was present when checked is gone when it is taken."""

    spec = linpoint.specs.stack
    before = 1

    def setup(self) -> list[int]:
        return []

    @linpoint.operation(value=[1])
    def push(self, items: list[int], value: int) -> None:
        items.append(value)

    @linpoint.operation
    def pop(self, items: list[int]) -> int | None:
        return items.pop() if len(items) > 0 else None


_TICKS = itertools.count()


class Erratic(linpoint.ConcurrentTest):
    """The result depends on how often it ran."""

    def setup(self) -> list[int]:
        return [0]

    @linpoint.operation
    def roll(self, cell: list[int]) -> int:
        cell[0] = next(_TICKS)
        return cell[0]


class Locked(linpoint.ConcurrentTest):
    """Correct, and small enough for an exhaustive pass."""

    operations = 1

    def setup(self) -> Any:
        return threading.Lock(), [0]

    @linpoint.operation
    def increment(self, counter: Any) -> int:
        lock, cell = counter
        with lock:
            cell[0] += 1
            return int(cell[0])


class Dictionary(linpoint.ConcurrentTest):
    """Correct, but with more scenarios than are run."""

    spec = linpoint.specs.map

    def setup(self) -> dict[str, int]:
        return {}

    @linpoint.operation(key="ab")
    def get(self, entries: dict[str, int], key: str) -> int | None:
        return entries.get(key)

    @linpoint.operation(key="ab", value=[1, 2])
    def put(self, entries: dict[str, int], key: str, value: int) -> None:
        entries[key] = value


MARKUP = "</script><img src=x onerror=alert(1)>\u202e"


class Hostile(linpoint.ConcurrentTest):
    """An update is lost, and all visible text is markup."""

    def setup(self) -> dict[str, Any]:
        return {"</td><script>alert(2)</script>": 0}

    @linpoint.operation(text=[MARKUP])
    def swap(self, cells: dict[str, Any], text: str) -> Any:
        value = cells["</td><script>alert(2)</script>"]
        cells["</td><script>alert(2)</script>"] = text
        return value


RESULTS = {
    "counter": Counter,
    "lazy": Lazy,
    "lru": Cache,
    "deadlock": Deadlock,
    "livelock": Livelock,
    "exception": Raising,
    "nondeterminism": Erratic,
    "exhaustive": Locked,
    "bounded": Dictionary,
    "unknown": Counter,
    "hostile": Hostile,
}


@cache
def result(name: str) -> Result:
    """The result of the test of that name. The other model is omitted where it would take long."""
    subject = PythonObjectSubject(definition=definition_of(RESULTS[name]), gil_verdict=name != "livelock")
    return run_campaign(subject, 0.0 if name == "unknown" else 60.0)
