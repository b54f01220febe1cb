# SPDX-License-Identifier: Apache-2.0
"""The native replay of a memory of words agrees with the Python steps on any recordable input."""

from __future__ import annotations

import random
from typing import Any

import pytest

import linpoint
from linpoint.checkers._native_search import Flaw, certify_replay, words_fit
from linpoint.checkers.native_spec_twin import WordsTwin
from linpoint.histories.history import History
from linpoint.specs import mwcas
from linpoint.specs.spec import Spec
from tests.volume import SEED, least_of, volume

VALUES: list[Any] = [0, 1, 2, "a", None, True, 1.0, 2.5]
WORDS: list[Any] = ["x", "y", 3, True]


def random_lines(rng: random.Random) -> list[dict[str, Any]]:
    lines = []
    for number in range(rng.randint(1, 4)):
        words = rng.sample(WORDS, rng.randint(0, 3))
        name = rng.choice(["read", "mwcas", "mwcas", "mwswap", "mwwrite"])
        cells: list[Any] = words
        if name == "mwcas":
            cells = [[word, rng.choice(VALUES), rng.choice(VALUES)] for word in words]
        elif name != "read":
            cells = [[word, rng.choice(VALUES)] for word in words]
        results: list[Any] = [None, True, False, 7, [rng.choice(VALUES) for _ in words], {"at": rng.choice(WORDS)}]
        results += [[0] * len(words), {"at": "x", "why": 1}, {"by": "x"}, [0, 0, 0, 0]]
        line = {"process": 0, "op": name, "args": [cells], "call": 2 * number, "result": rng.choice(results)}
        lines.append({**line, "return": 2 * number + 1})
    return lines


def first_rejected(history: History, spec: Spec) -> int:
    states: list[Any] = [spec.initial]
    for position, op in enumerate(history.operations):
        states = [after for state in states for after in spec.successors(state, op)]
        if not states:
            return position
    return -1


@pytest.mark.random
def test_replays_reject_what_the_steps_reject() -> None:
    rng = random.Random(SEED)
    histories = volume(4000)
    accepted = 0
    for _ in range(histories):
        history = linpoint.history(random_lines(rng))
        spec = mwcas(initial=rng.choice([0, 1, {"x": 1}, [["x", 2], [3, "a"], [True, 1]]]))
        twin = WordsTwin(history, spec)
        order = list(range(len(history)))
        flaw, position = certify_replay(twin.columns, order, twin.blueprint, twin.content(order))
        expected = first_rejected(history, spec)
        assert (flaw is Flaw.NONE) is (expected < 0), (history.operations, spec.initial)
        assert flaw is Flaw.NONE or position == expected, (history.operations, spec.initial)
        accepted += expected < 0
    assert least_of(1 / 20, histories) < accepted < histories * 0.95


@pytest.mark.random
def test_native_and_python_complaints_agree() -> None:
    rng = random.Random(SEED)
    for _ in range(volume(1000)):
        lines = random_lines(rng)
        if rng.random() < 0.5:
            wrong: list[Any] = [["x"], [[["x", 1]]], [[["x", 0, 1], ["x", 1, 2]]], [3], [[["x", 0, [1]]]], [{"x": 1}]]
            lines[-1]["args"] = rng.choice(wrong)
        history = linpoint.history(lines)
        spec = mwcas()
        complaints = [spec.complaint(op) for op in history.operations]
        fits = words_fit(history.columns.as_read, WordsTwin(history, spec).blueprint)
        assert not (fits and any(complaints)), lines
        assert fits or any(complaints) or any(map(_nested, history)), lines


def _nested(op: linpoint.Operation) -> bool:
    """Whether a word or a value is a list, which the native core leaves to Python."""
    cells = op.args[0] if isinstance(op.args[0], tuple) else ()
    parts = cells if op.name == "read" else [part for cell in cells if isinstance(cell, tuple) for part in cell]
    return any(isinstance(part, tuple) for part in parts)
