# SPDX-License-Identifier: Apache-2.0
"""The native readers of EDN and JSON events against those in Python: the same history or the same error."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.histories.formats.event_values import _LISTED
from linpoint.histories.lazy_operations import LazyOperations
from tests.histories.compare_readers import compare
from tests.robustness.test_fuzz_readers import mutate
from tests.volume import seeds, volume

DATA = Path(__file__).parents[2] / "data"
SHARED = Path(__file__).parents[4] / "shared" / "histories"
FILES = sorted(
    path
    for folder in (DATA, SHARED)
    for pattern in ("*.edn*", "*.json", "*.json.gz", "*.log", "*.txt")
    for path in folder.rglob(pattern)
    if path.is_file() and path.stat().st_size < 300_000
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_read_alike(path: Path) -> None:
    compare(path)
    compare(path, keyed=True)
    compare(path, keyed=False)


NAMES = [*sorted(_LISTED), "compare_and_set", "user-op", "try_acquire", "fetch_add"]
TEXTS = ["a", "b", "", "käse", 'q"', "back\\", "tab\t", "two\nlines", "\U0001f600", "x y", "nil"]


def scalar(rng: random.Random) -> Any:
    kinds: list[Callable[[], Any]] = [
        lambda: None,
        lambda: rng.random() < 0.5,
        lambda: rng.randint(-3, 3),
        lambda: rng.randint(-3, 3),
        lambda: rng.choice(TEXTS),
        lambda: rng.choice([2**40, 2**63 - 1, 2**63, -(2**63), 10**30, 1.0, -0.0, 0.5, 1e300]),
    ]
    return rng.choice(kinds if rng.random() < 0.2 else kinds[:5])()


def value(rng: random.Random, depth: int = 0) -> Any:
    if depth == 3 or rng.random() < 0.6:
        return scalar(rng)
    items = [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    if rng.random() < 0.6:
        return items
    return {rng.choice(["a", "b", "c", "ä"]): item for item in items}


def events_of(rng: random.Random) -> list[dict[str, Any]]:
    names = rng.sample(NAMES, rng.randint(1, 3)) + rng.choice([[], ["read"], ["cas"]])
    keyed = rng.choice(["no", "no", "pairs", "field"])
    plain = rng.random() < 0.5
    wild = rng.random() < 0.1
    some: Callable[[], Any] = (lambda: rng.randint(0, 3)) if plain else (lambda: value(rng))
    key: Callable[[], Any] = lambda: rng.choice([1, 2, "k", some() if wild else 1])  # noqa: E731
    open_calls: dict[Any, tuple[str, Any, Any]] = {}
    events: list[dict[str, Any]] = []
    processes: list[Any] = [0, 1, 2, "p"]
    for at in range(rng.randint(1, 24)):
        if rng.random() < 0.06:
            events.append({"process": "nemesis", "type": "info", "f": "kill", "value": value(rng), "time": at})
            continue
        process = rng.choice(processes)
        if process in open_calls:
            f, invoked, mine = open_calls.pop(process)
            kind = rng.choice(["ok", "ok", "ok", "fail", "info"])
            echo = f == "cas" or rng.random() < 0.5
            completed = invoked if echo else (some() if keyed != "pairs" else [mine, some()])
            event = {"process": process, "type": kind, "f": f, "value": completed}
            if keyed == "field" and rng.random() < 0.7:
                event["key"] = mine
            if kind == "info":
                processes[processes.index(process)] = 100 + at  # a process that comes back has a new name
        else:
            f, mine = rng.choice(names), key()
            inner = [some(), some()] if f == "cas" and rng.random() < 0.95 else some()
            invoked = [mine, inner] if keyed == "pairs" else inner
            open_calls[process] = (f, invoked, mine)
            event = {"process": process, "type": "invoke", "f": f, "value": invoked}
            if keyed == "field":
                event["key"] = mine
        if rng.random() < 0.7:
            event["time"] = rng.choice([at, at + 0.5, None]) if rng.random() < 0.3 else at
        if rng.random() < 0.05:
            event[rng.choice(["error", "node", "link"])] = value(rng)
        events.append(event)
    return odd(rng, numbered(rng, events))


def numbered(rng: random.Random, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if rng.random() < 0.5:
        for index, event in enumerate(events):
            event["index"] = index * 3
        if rng.random() < 0.3:
            rng.shuffle(events)
    return events


def odd(rng: random.Random, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mostly the same events; some have one error."""
    if rng.random() < 0.2:
        event = rng.choice(events)
        event.update(
            rng.choice(
                [
                    {"type": "oops"}, {"f": ""}, {"f": 3}, {"process": True}, {"process": 1.5}, {"index": "x"}, {"index": None},
                    {"time": "x"}, {"time": 10**30}, {"key": [1]}, {"value": [[None, 1]]}, {"type": "ok"}, {"process": 2**70},
                ]
            )
        )  # fmt: skip
        if rng.random() < 0.2:
            del event[rng.choice(sorted(event))]
    return events


