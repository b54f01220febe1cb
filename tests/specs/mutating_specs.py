# SPDX-License-Identifier: Apache-2.0

"""Random specs that work in place, and an oracle that runs each order of a history in place on one real object."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import linpoint
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import equal_values, freeze, thaw
from linpoint.specs.spec import Spec

Step = Callable[..., Any]
INITIAL: dict[str, Any] = {"map": {}, "list": [], "set": set(), "deep": {"x": [[0], ({"y": 1},)]}}


def put(state, key, value):
    state["map"][key] = value
    return None, state


def get(state, key):
    return state["map"].get(key), state


def push(state, value):
    state["list"].append(value)
    return len(state["list"]), state


def pop(state):
    return (state["list"].pop() if state["list"] else None), state


def shift(state):
    if not state["list"]:
        return None, state
    return state["list"].pop(0), dict(state)


def add(state, value):
    before = len(state["set"])
    state["set"].add(str(value))
    return len(state["set"]) > before, state


def members(state):
    return sorted(state["set"]), state


def deepen(state, value):
    state["deep"]["x"][1][0]["y"] += 1
    state["deep"]["x"][0].append(value)
    return state["deep"]["x"][1][0]["y"], state


def deep(state):
    return state["deep"], state


def drop(state, key):
    if key in state["map"]:
        del state["map"][key]
        return True, state
    return False, state


def default(state, key):
    """Changes the state while reading it."""
    return state["map"].setdefault(key, []), state


def grow(state, key, value):
    """Changes a stored argument."""
    found = state["map"].get(key)
    if isinstance(found, list):
        found.append(value)
    return found, state


def bump(state):
    """Changes the content of an element."""
    if state["list"] and isinstance(state["list"][0], list):
        state["list"][0].append(9)
    return state["list"], state


def alias(state, value):
    """Stores one argument in two places."""
    state["map"]["a"] = state["map"]["b"] = value
    return None, state


def duplicate(state):
    """Returns a new state that shares a list with itself."""
    return None, {**state, "list": [*state["list"], *state["list"][:1]]}


def pure(state, key, value):
    return None, {**state, "map": {**state["map"], key: value}}


def consume(state, values):
    """Changes its argument."""
    total = 0
    while values:
        total += values.pop()
    return total, state


def forget(state, value):
    """Works in place without declaring it."""
    after = copy.deepcopy(state)
    state["list"].append(value)
    return None, after


def either(state, value):
    state["list"].append(value)
    return [(True, state), (False, state)]


STEPS: dict[str, tuple[Step, Sequence[Callable[[random.Random], Any]]]] = {}


def _key(rng: random.Random) -> str:
    return rng.choice("ab")


def _number(rng: random.Random) -> int:
    return rng.randint(1, 2)


def _value(rng: random.Random) -> Any:
    return rng.choice([1, 2, [1], [1, 2], {"k": [1]}])


def _list(rng: random.Random) -> list[int]:
    return [rng.randint(1, 2) for _ in range(rng.randint(0, 2))]


STEPS |= {
    "put": (put, (_key, _value)),
    "get": (get, (_key,)),
    "push": (push, (_value,)),
    "pop": (pop, ()),
    "shift": (shift, ()),
    "add": (add, (_number,)),
    "members": (members, ()),
    "deepen": (deepen, (_number,)),
    "deep": (deep, ()),
    "drop": (drop, (_key,)),
    "default": (default, (_key,)),
    "grow": (grow, (_key, _number)),
    "bump": (bump, ()),
    "alias": (alias, (_list,)),
    "duplicate": (duplicate, ()),
    "pure": (pure, (_key, _value)),
    "consume": (consume, (_list,)),
    "forget": (forget, (_number,)),
    "either": (either, (_number,)),
}
UNCLEAR = {"forget", "either"}
"""Steps without a meaning in place: using them must be rejected."""
SHARING = {"alias", "duplicate"}
"""Steps after which a list may stand in two places."""


class Applied:
    """The same steps as an object with ``apply``."""

    name = "applied"

    def __init__(self, names: Sequence[str]) -> None:
        self.initial = copy.deepcopy(INITIAL)
        self._names = names

    def apply(self, state: Any, op: Operation) -> Any:
        assert op.name in self._names
        return STEPS[op.name][0](state, *map(thaw, op.args))


def random_spec(rng: random.Random, names: Sequence[str]) -> Spec | Applied:
    if rng.random() < 0.3:
        return Applied(names)
    body: dict[str, Any] = {name: STEPS[name][0] for name in names}
    return linpoint.spec(type("Mutating", (), {"initial": copy.deepcopy(INITIAL), **body}))


def random_names(rng: random.Random, *, clear: bool) -> list[str]:
    names = [name for name in STEPS if not clear or name not in UNCLEAR]
    return rng.sample(names, rng.randint(2, 5))


def random_history(rng: random.Random, names: Sequence[str], length: int) -> History:
    """Operations of three processes; mostly with the results of running them one by one on a real object."""
    free = [0, 0, 0]
    state = copy.deepcopy(INITIAL)
    operations = []
    for point in range(1, length + 1):
        process = rng.randrange(3)
        name = rng.choice(names)
        step, makers = STEPS[name]
        args = [make(rng) for make in makers]
        results, state = _really(step, state, args)
        result = results if rng.random() < 0.8 else rng.choice([None, True, False, 1, 2, 3, [1], []])
        call = max(free[process], 10 * point - rng.randint(0, 25))
        end = max(call + 1, 10 * point + rng.randint(0, 25))
        free[process] = end + 1
        unknown = rng.random() < 0.1
        outcome = Outcome.UNKNOWN if unknown else Outcome.OK
        operations.append(
            Operation(
                f"{process}", name, freeze(args), None if unknown else result, call, None if unknown else end, outcome
            )
        )
        if unknown:
            break
    return History(operations)


def _really(step: Step, state: Any, args: list[Any]) -> tuple[Any, Any]:
    found = step(state, *copy.deepcopy(args))
    result, after = found[0] if isinstance(found, list) else found
    return freeze(copy.deepcopy(result)), after


def holds(history: History) -> bool:
    """The oracle: whether some order gives the results, on a real object for each order."""
    operations = list(history)
    numbers = range(len(operations))
    optional = [n for n in numbers if operations[n].outcome is Outcome.UNKNOWN]
    for left_out in itertools.chain.from_iterable(
        itertools.combinations(optional, n) for n in range(len(optional) + 1)
    ):
        kept = [n for n in numbers if n not in left_out]
        for order in itertools.permutations(kept):
            ordered = all(not operations[b].end < operations[a].call for a, b in itertools.combinations(order, 2))
            if ordered and _runs([operations[n] for n in order]):
                return True
    return False


def _runs(order: Sequence[Operation]) -> bool:
    state = copy.deepcopy(INITIAL)
    for op in order:
        result, state = _really(STEPS[op.name][0], state, [thaw(each) for each in op.args])
        if op.outcome is Outcome.OK and not equal_values(op.result, result):
            return False
    return True
