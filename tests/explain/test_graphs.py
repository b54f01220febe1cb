# SPDX-License-Identifier: Apache-2.0
"""Precedence graphs: the figures of the paper, their content and its limits, and hostile text in all formats."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.precedence_edges import value_links
from linpoint.explain.history.graph import Edge, PrecedenceGraph
from linpoint.explain.history.graph.memory_operation_text import clean, detail, heading
from linpoint.histories.operation import Operation, Outcome
from linpoint.text.terminal_text import display_width
from tests.docs.pages import ROOT, blocks_of
from tests.random_memories import random_memory

FOLDER = Path(__file__).parent / "golden_graphs"
SVG = "{http://www.w3.org/2000/svg}"

FIGURES = {
    "figure-5": """
        A: |--mwcas([["A", 0, 1], ["B", 0, 1]])->true--|                                   |--read(["A", "B"])->[1, 1]--|
        B:                                               |--mwcas([["B", 1, 2]])->true--|
        """,
    "figure-7": """
        A: |--mwcas([["A", 0, 1], ["B", 0, 1]])->true--|  |--mwcas([["A", 1, 3], ["B", 1, 3]])->{"at": "A"}--|
        B:                                                  |--mwcas([["B", 1, 2]])->true--|
        C:                                                                                                      |--mwcas([["A", 1, 2]])->true--|
        """,
    "figure-11": """
        t0: |--mwswap([["A", 2]])->[0]--|  |--mwswap([["A", 3]])->[2]--|
        t1:                                  |--mwswap([["A", 4]])->[2]--|
        """,
    "figure-13": """
        t0: |--mwcas([["B", 0, 1], ["A", 0, 1]])->true--|
        t1:   |--mwcas([["C", 0, 2], ["A", 0, 2]])->{"at": "A"}--|
        t2:      |--mwcas([["C", 0, 3], ["D", 0, 3]])->{"at": "C"}--|
        """,
    "nobody": 'A: |--mwcas([["x", 0, 1]])->true--|  |--read(["x"])->[9]--|',
    "crash": """
        A:     |--mwcas([["x", 0, 1]])->true--| |--mwcas([["x", 1, 2], ["y", 0, 2]])--...      |--read(["x", "y"])->[2, 2]--|
        B:       |--mwcas([["z", 0, 4]])--...                                                    |--mwcas([["y", 2, 5]])->true--|
        C:                                        |--read(["z"])->[0]--|
        crash:                                                                                X
        """,
}


def graph_of(history: Any, spec: Any = "mwcas", **options: Any) -> PrecedenceGraph:
    return linpoint.check(history, spec, **options).precedence_graph()


def edges(graph: PrecedenceGraph) -> set[tuple[Any, ...]]:
    return {(edge.source, edge.target, edge.because, edge.says) for edge in graph.edges}


def circle(graph: PrecedenceGraph, which: int = 0) -> list[tuple[Any, ...]]:
    found = [graph.edges[index] for index in graph.contradictions[which]]
    return [(edge.source, edge.target, edge.because, edge.says) for edge in found]


def contradicting_positions(graph: PrecedenceGraph) -> list[int]:
    return [vertex.position for vertex in graph.vertices if vertex.contradicts]


# The figures of the paper


@pytest.mark.parametrize("ending", ["dot", "json"])
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_matches_its_golden_file(name: str, ending: str, request: pytest.FixtureRequest) -> None:
    graph = graph_of(FIGURES[name])
    text = graph.as_dot() if ending == "dot" else json.dumps(graph.as_dict(), indent=1) + "\n"
    path = FOLDER / f"{name}.{ending}"
    if request.config.getoption("--refresh-golden", default=False):
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path} is missing: run pytest tests/explain --refresh-golden and look at the result"
    assert text == path.read_text(encoding="utf-8")


def test_every_golden_file_has_its_figure() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {
        f"{name}.{kind}" for name in FIGURES for kind in ("dot", "json")
    }


def test_the_picture_in_the_documentation_is_up_to_date(request: pytest.FixtureRequest) -> None:
    page = ROOT / "docs" / "how-to" / "see-the-graph.md"
    lines = next(block.text for block in blocks_of(page.read_text(encoding="utf-8")) if block.file == "swaps.jsonl")
    history = linpoint.history([json.loads(line) for line in lines.splitlines()])
    path = page.with_name("fork.svg")
    text = graph_of(history).as_svg()
    if request.config.getoption("--refresh-golden", default=False):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_stale_read_is_a_cycle_of_two() -> None:
    graph = graph_of(FIGURES["figure-5"])
    (swap,) = [v.position for v in graph.vertices if v.operation.args == ((("B", 1, 2),),)]
    (read,) = [v.position for v in graph.vertices if v.operation.name == "read"]
    assert sorted(circle(graph)) == sorted([(swap, read, "real-time", ""), (read, swap, "replaced", "B=1")])
    assert sorted(contradicting_positions(graph)) == sorted([swap, read])
    assert (0, read, "reads-from", "A=1") in edges(graph)  # the writer of the value that the read saw
    assert not graph.has("genesis")  # the initial values explain nothing here


def test_every_explanation_of_a_failure_closes_a_cycle() -> None:
    graph = graph_of(FIGURES["figure-7"])
    assert [[step[2] for step in circle(graph, which)] for which in (0, 1)] == [
        ["real-time", "failed-before"],
        ["real-time", "failed-after"],
    ]
    assert {graph.number(index) for index in graph.contradicting} == {"1.1", "1.2", "2.1", "2.2"}


def test_a_fork_is_one_vertex_with_two_reads_of_the_same_word() -> None:
    graph = graph_of(FIGURES["figure-11"])
    assert graph.reason == "fork"
    assert sorted(circle(graph)) == [(0, 1, "reads-from", "A=2"), (0, 2, "reads-from", "A=2")]
    assert contradicting_positions(graph) == [1, 2]
    assert "replaced" not in {edge.because for edge in graph.edges}


def test_a_fork_of_the_first_value_begins_at_genesis() -> None:
    graph = graph_of('A: |--mwswap([["x", 1]])->[0]--|\nB: |--mwswap([["x", 2]])->[0]--|')
    assert {step[0] for step in circle(graph)} == {"genesis"}


def test_a_disconnected_failure_has_no_edges_and_is_listed() -> None:
    graph = graph_of(FIGURES["figure-13"])
    assert contradicting_positions(graph) == [2]
    assert not [edge for edge in graph.edges if 2 in (edge.source, edge.target)]
    assert (0, 1, "failed-after", "A=0") in edges(graph)  # the reason why the other one failed
    assert graph.contradictions == ()


def test_a_value_without_a_writer_has_its_own_source_vertex() -> None:
    graph = graph_of(FIGURES["nobody"])
    assert circle(graph) == [("nobody", 1, "reads-from", "x=9")]
    assert graph.has("nobody")
    assert not graph.has("genesis")


# Content


def chain(count: int) -> list[dict[str, Any]]:
    return [
        {"process": n % 3, "op": "cas", "args": [n, n + 1], "result": True, "call": 10 * n, "return": 10 * n + 15}
        for n in range(count)
    ]


def test_a_violation_of_many_operations_is_reduced_to_a_few() -> None:
    lines = chain(1200)
    lines.append({"process": "late", "op": "read", "result": 600, "call": 11990, "return": 12050})
    graph = graph_of(lines, linpoint.specs.cas_register(initial=0))
    assert graph.operations == 1201
    assert graph.size == f"{len(graph.vertices)} of 1,201 operations"
    assert len(graph.vertices) < 10
    assert 1200 in contradicting_positions(graph)
    assert (599, 1200, "reads-from", "600") in edges(graph)  # the writer of the value that it saw
    assert graph.notes == ()


def test_a_long_cycle_is_shortened_and_marked() -> None:
    """One early read of the last value: the cycle goes through all replaced values, or through time."""
    lines = [
        {"process": n, "op": "cas", "args": [n, n + 1], "result": True, "call": 0, "return": 10_000} for n in range(500)
    ]
    lines.append({"process": "r", "op": "read", "result": 500, "call": 1, "return": 2})
    lines.append({"process": "r", "op": "read", "result": 0, "call": 3, "return": 4})
    graph = graph_of(lines, linpoint.specs.cas_register(initial=0))
    assert graph.verdict == "violation"
    assert 0 < len(graph.vertices) <= 320
    assert any(note.startswith("Of the ") and note.endswith(" are shown.") for note in graph.notes)
    ET.fromstring(graph.as_svg())


def test_a_long_linearizable_history_shows_its_beginning_and_says_so() -> None:
    graph = graph_of(chain(100), linpoint.specs.cas_register(initial=0))
    assert [vertex.position for vertex in graph.vertices] == list(range(60))
    assert graph.notes == ("Of 100 operations, only the first 60 by call are shown.",)
    for text in (graph.as_svg(), graph.as_dot(), json.dumps(graph.as_dict())):
        assert graph.notes[0] in text
    assert graph_of(chain(60), linpoint.specs.cas_register(initial=0)).notes == ()


def test_a_violation_found_by_a_search_shows_where_the_search_was_stuck() -> None:
    lines = chain(300)
    lines[250]["args"] = [7, 9]
    spec = linpoint.specs.cas_register(initial=0)
    graph = graph_of(lines, spec, checker="dfs")
    assert graph.reason is None
    assert 250 in {vertex.position for vertex in graph.vertices}
    assert len(graph.vertices) == 60
    assert "around the relevant operation" in graph.notes[0]


def test_a_register_with_writes_shows_which_operation_each_read_read_from() -> None:
    graph = graph_of(
        """
        A: |--write(1)--|                    |--read()->1--|
        B:                |--write(2)--|
        C:   |--read()--|
        """,
        "register",
    )
    names = {vertex.position: str(vertex.operation) for vertex in graph.vertices}
    assert {(names.get(edge.source, edge.source), names[edge.target]) for edge in graph.edges} == {
        ("write(1)", "read() -> 1"),
        ("genesis", "read()"),
    }
    assert "does not return the value it overwrote" in graph.notes[0]


def test_only_the_key_in_violation_is_shown() -> None:
    lines = [
        {"process": n, "op": "swap", "args": [n + 1], "result": old, "call": n, "return": n + 5, "key": key}
        for n, (key, old) in enumerate([("x", 0), ("y", 0), ("x", 1), ("y", 0)])
    ]
    graph = graph_of(lines, linpoint.specs.cas_register(initial=0))
    assert graph.key == "y"
    assert {vertex.operation.key for vertex in graph.vertices} == {"y"}
    fine = graph_of(lines[:3], linpoint.specs.cas_register(initial=0))
    assert {vertex.operation.key for vertex in fine.vertices} == {"x", "y"}
    assert not [edge for edge in fine.edges if 1 in (edge.source, edge.target) and edge.source != "genesis"]


def test_a_failure_that_came_before_the_write_is_drawn_before_it() -> None:
    """The paper places every failed operation after the one that replaced its expected value; this one came too
    early.
    """
    graph = graph_of(
        """
        A: |--mwcas([["x", 1, 9]])->false--|
        B:                                   |--mwcas([["x", 0, 1]])->true--|  |--mwcas([["x", 1, 2]])->true--|
        """
    )
    assert graph.verdict == "linearizable"
    assert (0, 1, "failed-before", "x=1") in edges(graph)
    assert "failed-after" not in {edge.because for edge in graph.edges}


def test_edges_agree_with_the_verdict() -> None:
    """All edges of a linearizable history point forward in its witness; contradictions are cycles."""
    seen = set()
    for seed in range(150):
        rng = random.Random(seed)
        history, spec = random_memory(rng, operations=rng.choice([8, 25]), register=rng.random() < 0.3)
        verdict = linpoint.check(history, spec)
        graph = verdict.precedence_graph()
        shown = {vertex.position for vertex in graph.vertices}
        assert all(edge.target in shown for edge in graph.edges)
        assert all(edge.source in {*shown, "genesis", "nobody"} for edge in graph.edges)
        if verdict.witness is not None:
            place = {position: at for at, position in enumerate(verdict.witness.order)}
            assert all(place[e.source] < place[e.target] for e in graph.edges if isinstance(e.source, int))
        for which, _ in enumerate(graph.contradictions):
            steps = circle(graph, which)
            if graph.reason not in ("fork", "dangling-read"):
                assert [step[1] for step in steps] == [step[0] for step in steps[1:] + steps[:1]]
        seen.add(graph.reason)
    assert {None, "cycle", "fork", "dangling-read", "read-before-write"} <= seen


def test_links_around_operations_are_the_links_of_all_that_touch_them() -> None:
    for seed in range(30):
        rng = random.Random(seed)
        history, spec = random_memory(rng, operations=20)
        reading = HistoryInterpretation(history, spec, "durable")
        every = list(range(len(history)))
        around = rng.sample(every, rng.randint(0, len(every)))
        found = value_links(reading, every, around)
        assert found == [
            link for link in value_links(reading, every, every) if {link.source, link.target} & set(around)
        ]


def test_a_condition_that_graphs_do_not_support_has_no_edges() -> None:
    graph = graph_of(FIGURES["crash"], condition="buffered-durable")
    assert graph.edges == ()
    assert graph.notes == ("No edges: precedence graphs do not support the condition buffered-durable.",)


def test_an_empty_history_has_an_empty_graph() -> None:
    graph = graph_of([])
    assert (graph.vertices, graph.edges) == ((), ())
    ET.fromstring(graph.as_svg())
    assert parsed(graph.as_dot())[0] == {}


def test_a_spec_without_a_graph_is_an_error() -> None:
    with pytest.raises(linpoint.UsageError, match=r"LP-U008: the spec queue has no precedence graph\. Only mwcas"):
        graph_of("A: |--enqueue(1)--|", "queue")


# Formats

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|[0-9.]+|->|[{}\[\]=,;])', re.DOTALL)


def tokens(text: str) -> Iterator[str]:
    at = 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        assert match, text[at : at + 40]
        yield match[1]
        at = match.end()


def parsed(text: str) -> tuple[dict[str, dict[str, str]], list[tuple[str, str, dict[str, str]]]]:
    """The vertices and edges of the used part of the DOT language: names, edges and lists of attributes."""
    assert text.startswith("digraph precedence {\n")
    assert text.endswith("}\n")
    each = tokens(text.removeprefix("digraph precedence {")[:-2])
    vertices: dict[str, dict[str, str]] = {}
    found = []
    for name in each:
        mark = next(each)
        target = next(each) if mark == "->" else None
        assert (next(each) if target else mark) == "["
        attributes: dict[str, str] = {}
        while True:
            attribute = next(each)
            assert next(each) == "="
            value = next(each)
            quoted = value.startswith('"')
            attributes[attribute] = re.sub(r"\\(.)", r"\1", value[1:-1].replace("\\n", "\n")) if quoted else value
            if next(each) == "]":
                break
        assert next(each) == ";"
        if target is not None:
            found.append((name, target, attributes))
        elif name not in ("graph", "node", "edge"):
            vertices[name] = attributes
    return vertices, found


@pytest.mark.parametrize("name", FIGURES)
def test_dot_has_all_vertices_and_edges(name: str) -> None:
    graph = graph_of(FIGURES[name])
    vertices, found = parsed(graph.as_dot())
    wanted = {f"n{vertex.position}" for vertex in graph.vertices}
    assert set(vertices) == wanted | {source for source in ("genesis", "nobody") if graph.has(source)}
    ends = [(f"n{e.source}" if isinstance(e.source, int) else e.source, f"n{e.target}") for e in graph.edges]
    assert [(source, target) for source, target, _ in found] == ends
    red = {index for index, (_, _, attributes) in enumerate(found) if attributes["color"] == "#c4161c"}
    assert red == graph.contradicting


@pytest.mark.parametrize("name", FIGURES)
def test_json_survives_a_round_trip(name: str) -> None:
    document = graph_of(FIGURES[name]).as_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["shown"] == len(document["vertices"])
    positions = {vertex["position"] for vertex in document["vertices"]} | {"genesis", "nobody"}
    assert {edge["source"] for edge in document["edges"]} <= positions
    told_in_lists = {index for each in document["contradictions"] for index in each}
    assert told_in_lists == {index for index, edge in enumerate(document["edges"]) if edge["contradicts"]}


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_verdict_gives_the_same_bytes(name: str) -> None:
    one, two = graph_of(FIGURES[name]), graph_of(FIGURES[name])
    assert one == two
    assert (one.as_dot(), one.as_svg(), one.as_dict()) == (two.as_dot(), two.as_svg(), two.as_dict())


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_is_self_contained_and_has_a_description(name: str) -> None:
    graph = graph_of(FIGURES[name])
    text = graph.as_svg()
    root = ET.fromstring(text)
    assert root.find(f"{SVG}title").text == graph.sentence
    description = root.find(f"{SVG}desc").text
    assert all(f"Contradiction {number}:" in description for number in range(1, len(graph.contradictions) + 1))
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds <= {"svg", "title", "desc", "defs", "marker", "linearGradient", "stop", "rect", "path", "text", "g"}
    assert not re.search(r"href|@import|<style|<script|\son\w+=|javascript:", text)
    used = set(re.findall(r"url\(([^)]*)\)", text))
    assert used <= {f"#{element.get('id')}" for element in root.iter() if element.get("id")}
    shown = [element.text for element in root.iter(f"{SVG}text")]
    for vertex in graph.vertices:
        assert heading(vertex.position, vertex.operation) in shown
        assert detail(vertex.operation) in shown


def test_all_boxes_are_inside_the_picture() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        graph = graph_of(*random_memory(rng, operations=30))
        root = ET.fromstring(graph.as_svg())
        width, height = float(root.get("width")), float(root.get("height"))
        for box in root.iter(f"{SVG}rect"):
            x, y = float(box.get("x", 0)), float(box.get("y", 0))
            assert -0.1 <= x <= x + float(box.get("width")) <= width + 0.1
            assert -0.1 <= y <= y + float(box.get("height")) <= height + 0.1


def test_crashes_and_open_ends_are_drawn() -> None:
    text = graph_of(FIGURES["crash"]).as_svg()
    root = ET.fromstring(text)
    assert [each.text for each in root.iter(f"{SVG}text")].count("crash") == 1
    assert text.count("url(#fade-plain)") == 2
    assert "open box: unknown outcome" in text


# Hostile text

NASTY = [
    "<script>alert(1)</script>",
    '"quoted" \\N \\G \\" "',
    "two\nlines\r\tand more",
    "\x00\x07\x1b[31m",
    "]]>",
    "&lt;b&gt; &amp;",
    "\ud800",
    "\u202egnol\u2066",
    "--> }; n0 -> n1 [color=red]; //",
    "x" * 500,
    "\ufffe\uffff",
    "こんにちは",
    "",
]


@pytest.fixture(scope="module")
def nasty() -> PrecedenceGraph:
    lines: list[dict[str, Any]] = []
    for n, text in enumerate(NASTY):
        lines.append({"process": f"{n}{text}", "op": "mwcas", "args": [[[text, 0, text + "!"]]], "result": True})
        lines[-1] |= {"call": 10 * n, "return": 10 * n + 15}
        lines.append({"process": f"r{n}", "op": "read", "args": [[text]], "result": [text + "!"]})
        lines[-1] |= {"call": 10 * n + 5, "return": 10 * n + 12}
    return graph_of(lines)


def test_hostile_text_is_text_in_a_picture(nasty: PrecedenceGraph) -> None:
    text = nasty.as_svg()
    root = ET.fromstring(text.encode("utf-8"))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "defs", "marker", "linearGradient", "stop", "rect", "path", "text", "g"
    }  # fmt: skip
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]", text)
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert any("x" * 500 in title for title in titles)  # shortened text is complete there
    assert any("<script>alert(1)</script>" in title for title in titles)
    assert max(display_width(element.text or "") for element in root.iter(f"{SVG}text")) < 130


def test_hostile_text_is_text_in_dot(nasty: PrecedenceGraph) -> None:
    text = nasty.as_dot()
    text.encode("utf-8")
    vertices, found = parsed(text)
    assert len(vertices) == len(nasty.vertices) + 1
    assert len(found) == len(nasty.edges)
    assert all(re.search(r"&(?!amp;)", value) is None for each in vertices.values() for value in each.values())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_hostile_text_is_the_same_in_json(nasty: PrecedenceGraph) -> None:
    document = nasty.as_dict()
    assert json.loads(json.dumps(document)) == document
    assert {vertex["args"][0][0][0] for vertex in document["vertices"] if vertex["op"] == "mwcas"} == set(NASTY)


# Texts


@pytest.mark.parametrize(
    ("op", "first", "second"),
    [
        (Operation(0, "mwcas", [[["x", 0, 1], ["y", 2, 3]]], True), "#7 mwcas", "x: 0→1, y: 2→3"),
        (Operation(0, "mwcas", [[["x", 0, 1]]], {"at": "x"}), "#7 mwcas failed at x", "x: 0→1"),
        (Operation(0, "mwcas", [[["x", 0, 1]]], False), "#7 mwcas failed", "x: 0→1"),
        (Operation(0, "mwcas", [[["x", 0, 1]]], [0]), "#7 mwcas", "x: 0→1"),
        (Operation(0, "mwcas", [[["x", 0, 1]]], [5]), "#7 mwcas failed", "x: 0→1"),
        (Operation(0, "mwcas", [[[3, 0, 1]]], outcome=Outcome.UNKNOWN), "#7 mwcas ?", "3: 0→1"),
        (Operation(0, "mwswap", [[["x", 1]]], [0]), "#7 mwswap", "x: 0→1"),
        (Operation(0, "mwswap", [[["x", 1]]], outcome=Outcome.UNKNOWN), "#7 mwswap ?", "x: ?→1"),
        (Operation(0, "mwwrite", [[["x", "a"]]], None), "#7 mwwrite", 'x:="a"'),
        (Operation(0, "read", [["x", "y"]], [1, None]), "#7 read", "x=1, y=null"),
        (Operation(0, "read", [["x"]], 5), "#7 read", "x=?"),
        (Operation(0, "read", [], 1), "#7 read", "= 1"),
        (Operation(0, "write", [1]), "#7 write", ":= 1"),
        (Operation(0, "cas", [0, 1], False), "#7 cas failed", "0→1"),
        (Operation(0, "swap", [1], 0, key="k"), "#7 swap", '["k"] 0→1'),
        (Operation(0, "mwcas", [["odd"]], True), "#7 mwcas", '(["odd"]) → true'),
    ],
)
def test_operations_are_abbreviated(op: Operation, first: str, second: str) -> None:
    assert heading(7, op) == first
    assert detail(op) == second


def test_text_is_shortened_by_length_and_measured_by_width() -> None:
    assert clean("x" * 31) == "x" * 29 + "…"
    assert clean("x" * 30) == "x" * 30
    assert (display_width("abc"), display_width("日本"), display_width("e\u0301")) == (3, 4, 1)


def test_the_text_of_an_edge() -> None:
    assert Edge(0, 1, "real-time").says == ""
    assert Edge(0, 1, "reads-from", "x", 5).says == "x=5"
    assert Edge(0, 1, "reads-from", 3, "a").says == '3="a"'
    assert Edge("genesis", 1, "reads-from", None, None).says == "null"
