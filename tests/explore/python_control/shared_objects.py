# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: PLW0603, UP028, FLY002 - how code should not be written is what is tried here
"""Small objects shared by threads in every way that Python has, with the calls to test on them."""

from __future__ import annotations

import collections
import dataclasses
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.explore.python_control.outcomes import Threads


@dataclass(frozen=True)
class Subject:
    """An object to construct, and the calls of its threads."""

    make: Callable[[], Any]
    threads: Threads
    state: Callable[[Any], Any] | None = None
    results: int = 0
    """The pinned number of results, regardless of their order in time."""

    @property
    def name(self) -> str:
        calls = " | ".join("; ".join(str(call[0]) for call in each) for each in self.threads)
        return f"{self.make.__name__}: {calls}"


class Counter:
    def __init__(self):
        self.n = 0

    def increment(self):
        self.n += 1
        return self.n

    def read(self):
        return self.n


class Locked:
    def __init__(self):
        self.n = 0
        self.lock = threading.Lock()

    def increment(self):
        with self.lock:
            self.n += 1
            return self.n

    def attempt(self):
        if self.lock.acquire(blocking=False):
            self.n += 10
            self.lock.release()
            return True
        return False


class Bank:
    def __init__(self):
        self.accounts = {"a": 1, "b": 1}

    def transfer(self, source, target):
        if self.accounts[source] < 1:
            return False
        self.accounts[source] -= 1
        self.accounts[target] += 1
        return True

    def total(self):
        return sum(self.accounts.values())


class Lazy:
    made = 0

    def __init__(self):
        self.value = None
        self.count = 0

    def get(self):
        if self.value is None:
            self.count += 1
            self.value = [self.count]
        return self.value[0]


class Lru:
    def __init__(self):
        self.items = collections.OrderedDict([("a", 1)])

    def get(self, key):
        if key in self.items:
            self.items.move_to_end(key)
            return self.items[key]
        return None

    def put(self, key, value):
        self.items[key] = value
        if len(self.items) > 1:
            self.items.popitem(last=False)


class Registry:
    def __init__(self):
        self.names = {}

    def register(self, name, value):
        if name in self.names:
            return False
        self.names[name] = value
        return True

    def either(self, name, value):
        return self.names.setdefault(name, value)

    def drop(self, name):
        return self.names.pop(name, None)


class Deque:
    def __init__(self):
        self.items = collections.deque([1])

    def take(self):
        if self.items:
            return self.items.popleft()
        return None

    def rotate(self):
        self.items.append(2)
        self.items.rotate(1)


class Members:
    def __init__(self):
        self.names = {1}

    def toggle(self, name):
        if name in self.names:
            self.names.remove(name)
        else:
            self.names.add(name)
        return len(self.names)


class Classwide:
    total = 0

    @classmethod
    def fresh(cls):
        cls.total = 0
        return cls()

    def bump(self):
        type(self).total = self.total + 1
        return self.total


class Slots:
    __slots__ = ("x", "y")

    def __init__(self):
        self.x = 0
        self.y = 0

    def set(self, value):
        self.x = value
        self.y = value

    def get(self):
        return self.x, self.y


class Properties:
    def __init__(self):
        self._value = 0

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new

    def add(self):
        self.value = self.value + 1
        return self.value


total = 0


class Globals:
    def __init__(self):
        global total
        total = 0

    def add(self):
        global total
        total = total + 1
        return total


class Nonlocals:
    def __init__(self):
        count = 0

        def add():
            nonlocal count
            count += 1
            return count

        self.add_one = add

    def add(self):
        return self.add_one()


class Ticket:
    def __init__(self):
        self.limit = 3

        def numbers():
            for each in range(self.limit):
                yield each

        self.numbers = numbers()

    def take(self):
        return next(self.numbers, None)


class Lines:
    def __init__(self):
        self.lines = [1, 2]

    def total(self):
        result = 0
        for each in self.lines:
            result += each
        return result

    def add(self):
        self.lines.append(4)

    def doubled(self):
        return [each * 2 for each in self.lines]


