# SPDX-License-Identifier: Apache-2.0
"""Hand-made traces, as exploration, models and crash tests produce them, and a hostile one."""

from __future__ import annotations

from typing import Any

from linpoint.traces.trace import SourcePlace, StepKind, Trace, TraceFailure, TraceStep, TraceThread, UnpersistedStore

Kind = StepKind
HOSTILE = (
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "\x1b[2J\x1b]0;title\x07",
    "line\nbreak\r\ttab\x00",
    "\u202eevil\u202c \u2066x\u2069 \u200f\u061c\ufeff",
    "half \ud800 pair",
    "日本語の変数名" * 8,
    "e" + "\u0301" * 500,
    "\u0301at first",
    "👩\u200d👩\u200d👧 ❤\ufe0f \u1112\u1161\u11ab",
    "very_long_name_" * 400,
    "&amp; \" ' `",
    "",
    " ",
)


def step(thread: Any, kind: StepKind, location: str | None = None, value: Any = ..., **more: Any) -> TraceStep:
    """A step; ``at`` is its place: file, line, function and text."""
    if value is not ...:
        more["value"] = value
    if "at" in more:
        more["place"] = SourcePlace(*more.pop("at"))
    return TraceStep(thread, kind, location, **more)


def threads(*names: Any) -> tuple[TraceThread, ...]:
    return tuple(TraceThread(name) if isinstance(name, (int, str)) else TraceThread(*name) for name in names)


def store_buffering() -> Trace:
    """Dekker's test of each other's flag, without fences: both reads overtake the writes, which stay in the buffers."""

    def line(number: int, text: str) -> tuple[str, int, str, str]:
        return ("src/dekker.cpp", number, "main", text)

    left = (("flag[0]", 1),)
    right = (("flag[1]", 1),)
    relaxed: dict[str, Any] = {"memory_order": "relaxed"}
    assertion = line(21, "  assert(inside.fetch_add(1) == 0);")
    return Trace(
        threads((0, "left"), (1, "right")),
        (
            step(0, Kind.CALL, operation="enter", args=(0,), at=line(8, "void enter(int me) {")),
            step(0, Kind.WRITE, "flag[0]", 1, **relaxed, buffer=left, at=line(12, "flag[me].store(1, relaxed);")),
            step(0, Kind.READ, "flag[1]", 0, **relaxed, buffer=left, at=line(13, "if (flag[1 - me].load(relaxed))")),
            step(0, Kind.UPDATE, "inside", 1, old=0, memory_order="relaxed", buffer=left, at=assertion),
            step(
                1,
                Kind.CALL,
                operation="enter",
                args=(1,),
                buffer=(),
                preempts=True,
                at=line(8, "void enter(int me) {"),
            ),
            step(1, Kind.WRITE, "flag[1]", 1, **relaxed, buffer=right, at=line(12, "flag[me].store(1, relaxed);")),
            step(1, Kind.READ, "flag[0]", 0, **relaxed, buffer=right, at=line(13, "if (flag[1 - me].load(relaxed))")),
            step(0, Kind.DRAIN, "flag[0]", 1),
            step(1, Kind.UPDATE, "inside", 2, old=1, memory_order="relaxed", buffer=right, at=assertion),
            step(1, Kind.ASSERTION, message="inside.fetch_add(1) == 0", buffer=right, at=assertion),
        ),
        memory_model="tso",
        schedule="0*4 1*3 d0 1*2",
        failure=TraceFailure("assertion", 9, "Assertion `inside.fetch_add(1) == 0' failed.", related=(3, 8)),
    )


