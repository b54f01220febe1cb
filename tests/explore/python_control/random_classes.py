# SPDX-License-Identifier: Apache-2.0
"""Random classes as source, and an oracle that computes all their outcomes without running Python's threads.

A program is made once, as a list of tiny instructions for each method; the source of the class and the steps of the
oracle both come from it. The oracle goes through all states: each access of a shared place is one step, an operation is
called with its first step and returns with its last.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.explore.python_control.outcomes import Outcome, Threads

KEY = "k"


class Statement(NamedTuple):
    """One statement of a method; ``body`` holds the statements guarded by a lock."""

    kind: str
    place: str = ""
    value: int = 0
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Program:
    """A class and the calls of its threads."""

    seed: int
    methods: dict[str, tuple[Statement, ...]]
    threads: Threads
    locks: int

    @property
    def source(self) -> str:
        lines = [
            "import threading",
            "",
            "class Random:",
            "    def __init__(self):",
            "        self.a = 0",
            "        self.b = 0",
        ]
        lines += ["        self.d = {}", "        self.l = [1]"]
        lines += [f"        self.lock{i} = threading.Lock()" for i in range(self.locks)]
        for name, body in self.methods.items():
            lines += ["", f"    def {name}(self):", "        out = ()"]
            lines += ["        " + line for line in _lines(body)]
            lines += ["        return out"]
        return "\n".join(lines) + "\n"

    def load(self) -> Callable[[], Any]:
        """The class itself."""
        file = f"<random class {self.seed}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(keepends=True), file)
        names: dict[str, Any] = {"__name__": "random_class"}
        exec(compile(self.source, file, "exec"), names)
        return names["Random"]


def _lines(body: tuple[Statement, ...]) -> Iterator[str]:
    for kind, place, value, inner in body:
        if kind == "read":
            yield f"out += (self.{place},)"
        elif kind == "write":
            yield f"self.{place} = {value}"
        elif kind == "add":
            yield f"self.{place} += {value}"
        elif kind == "claim":
            yield from (
                f"if '{KEY}' not in self.d:",
                f"    self.d['{KEY}'] = {value}",
                "else:",
                f"    out += (self.d['{KEY}'],)",
            )
        elif kind == "drop":
            yield f"out += (self.d.pop('{KEY}', None),)"
        elif kind == "append":
            yield f"self.l.append({value})"
        elif kind == "pop":
            yield from ("if self.l:", "    out += (self.l.pop(),)")
        elif kind == "with":
            yield f"with self.{place}:"
            yield from ("    " + line for line in _lines(inner))
        elif kind == "try":
            yield from (f"if self.{place}.acquire(blocking=False):", "    try:")
            yield from ("        " + line for line in _lines(inner))
            yield from ("    finally:", f"        self.{place}.release()", "else:", "    out += ('busy',)")


def generate(seed: int) -> Program:
    """A program of two or three threads."""
    choose = random.Random(seed)
    locks = choose.choice((0, 1, 1, 2, 2, 2))
    methods = {f"m{i}": _body(choose, choose.choice((1, 2, 2, 3, 4)), locks, frozenset()) for i in range(3)}
    many = choose.choice((2, 2, 2, 3))
    threads = [[(choose.choice(list(methods)),) for _ in range(choose.choice((1, 1, 2)))] for _ in range(many)]
    return Program(seed, methods, threads, locks)


def _body(choose: random.Random, size: int, locks: int, held: frozenset[str]) -> tuple[Statement, ...]:
    body: list[Statement] = []
    while size > 0:
        free = [f"lock{i}" for i in range(locks) if f"lock{i}" not in held]
        kinds = ["read", "write", "add", "claim", "drop", "append", "pop"] + ["with", "with", "with", "try"] * bool(
            free
        )
        kind = choose.choice(kinds + ["with"] * (6 if held and free else 0))  # crosswise locks can deadlock
        if kind in ("with", "try"):
            lock = choose.choice(free)
            inside = _body(choose, choose.randint(1, max(1, size - 1)), locks, held | {lock})
            body.append(Statement(kind, lock, body=inside))
            size -= 2
        else:
            body.append(Statement(kind, choose.choice("ab"), choose.randint(1, 3)))
            size -= 1
    return tuple(body)


# --- the oracle

Code = list[tuple[Any, ...]]


def _compile(body: tuple[Statement, ...], code: Code) -> None:
    """The steps of a method: except ``local``, ``jump`` and region marks, each is one access of a shared place."""
    for kind, place, value, inner in body:
        if kind in ("read", "write"):
            code.append((kind, place, value))
        elif kind == "add":
            code += [("fetch", place), ("store", place, value)]
        elif kind == "claim":
            code += [("look",), ("absent", len(code) + 5), ("look",), ("put", value), ("jump", len(code) + 7)]
            code += [("look",), ("get",)]
        elif kind == "drop":
            code += [("look",), ("discard",)]
        elif kind == "append":
            code += [("look",), ("append", value)]
        elif kind == "pop":
            code += [("look",), ("filled", len(code) + 4), ("look",), ("take",)]
        elif kind == "with":
            code += [("look",), ("acquire", place, "with")]
            _compile(inner, code)
            code.append(("release", place))
        elif kind == "try":
            code.append(("look",))
            attempt = len(code)
            code.append(())
            _compile(inner, code)
            code += [("look",), ("release", place), ("jump", len(code) + 4), ("local", "busy")]
            code[attempt] = ("attempt", place, len(code) - 1)


class Thread(NamedTuple):
    """The state of a thread between two steps."""

    results: tuple[str, ...] = ()
    at: int = 0
    out: tuple[Any, ...] = ()
    fetched: int = 0
    held: tuple[tuple[str, str], ...] = ()
    """Held locks and how they were taken, the latest last."""
    begun: bool = False
    raising: str = ""
    before: tuple[tuple[tuple[int, int], ...], ...] = ()
    """For each called operation, the operations of other threads that had returned."""


class Shared(NamedTuple):
    """The state shared by threads."""

    a: int = 0
    b: int = 0
    d: tuple[int, ...] = ()
    l: tuple[int, ...] = (1,)
    locks: frozenset[str] = frozenset()


class Oracle:
    """Visits all states of a program."""

    def __init__(self, program: Program, most_states: int) -> None:
        self._codes: dict[str, Code] = {}
        for name, body in program.methods.items():
            code: Code = []
            _compile(body, code)
            self._codes[name] = code
        self._threads = program.threads
        self._most = most_states
        self.outcomes: set[Outcome] = set()
        self.states = 0

    def run(self) -> bool:
        """Whether all states were visited; false if there are too many."""
        start = (Shared(), tuple(Thread() for _ in self._threads))
        seen = {start}
        todo = [start]
        while todo:
            shared, threads = todo.pop()
            following = [state for i in range(len(threads)) if (state := self._step(shared, threads, i)) is not None]
            if not following:
                self._end(threads)
            for state in following:
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
            if len(seen) > self._most:
                return False
        self.states = len(seen)
        return True

    def _end(self, threads: tuple[Thread, ...]) -> None:
        finished = all(len(one.results) == len(calls) for one, calls in zip(threads, self._threads, strict=True))
        before = sorted(
            (earlier, (i, k))
            for i, one in enumerate(threads)
            for k, those in enumerate(one.before)
            for earlier in those
        )
        results = tuple(one.results + ("open",) * one.begun for one in threads)
        self.outcomes.add(Outcome("COMPLETE" if finished else "STUCK", results, tuple(before)))

    def _step(self, shared: Shared, threads: tuple[Thread, ...], i: int) -> tuple[Shared, tuple[Thread, ...]] | None:
        """One access of a thread, with everything up to its next access; nothing if the thread cannot continue."""
        one = threads[i]
        if len(one.results) == len(self._threads[i]):
            return None
        code = self._codes[self._threads[i][len(one.results)][0]]
        if not one.begun:
            returned = tuple((j, k) for j, other in enumerate(threads) if j != i for k in range(len(other.results)))
            one = one._replace(begun=True, before=(*one.before, returned))
        if one.raising:
            shared, one = _unwind(shared, one)
        else:
            done = _act(shared, one, code[one.at])
            if done is None:
                return None
            shared, one = done
        one = _settle(one, code)
        return shared, (*threads[:i], one, *threads[i + 1 :])


def _settle(one: Thread, code: Code) -> Thread:
    """Steps without a shared place, up to the next access or the end of the operation."""
    while not one.raising and one.at < len(code) and code[one.at][0] in ("jump", "local"):
        kind, argument = code[one.at]
        one = one._replace(at=argument) if kind == "jump" else one._replace(out=(*one.out, argument), at=one.at + 1)
    if one.raising and not one.held:
        return Thread((*one.results, f"raises {one.raising}"), before=one.before)
    if not one.raising and one.at == len(code):
        return Thread((*one.results, repr(one.out)), before=one.before)
    return one


def _unwind(shared: Shared, one: Thread) -> tuple[Shared, Thread]:
    """An exception leaves the lock regions, the innermost first."""
    lock, how = one.held[-1]
    if how == "try":  # its finally clause looks the lock up
        return shared, one._replace(held=(*one.held[:-1], (lock, "looked up")))
    return shared._replace(locks=shared.locks - {lock}), one._replace(held=one.held[:-1])


def _act(shared: Shared, one: Thread, step: tuple[Any, ...]) -> tuple[Shared, Thread] | None:
    kind, *arguments = step
    on = one._replace(at=one.at + 1)
    if kind == "look":
        return shared, on
    if kind == "read":
        return shared, on._replace(out=(*one.out, getattr(shared, arguments[0])))
    if kind == "write":
        return shared._replace(**{arguments[0]: arguments[1]}), on
    if kind == "fetch":
        return shared, on._replace(fetched=getattr(shared, arguments[0]))
    if kind == "store":
        return shared._replace(**{arguments[0]: one.fetched + arguments[1]}), on._replace(fetched=0)
    if kind in ("acquire", "attempt"):
        return _take(shared, one, kind, arguments)
    if kind == "release":
        return shared._replace(locks=shared.locks - {arguments[0]}), on._replace(held=one.held[:-1])
    return _contents(shared, one, kind, arguments)


def _take(shared: Shared, one: Thread, kind: str, arguments: list[Any]) -> tuple[Shared, Thread] | None:
    lock = arguments[0]
    if lock in shared.locks:
        return None if kind == "acquire" else (shared, one._replace(at=arguments[1]))
    how = "with" if kind == "acquire" else "try"
    return shared._replace(locks=shared.locks | {lock}), one._replace(at=one.at + 1, held=(*one.held, (lock, how)))


def _contents(shared: Shared, one: Thread, kind: str, arguments: list[Any]) -> tuple[Shared, Thread]:
    on = one._replace(at=one.at + 1)
    if kind == "absent":
        return shared, one._replace(at=arguments[0]) if shared.d else on
    if kind == "put":
        return shared._replace(d=(arguments[0],)), on
    if kind == "get":
        return shared, on._replace(out=(*one.out, shared.d[0])) if shared.d else one._replace(raising="KeyError")
    if kind == "discard":
        return shared._replace(d=()), on._replace(out=(*one.out, shared.d[0] if shared.d else None))
    if kind == "append":
        return shared._replace(l=(*shared.l, arguments[0])), on
    if kind == "filled":
        return shared, on if shared.l else one._replace(at=arguments[0])
    if not shared.l:
        return shared, one._replace(raising="IndexError")
    return shared._replace(l=shared.l[:-1]), on._replace(out=(*one.out, shared.l[-1]))
