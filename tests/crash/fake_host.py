# SPDX-License-Identifier: Apache-2.0
"""A host that speaks the protocol and runs no code: its "target" is a JSON file that describes its behaviour.

It simulates a map that loses the ``insert`` of certain keys after it has returned. It also simulates behaviour that no
real host produces on demand: it dies, sends nonsense, falls silent or gives varying answers.
"""

import json
import os
import signal
import sys
import time


def option(name, default=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


with open(sys.argv[1], encoding="utf-8") as target:
    manner = json.load(target)
results = os.fdopen(int(option("--results")), "wb", buffering=0)
what = option("--crash").split(",")
shard, shards = map(int, option("--shard", "0/1").split("/"))
started = time.monotonic()


def say(**message):
    results.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")


say(hello={"protocol": 1})


def whole(text):
    return {"kind": "integer", "least": -(2**31), "most": 2**31 - 1} if text == "int" else {"kind": text}


DESCRIBED = {
    "tests": [
        {
            "name": "MapTest",
            "persistent": manner.get("persistent", True),
            "operations": [
                {"name": "insert", "parameters": [whole("int"), whole("int")], "result": {"kind": "boolean"}},
                {"name": "get", "parameters": [whole("int")], "result": {"kind": "optional", "parts": [whole("int")]}},
                {"name": "erase", "parameters": [whole("int")], "result": {"kind": "boolean"}},
            ],
        }
    ],
    "remarks": [],
}


def apply(state, name, args):
    key = args[0]
    if name == "get":
        return state.get(key)
    if name == "insert":
        if key in state:
            return False
        state[key] = args[1]
        return True
    return state.pop(key, None) is not None


def misbehave(moment):
    if manner.get("at") != moment:
        return
    how = manner["how"]
    if how == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "exit":
        sys.exit(3)
    if how == "nonsense":
        results.write(b"{not json\n")
        time.sleep(60)
    if how == "wrong":
        results.write(b'{"judge": {"class": 5}}\n')
        time.sleep(60)
    if how == "silence":
        results.close()
        time.sleep(60)
    if how == "hang":
        time.sleep(600)


misbehave("start")
if what == ["describe"]:
    say(described=DESCRIBED)
    sys.exit(0)
parts = os.read(int(option("--scenarios")), 1 << 26).split(b"\0")
lines = [line.split(" ", 2) for line in parts[0].decode().splitlines()[1:]]
calls = [(where, name, json.loads(args)) for where, name, args in lines]
workload = [number for number, call in enumerate(calls) if call[0] == "0"]
probes = [
    (number, int(call[0].partition("@")[2] or 0)) for number, call in enumerate(calls) if call[0].startswith("after")
]
state, traced, states = {}, [], [{}]
for number in workload:
    result = apply(state, *calls[number][1:])
    if manner.get("lies") == calls[number][2][0]:
        result = None if result is None else 77
    traced.append([result])
    states.append(dict(state))
ended = "complete"
if manner.get("fails"):
    ended = manner["fails"]
    traced[-1] = []
if manner.get("moody"):
    traced[0] = [os.getpid()]
modules = [{"path": sys.argv[1], "base": 0}]
edges = len({(call[1], call[2][0] % 7) for call in calls if call[0] == "0"})
say(
    traced={
        "ended": ended,
        "message": "signal 11" if ended == "crash" else "",
        "place": None,
        "results": traced,
        "events": 4 * len(workload),
        "stores": 2 * len(workload),
        "flushes": 1,
        "fences": 1,
        "allocations": 0,
        "points": {"atomic": 1, "guarded": 2, "publishing": 1, "fresh": 3, "stores": 3},
        "edges": edges,
        "locks": 0,
        "modules": modules,
    }
)
misbehave("traced")
tests = {"DL1": 0, "DL2": 0, "C2": 0, "DL3": 0, "exhaustive": 0, "recovery": 0}
groups = {}


def store(event, operation, **more):
    return {
        "event": event,
        "operation": operation,
        "thread": 0,
        "place": [0, 64],
        "stack": [],
        "address": 4096 + 8 * event,
        "size": 8,
        "value": "0700000000000000",
        "line": 4096 + 64 * (event // 8),
        "persisted": False,
        "kept": False,
        "kind": "store",
        **more,
    }


def ask(kind, completed, opened, after, event):
    """One crash: whether its outcome is allowed."""
    mine = [number for number, since in probes if since <= max(opened, default=completed - 1)]
    now = dict(after)
    seen = [[apply(now, *calls[number][1:])] for number in mine]
    question = {
        "class": kind,
        "prefix": completed,
        "open": opened,
        "done": [],
        "ended": manner.get("recovery", "complete"),
        "message": "",
        "probes": mine,
        "results": seen,
    }
    tests[kind] += 1
    say(judge=question)
    answer = os.read(int(option("--answers")), 1)
    if answer == b"-":
        group = groups.setdefault(1, {"group": 1, "count": 0, "classes": []})
        group["count"] += 1
        if kind not in group["classes"]:
            group["classes"].append(kind)
        operation = completed - 1 if not opened else opened[0]
        say(
            violation={
                "group": 1,
                **question,
                "confirmed": manner.get("confirmed", True),
                "event": event,
                "operation": operation,
                "state": [[4096, 1]],
                "sync": store(event, operation),
                "root": store(event, operation),
                "also": [],
                "before": None,
                "proven": True,
                "stores": [store(event, operation), store(event + 1, operation, kept=True)],
                "lock": False,
                "dl3": None,
            }
        )
    elif answer != b"+":
        sys.exit(4)


ended = "complete"
for at, number in enumerate(workload):
    if "state" in what or at % shards != shard or not set(what) & {"dl1", "dl2", "c2"}:
        continue
    if time.monotonic() - started > float(option("--seconds")):
        ended = "budget"
        break
    misbehave("testing")
    if "dl1" in what:
        ask("DL1", at, [number], states[at + 1], 4 * at)
    if "dl2" in what:
        ask("DL2", at, [number], states[at], 4 * at)
    if "c2" in what:
        name, args = calls[number][1:]
        lost = name == "insert" and args[0] in manner.get("lost", [])
        ask("C2", at + 1, [], states[at] if lost else states[at + 1], 4 * at + 1)
    say(progress={"tests": sum(tests.values()), "operation": at, "operations": len(workload)})
if "state" in what:
    words = dict(line.split(" ", 1) for line in parts[1].decode().splitlines() if line.startswith("crash"))
    at = int(words["crash"]) // 4
    lost = calls[workload[at]][2][0] in manner.get("lost", [])
    ask("C2", at + 1, [], states[at] if lost else states[at + 1], int(words["crash"]))
say(
    result={
        "ended": ended,
        "reason": "",
        "tests": tests,
        "duplicates": 1,
        "retests": 2,
        "schedules": 0,
        "infeasible": 0,
        "groups": list(groups.values()),
        "qualified": manner.get("qualified", []),
        "advice": [],
        "exhaustive": False,
        "seconds": 0.1,
        "modules": modules,
    }
)