def lost_update() -> Trace:
    """Two increments in Python, one of which is lost."""

    def line(number: int, text: str) -> tuple[str, int, str, str]:
        return ("counter.py", number, "increment", text)

    read, add, write = line(7, "    value = self.value"), line(8, "    value += 1"), line(9, "    self.value = value")
    steps = [
        step("A", Kind.CALL, operation="increment", at=line(6, "def increment(self):")),
        step("A", Kind.READ, "counter.value", 0, at=read),
        step("A", Kind.LOCAL, at=add),
        step("B", Kind.CALL, operation="increment", preempts=True, at=line(6, "def increment(self):")),
        step("B", Kind.READ, "counter.value", 0, at=read),
        step("B", Kind.LOCAL, at=add),
        step("B", Kind.WRITE, "counter.value", 1, old=0, at=write),
        step("B", Kind.RETURN, operation="increment", value=None, at=write),
        step("B", Kind.EXIT),
        step("A", Kind.WRITE, "counter.value", 1, old=1, at=write),
        step("A", Kind.RETURN, operation="increment", value=None, at=write),
        step("A", Kind.EXIT),
    ]
    return Trace(
        threads("A", "B"), tuple(steps), failure=TraceFailure("linearizability", 10, "value is 1, and 2 was expected")
    )


def deadlock() -> Trace:
    """Three philosophers, each holding the fork that the next one needs."""
    forks = ("fork[0]", "fork[1]", "fork[2]")
    steps: list[TraceStep] = []
    for me in range(3):
        place = ("table.cpp", 30, "eat", "forks[me].lock();")
        steps.append(step(me, Kind.CALL, operation="eat", args=(me,), preempts=me > 0))
        steps.append(step(me, Kind.LOCK, forks[me], at=place))
    for me in range(3):
        place = ("table.cpp", 31, "eat", "forks[(me + 1) % 3].lock();")
        steps.append(step(me, Kind.BLOCK, forks[(me + 1) % 3], other=(me + 1) % 3, preempts=me == 0, at=place))
    return Trace(
        threads((0, "Aristotle"), (1, "Boethius"), (2, "Confucius")),
        tuple(steps),
        failure=TraceFailure("deadlock", 8, "nobody can go on", related=(6, 7)),
    )


def missing_flush() -> Trace:
    """A list whose node is published before it is persistent; recovery then reads zeros."""

    def line(number: int, text: str) -> tuple[str, int, str, str]:
        return ("list.hpp", number, "insert", text)

    value = UnpersistedStore("node.value", 7, cache_line="line 0x40")
    head = UnpersistedStore("head", "0x1040", cache_line="line 0x0")
    flushed = UnpersistedStore("head", "0x1040", "flushed", "line 0x0")
    steps = [
        step(0, Kind.CALL, operation="insert", args=(3, 7), at=line(40, "bool insert(int key, int value) {")),
        step(0, Kind.ALLOCATE, "node", at=line(41, "auto* node = pool.allocate<Node>();")),
        step(0, Kind.WRITE, "node.value", 7, old=0, unpersisted=(value,), at=line(42, "node->value = value;")),
        step(
            0,
            Kind.CAS,
            "head",
            "0x1040",
            expected=None,
            success=True,
            memory_order="seq_cst",
            unpersisted=(value, head),
            at=line(44, "head.compare_exchange_strong(first, node);"),
        ),
        step(0, Kind.FLUSH, "head", unpersisted=(value, flushed), at=line(45, "_mm_clwb(&head);")),
        step(0, Kind.FENCE, message="sfence", unpersisted=(value,), at=line(46, "_mm_sfence();")),
        step(0, Kind.PERSIST, "head", "0x1040", unpersisted=(value,)),
        step(0, Kind.RETURN, operation="insert", value=True, unpersisted=(value,)),
        step(None, Kind.CRASH, unpersisted=(value,)),
        step("recovery", Kind.RECOVERY_BEGIN),
        step("recovery", Kind.READ, "head", "0x1040", at=("list.hpp", 60, "recover", "for (auto* at = head; at;)")),
        step("recovery", Kind.RECOVERY_END),
        step("recovery", Kind.CALL, operation="get", args=(3,)),
        step("recovery", Kind.READ, "node.value", 0, at=("list.hpp", 53, "get", "return node->value;")),
        step("recovery", Kind.RETURN, operation="get", value=0),
    ]
    return Trace(
        threads((0, "worker"), "recovery"),
        tuple(steps),
        failure=TraceFailure("durability", 14, "insert(3, 7) had returned, but its value is gone", related=(2, 8)),
    )