class Table:
    def __init__(self):
        self.rows = {"a": 1}

    def keys(self):
        return sorted(key for key in self.rows)

    def put(self, key):
        self.rows[key] = 2


class Nested:
    def __init__(self):
        self.inner = Counter()

    def twice(self):
        return self._once() + self._once()

    def _once(self):
        return self.inner.increment()


@dataclasses.dataclass
class Point:
    x: int = 0
    y: int = 0

    def move(self, by):
        self.x, self.y = self.x + by, self.y + by

    def same(self):
        return self == Point(self.x, self.y)


class Mapping(dict):
    def add(self, key):
        self[key] = self.get(key, 0) + 1
        return self[key]

    def size(self):
        return len(self)


class Thing:
    pass


class Weak:
    def __init__(self):
        self.cache = weakref.WeakValueDictionary()
        self.kept = Thing()

    def put(self):
        if "k" not in self.cache:
            self.cache["k"] = self.kept
            return True
        return False

    def get(self):
        return self.cache.get("k") is self.kept


class InPlace:
    def __init__(self):
        self.items = [1]

    def grow(self):
        self.items += [len(self.items)]

    def look(self):
        return self.items[:], bool(self.items)

    def cut(self):
        del self.items[0]


class ByName:
    def __init__(self):
        self.x = 0

    def bump(self):
        name = "".join(["x"])
        setattr(self, name, getattr(self, name) + 1)
        return self.x


SMALL = [
    Subject(Counter, [[("increment",)], [("increment",)]], lambda s: s.n, results=4),
    Subject(Counter, [[("increment",), ("read",)], [("increment",)]], lambda s: s.n, results=5),
    Subject(Locked, [[("increment",)], [("increment",)]], lambda s: s.n, results=2),
    Subject(Locked, [[("increment",)], [("attempt",)]], lambda s: s.n, results=3),
    Subject(Bank, [[("transfer", "a", "b")], [("total",)]], results=2),
    Subject(Lazy, [[("get",)], [("get",)]], results=4),
    Subject(Lru, [[("get", "a")], [("put", "b", 2)]], lambda s: list(s.items), results=4),
    Subject(Registry, [[("register", "n", 1)], [("register", "n", 2)]], lambda s: s.names, results=4),
    Subject(Registry, [[("either", "n", 1), ("drop", "n")], [("register", "n", 2)]], lambda s: s.names, results=4),
    Subject(Deque, [[("take",)], [("take",)]], results=4),
    Subject(Deque, [[("take",)], [("rotate",)]], lambda s: list(s.items), results=2),
    Subject(Members, [[("toggle", 1)], [("toggle", 1)]], lambda s: s.names, results=5),
    Subject(Classwide.fresh, [[("bump",)], [("bump",)]], results=4),
    Subject(Slots, [[("set", 1)], [("get",)]], results=4),
    Subject(Properties, [[("add",)], [("add",)]], results=4),
    Subject(Globals, [[("add",)], [("add",)]], results=4),
    Subject(Nonlocals, [[("add",)], [("add",)]], results=4),
    Subject(Ticket, [[("take",)], [("take",)]], results=4),
    Subject(Lines, [[("total",)], [("add",)]], results=2),
    Subject(Lines, [[("doubled",)], [("add",)]], results=2),
    Subject(Table, [[("keys",)], [("put", "b")]], results=3),
    Subject(Nested, [[("twice",)], [("twice",)]], results=24),
    Subject(Point, [[("move", 1)], [("same",)]], results=2),
    Subject(Mapping, [[("add", "k")], [("add", "k")]], dict, results=4),
    Subject(Mapping, [[("add", "k")], [("size",)]], results=2),
    Subject(Weak, [[("put",)], [("get",)]], results=2),
    Subject(InPlace, [[("grow",)], [("look",)]], lambda s: s.items, results=2),
    Subject(InPlace, [[("grow",)], [("cut",)]], lambda s: s.items, results=2),
    Subject(ByName, [[("bump",)], [("bump",)]], results=4),
]
"""Small enough to run (nearly) every schedule without any reduction."""