def edn(rng: random.Random, item: Any) -> str:
    """EDN in any of its notations."""
    space = rng.choice([" ", " ", ", ", " ,", "  ", "\n", " ; note\n", ' #_ [1 {} "x"] '] if rng.random() < 0.05 else [" "])  # fmt: skip
    tag = rng.choice(["#inst ", "#my/tag"]) if rng.random() < 0.01 else ""
    if item is None:
        return f"{tag}nil"
    if isinstance(item, bool):
        return f"{tag}{str(item).lower()}"
    if isinstance(item, int):
        return tag + rng.choice([str(item)] * 8 + [f"{item}N", f"+{item}" if item >= 0 else str(item)])
    if isinstance(item, float):
        return tag + rng.choice([repr(item), repr(item), f"{item!r}M", "1.", "2.5e2"])
    if isinstance(item, str):
        if item and item.replace("-", "").replace("_", "").isalnum() and rng.random() < 0.6:
            return f"{tag}:{item}"
        escaped = item.replace("\\", "\\\\").replace('"', '\\"')
        if rng.random() < 0.3:
            escaped = escaped.replace("\n", "\\n").replace("\t", "\\t").replace("a", "\\u0061")
        return f'{tag}"{escaped}"'
    if isinstance(item, list):
        if rng.random() < 0.05:
            return tag + "#{" + space.join(edn(rng, each) for each in item) + "}"
        brackets = rng.choice(["[]", "[]", "()"])
        return tag + brackets[0] + space.join(edn(rng, each) for each in item) + brackets[1]
    pairs = [f"{edn(rng, name)} {edn(rng, each)}" for name, each in item.items()]
    return f"{tag}{{{(',' + space).join(pairs)}}}"


def edn_text(rng: random.Random) -> str:
    lines = [edn(rng, event) for event in events_of(rng)]
    if rng.random() < 0.2:
        lines = [f"#jepsen.history.Op{line}" for line in lines]
    for line in range(len(lines)):
        if rng.random() < 0.05:
            lines[line] += rng.choice([" ; a comment }", "\n\n", " #_ {:a [1 2]}", "\n#_#_ 1 2", ","])
    text = "\n".join(lines) + "\n"
    return rng.choice([text, text, f"[{text}]", f"; header\n({text})\n", text.replace("\n", "\r\n")])


def json_text(rng: random.Random) -> str:
    space = rng.choice([(", ", ": "), (",", ":")])
    ascii_only = rng.random() < 0.3
    lines = [json.dumps(event, ensure_ascii=ascii_only, separators=space) for event in events_of(rng)]
    return rng.choice(
        ["\n".join(lines) + "\n", "[\n" + ",\n".join(lines) + "\n]\n", "[" + ", ".join(lines) + "]", "[\n" + "\n,".join(lines) + "]"]
    )  # fmt: skip


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
@pytest.mark.parametrize(
    ("make", "name"), [(edn_text, "jepsen-edn"), (json_text, "jepsen-json"), (edn_text, "porcupine")]
)
def test_random_events_are_read_alike(
    make: Callable[[random.Random], str], name: str, seed: str, tmp_path: Path
) -> None:
    rng = random.Random(f"{seed} {name}")
    path = tmp_path / "events"
    alone = 0
    for _ in range(200):
        path.write_text(make(rng), newline="", encoding="utf-8")
        alone += compare(path, format=name, keyed=rng.choice([None, None, None, True, False]))
    assert alone > 25


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
@pytest.mark.parametrize(("make", "name"), [(edn_text, "jepsen-edn"), (json_text, "jepsen-json")])
def test_damaged_events_are_read_alike(
    make: Callable[[random.Random], str], name: str, seed: str, tmp_path: Path
) -> None:
    rng = random.Random(f"{seed} {name}")
    path = tmp_path / "damaged"
    for _ in range(200):
        path.write_bytes(mutate(rng, make(rng).encode()))
        compare(path, format=rng.choice([None, name]))


def test_a_form_may_span_many_blocks(tmp_path: Path) -> None:
    """A form that continues in the next block is read again once more data is available."""
    path = tmp_path / "h.edn"
    event = "{:process 0,\n :type :%s,\n :f :write, :value\n  [%s]}\n"
    long = "\n".join(str(at) for at in range(5000))
    path.write_text("[" + event % ("invoke", long) + event % ("ok", long) + "]")
    assert compare(path)
    history = linpoint.load(path)
    assert isinstance(history.operations, LazyOperations)
    assert (history[0].line, len(history[0].args[0])) == (1, 5000)


def test_annotations_of_events_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "h.edn"
    path.write_text(
        "{:process 0, :type :invoke, :f :read}\n"
        '{:process :nemesis, :type :info, :f :split, :value {"n1" #{"n3" "n2"}, 7 [true nil]}}\n'
        "{:process 0, :type :ok, :f :read, :value 1}\n"
    )
    assert compare(path)
    assert linpoint.load(path).annotations[0].text == 'split {"n1": ["n2", "n3"], "7": [true, null]}'