def many_threads() -> Trace:
    """Twelve threads, too many for columns."""
    steps = []
    for me in range(12):
        place = ("pool.cpp", 10 + me, "work", f"jobs[{me}].fetch_add(1);")
        steps.append(step(me, Kind.CALL, operation="work", args=(me,), preempts=me % 5 == 1, at=place))
        steps.append(step(me, Kind.UPDATE, "jobs", me + 1, old=me, memory_order="acq_rel", at=place))
        steps.append(step(me, Kind.RETURN, operation="work", value=me))
    return Trace(threads(*range(12)), tuple(steps), failure=TraceFailure("progress"))


def long_run() -> Trace:
    """Five thousand steps, nearly all of them invisible to other threads."""
    steps = [step(0, Kind.CALL, operation="fill", args=(2_495,)), step(0, Kind.WRITE, "ready", 0)]
    fill, add = ("fill.cpp", 5, "fill", "mine[i] = i;"), ("sum.cpp", 8, "sum", "total += yours[i];")
    steps += [step(0, Kind.WRITE, f"mine[{number}]", number, at=fill) for number in range(2_495)]
    steps.append(step(0, Kind.WRITE, "ready", 1, at=("fill.cpp", 6, "fill", "ready = true;")))
    steps.append(step(1, Kind.CALL, operation="sum", preempts=True))
    steps += [step(1, Kind.READ, f"yours[{number}]", 0, at=add) for number in range(2_499)]
    steps += [step(1, Kind.READ, "ready", 1), step(1, Kind.ASSERTION, message="total == 3098805")]
    return Trace(threads((0, "writer"), (1, "reader")), tuple(steps), failure=TraceFailure("assertion", len(steps) - 1))


def round_and_round() -> Trace:
    """Two threads that wait for each other, a hundred times each, before the other continues."""
    loop = ("wait.py", 9, "wait", "while self.busy: self.rounds += 1")
    steps = [step(0, Kind.WRITE, "busy", True), step(1, Kind.WRITE, "busy", True, preempts=True)]
    for turn in range(20):
        for number in range(100):
            steps.append(step(turn % 2, Kind.READ, "busy", True, at=loop))
            steps.append(step(turn % 2, Kind.UPDATE, "rounds", number, at=loop))
    return Trace(threads((0, "ping"), (1, "pong")), tuple(steps), failure=TraceFailure("livelock", len(steps) - 1))


def busy_run() -> Trace:
    """Five thousand steps, all visible to the other thread, in no regular order."""
    steps = [
        step(n % 2, Kind.UPDATE, f"turn[{n * n % 101}]", n + 1, old=n, preempts=n in (700, 4_000)) for n in range(5_000)
    ]
    return Trace(threads((0, "ping"), (1, "pong")), tuple(steps), failure=TraceFailure("livelock", 4_999, related=(0,)))


def hostile() -> Trace:
    """Names, values and source lines that contain markup and control characters."""
    names = tuple(f"{number}{text}" for number, text in enumerate(HOSTILE[:3]))
    steps = []
    for number, text in enumerate(HOSTILE):
        place = (text or "empty", 10**9 + number, text, text)
        who = names[number % 3]
        steps.append(step(who, Kind.CALL, operation=text, args=(text, [text], {text: text}), at=place, message=text))
        steps.append(step(who, Kind.CAS, text, text, old=text, expected=text, success=False, buffer=((text, text),)))
        steps.append(step(who, Kind.BLOCK, text, other=names[0], at=place, message=text))
        steps.append(step(who, Kind.RETURN, operation=text, value={text: [text]}, buffer=((text, text),) * 20))
    steps.append(
        step(None, Kind.CRASH, message=HOSTILE[2], unpersisted=tuple(UnpersistedStore(text) for text in HOSTILE))
    )
    return Trace(
        threads(*names), tuple(steps), "pso", schedule=HOSTILE[3], failure=TraceFailure("crash", 40, HOSTILE[1], (1, 2))
    )


SAMPLES = {
    "store-buffering": store_buffering,
    "lost-update": lost_update,
    "deadlock": deadlock,
    "missing-flush": missing_flush,
    "many-threads": many_threads,
    "long-run": long_run,
    "busy-run": busy_run,
    "round-and-round": round_and_round,
    "hostile": hostile,
}
