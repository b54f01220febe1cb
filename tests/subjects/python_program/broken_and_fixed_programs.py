# SPDX-License-Identifier: Apache-2.0
"""Programs with a mistake, each with a correct twin."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """A program in which ``wrong`` replaces ``right``: the kind of finding, and its fewest preemptions."""

    name: str
    source: str
    wrong: str
    right: str
    kind: str
    preemptions: int
    executions: int | None = None
    """The number of DPOR executions of the correct program; None if it is not meaningful."""

    def program(self, *, broken: bool) -> str:
        """The source of one of the two programs."""
        part = textwrap.dedent(self.wrong if broken else self.right).strip("\n")
        lines = []
        for line in textwrap.dedent(self.source).lstrip("\n").splitlines():
            indent = line[: len(line) - len(line.lstrip())]
            lines += textwrap.indent(part, indent).splitlines() if line.strip() == "HERE" else [line]
        return "\n".join(lines) + "\n"


_RUN = """
threads = [threading.Thread(target=one, name="one"), threading.Thread(target=two, name="two")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

PAIRS = [
    Pair(
        "lost-update",
        """
        import threading
        counter = 0
        lock = threading.Lock()
        def one():
            global counter
            HERE
        two = one
        """
        + textwrap.indent(_RUN, " " * 8)
        + """
        assert counter == 2
        """,
        "counter += 1",
        "with lock:\n    counter += 1",
        "assertion",
        1,
        2,
    ),
    Pair(
        "two-locks",
        """
        import threading
        a, b = threading.Lock(), threading.Lock()
        def one():
            with a:
                with b:
                    pass
        def two():
            HERE
        """
        + textwrap.indent(_RUN, " " * 8),
        "with b:\n    with a:\n        pass",
        "with a:\n    with b:\n        pass",
        "deadlock",
        1,
        2,
    ),
    Pair(
        "lost-wake-up",
        """
        import threading
        condition = threading.Condition()
        items = []
        def one():
            with condition:
                HERE
                items.pop()
        def two():
            with condition:
                items.append("item")
                condition.notify()
        """
        + textwrap.indent(_RUN, " " * 8),
        "condition.wait()",
        "while not items:\n    condition.wait()",
        "deadlock",
        0,
        2,
    ),
    Pair(
        "half-made",
        """
        import threading
        class Config:
            pass
        config = None
        lock = threading.Lock()
        def one():
            global config
            if config is None:
                with lock:
                    if config is None:
                        HERE
            assert config.value == 42
        two = one
        """
        + textwrap.indent(_RUN, " " * 8),
        "config = Config()\nconfig.value = 42",
        "made = Config()\nmade.value = 42\nconfig = made",
        "exception",
        1,
        4,
    ),
    Pair(
        "check-then-act",
        """
        import threading
        table = {"key": 1}
        def one():
            HERE
        def two():
            table.pop("key", None)
        """
        + textwrap.indent(_RUN, " " * 8),
        'if "key" in table:\n    table["key"]',
        'table.get("key")',
        "exception",
        1,
        2,
    ),
    Pair(
        "module-level-lock",
        """
        import threading
        from threading import RLock
        lock = RLock()
        balance = {"a": 10, "b": 0}
        def move(amount):
            HERE
        def one():
            move(3)
        def two():
            move(4)
        """
        + textwrap.indent(_RUN, " " * 8)
        + """
        assert balance == {"a": 3, "b": 7}
        """,
        'balance["a"] -= amount\nbalance["b"] += amount',
        'with lock, lock:\n    balance["a"] -= amount\n    balance["b"] += amount',
        "assertion",
        1,
        2,
    ),
    Pair(
        "pool",
        """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        total = 0
        lock = threading.Lock()
        def add(number):
            global total
            HERE
        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(add, number) for number in (1, 2)]
        assert total == 3
        """,
        "total += number",
        "with lock:\n    total += number",
        "assertion",
        1,
    ),
    Pair(
        "store-buffering",
        """
        import threading
        x = y = 0
        seen = {}
        def one():
            global x
            HERE
            seen["one"] = y
        def two():
            global y
            y = 1
            seen["two"] = x
        """
        + textwrap.indent(_RUN, " " * 8)
        + """
        assert seen != {"one": 0, "two": 0}
        """,
        "pass",
        "x = 1",
        "assertion",
        0,
        6,
    ),
    Pair(
        "peterson-once",
        """
        import threading
        wants_one = wants_two = False
        turn = ""
        inside = 0
        def enter():
            global inside
            inside += 1
            assert inside == 1
            inside -= 1
        def one():
            global wants_one, turn
            wants_one = True
            turn = "two"
            if not (wants_two and turn == "two"):
                enter()
            wants_one = False
        def two():
            global wants_two, turn
            HERE
            if not (wants_one and turn == "one"):
                enter()
            wants_two = False
        """
        + textwrap.indent(_RUN, " " * 8),
        'turn = "one"\nwants_two = True',
        'wants_two = True\nturn = "one"',
        "assertion",
        2,
        14,
    ),
    Pair(
        "read-only",
        """
        import threading
        shared = 1
        def one():
            HERE
        def two():
            assert shared == 1
        """
        + textwrap.indent(_RUN, " " * 8),
        "global shared\nshared = 2",
        "assert shared == 1",
        "assertion",
        0,
    ),
]
