# SPDX-License-Identifier: Apache-2.0
"""Traces as HTML: balanced, accessible, and made only of linpoint's own elements, for any trace."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linpoint
from linpoint.explain.pages.page_renderer import render
from linpoint.explain.trace import trace_table as module
from linpoint.explain.trace.trace_table import MAX_STEPS, trace_table
from linpoint.traces.trace import Trace
from tests.explain.sample_traces import SAMPLES, Kind, step, threads
from tests.random_traces import random_trace
from tests.volume import volume

CSS = Path(linpoint.__file__).parent / "explain" / "pages" / "assets" / "traces.css"
TAGS = {"section", "p", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "small", "code"}
ATTRIBUTES = {"class", "scope", "colspan", "title", "aria-label", "role", "tabindex"}


class Reader(HTMLParser):
    """Elements, their attributes and texts; reports elements that are not closed in order."""

    def __init__(self, fragment: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(fragment)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment

    def classes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in (attributes.get("class") or "").split()}

    def of(self, name: str) -> list[tuple[str, dict[str, str | None]]]:
        return [each for each in self.elements if name in (each[1].get("class") or "").split()]


def trace_fragment(trace: Trace) -> str:
    return render("trace.html", {"trace": trace_table(trace)})


def check(trace: Trace) -> Reader:
    fragment = trace_fragment(trace)
    found = Reader(fragment)
    assert {tag for tag, _ in found.elements} <= TAGS
    assert {name for _, attributes in found.elements for name in attributes} <= ATTRIBUTES
    assert all(name == "trace" or name.startswith("trace-") for name in found.classes())
    assert re.sub(r"\n", "", fragment).isprintable()
    failing = trace.failure is not None and trace.failure.step is not None
    assert len(found.of("trace-failing")) == failing
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_a_fragment_consists_of_known_elements(name: str) -> None:
    check(SAMPLES[name]())


@settings(max_examples=volume(60))
@given(st.integers(0, 2**32))
def test_no_element_comes_from_the_trace(seed: int) -> None:
    check(random_trace(seed))


def test_hostile_text_is_text() -> None:
    found = check(SAMPLES["hostile"]())
    assert any("<script>alert(1)</script>" in text for text in found.texts)
    assert "onerror" not in {name for _, attributes in found.elements for name in attributes}


def test_rows_have_a_cell_for_each_thread() -> None:
    fragment = trace_fragment(SAMPLES["deadlock"]())
    for row in re.findall(r"<tr class=\"trace-step.*?</tr>", fragment):
        assert row.count("<td") == 1 + 3
        assert row.count('scope="row"') == 1
    assert fragment.count('scope="col"') == 2 + 3
    assert "<caption" in fragment


def test_the_failing_row_is_marked() -> None:
    found = check(SAMPLES["store-buffering"]())
    (_, attributes), *more = found.of("trace-failing")
    assert attributes["aria-label"] == "Step 9, where it fails: assertion failed: inside.fetch_add(1) == 0"
    assert not more
    assert len(found.of("trace-related")) == 2


def test_values_buffers_and_source_lines_are_shown() -> None:
    texts = check(SAMPLES["store-buffering"]()).texts
    assert "buffer: flag[0]=1" in texts
    assert "flag[me].store(1, relaxed);" in texts
    assert "dekker.cpp:12" in texts
    assert "Schedule: 0*4 1*3 d0 1*2" in texts


def test_a_place_has_its_directory_and_function_on_demand() -> None:
    titles = [attributes.get("title") for _, attributes in check(SAMPLES["store-buffering"]()).of("trace-place")]
    assert "src/dekker.cpp:12 in main" in titles


def test_a_crash_spans_all_threads() -> None:
    fragment = trace_fragment(SAMPLES["missing-flush"]())
    row = re.search(r"<tr class=\"[^\"]*trace-crash.*?</tr>", fragment, re.DOTALL)
    assert row
    assert 'colspan="2"' in row[0]
    assert "lost: node.value=7 in line 0x40" in row[0]


def test_long_traces_are_folded() -> None:
    found = check(SAMPLES["busy-run"]())
    assert len(found.of("trace-step")) <= MAX_STEPS + 10
    assert found.of("trace-fold")


def test_a_trace_without_steps_has_no_table() -> None:
    assert "<table" not in trace_fragment(Trace((), ()))
    assert 'colspan="1"' in trace_fragment(Trace((), (step(None, Kind.CRASH),)))


def test_operations_are_bars() -> None:
    inner = (step(0, Kind.CALL, operation="f"),) * 5
    classes = check(Trace(threads(0), inner)).classes()
    assert {"trace-depth-1", "trace-depth-2", "trace-depth-3", "trace-begin"} <= classes
    assert "trace-depth-4" not in classes


def test_the_style_sheet_has_the_classes_listed_in_the_docstring() -> None:
    text = CSS.read_text(encoding="utf-8")
    assert text.startswith("/* SPDX-License-Identifier: Apache-2.0 */")
    styled = set(re.findall(r"\.(trace[\w-]*)", text))
    made = set().union(*(check(sample()).classes() for sample in SAMPLES.values()))
    listed = set(re.findall(r"trace-[a-z]+(?:-1)?|\btrace\b", (module.__doc__ or "").split("classes:")[1]))
    plain = {re.sub(r"-\d$", "-1", name) for name in made | styled}
    assert plain == listed
