# SPDX-License-Identifier: Apache-2.0
"""Details of the page in a real browser: printing, the dark theme, announcements, and the targets of clicks."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

import linpoint
from linpoint.explain.history.history_page import history_page
from linpoint.explain.pages.page_renderer import asset
from linpoint.verdicts.refutation import Blocked, StuckFrontier
from tests.explain.html.balance import data_of
from tests.explain.html.conftest import Open
from tests.explain.html.histories import explained

IN_VIEW = """
() => {
  const box = document.querySelector(".plot").getBoundingClientRect();
  return box.top >= 0 && box.top < window.innerHeight && box.bottom <= window.innerHeight + 1;
}
"""


@pytest.fixture(scope="module")
def html() -> str:
    return history_page(explained(3_000), file="history.jsonl", command="linpoint check history.jsonl --spec register")


def row(call: float, name: str = "write", *args: Any, process: int | str = 0, **more: Any) -> dict[str, Any]:
    return {"process": process, "op": name, "args": [*args], "result": None, "call": call, "return": call + 1} | more


def page_of(rows: list[dict[str, Any]], *, spec: str = "register", condition: str | None = None) -> str:
    return linpoint.check(linpoint.history(rows), spec, condition=condition).explain().as_html()


def colour(view: Any, selector: str, name: str) -> str:
    return view.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{name}")  # type: ignore[no-any-return]


LINES = """
() => {
  const heights = [];
  let top = 0;
  const pen = CanvasRenderingContext2D.prototype;
  const move = pen.moveTo, line = pen.lineTo;
  pen.moveTo = function (x, y) { top = y; move.call(this, x, y); };
  pen.lineTo = function (x, y) { heights.push(y - top); line.call(this, x, y); };
  document.getElementById("fit").click();
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(heights))));
}
"""


# Printing and themes


def test_the_printed_page_is_light_in_any_theme(html: str, open_page: Open) -> None:
    view = open_page(html).page
    light = colour(view, "main", "color")
    view.click("#theme")
    assert colour(view, "main", "color") != light
    view.emulate_media(media="print")
    assert colour(view, "main", "color") == light


def test_the_printed_page_has_the_first_rows_and_their_number(html: str, open_page: Open) -> None:
    view = open_page(html).page
    rows = view.locator("#operations-rows tr[data-at]")
    before = rows.count()
    view.emulate_media(media="print")
    view.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert rows.count() == 2_000
    assert view.locator("#operations .printed").inner_text() == "Rows 1 to 2,000 of 3,000."
    assert not view.locator("#keys .printed").inner_text()  # it has all of them
    view.emulate_media(media="screen")
    view.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert rows.count() == before


def test_the_graph_follows_the_theme(html: str, open_page: Open) -> None:
    view = open_page(html).page
    ground = "#graph svg > rect"
    assert colour(view, ground, "fill") == "rgb(255, 255, 255)"
    view.click("#theme")
    assert colour(view, ground, "fill") == colour(view, "main > section", "backgroundColor") != "rgb(255, 255, 255)"


def test_every_colour_of_a_graph_has_a_dark_counterpart(html: str) -> None:
    drawn = html.partition('class="picture graph"')[2].partition("</svg>")[0]
    used = set(re.findall(r'((?:fill|stroke|stop-color)="#\w+")', drawn))
    assert len(used) > 10
    assert {each for each in used if f".graph [{each}]" not in asset("graph.css")} == set()


# Targets of clicks


def test_an_operation_is_brought_into_view_on_the_timeline(html: str, open_page: Open) -> None:
    view = open_page(html, height=700).page
    view.emulate_media(reduced_motion="reduce")  # the next action could interrupt a smooth scroll
    assert not view.evaluate(IN_VIEW)
    view.locator("button[data-op]").first.click()
    view.wait_for_function(IN_VIEW)
    view.locator("#operations-rows").scroll_into_view_if_needed()
    view.evaluate("document.getElementById('operations').scrollIntoView({block: 'start', behavior: 'instant'})")
    assert not view.evaluate(IN_VIEW)
    view.locator("#operations-rows tr[data-at]").nth(2).click()
    view.wait_for_function(IN_VIEW)


def test_a_click_shows_an_operation_hidden_by_filters(html: str, open_page: Open) -> None:
    opened = open_page(html)
    opened.page.select_option("#filter-key", label='"k1"')
    assert opened.text("#operations-count") != "3,000"
    opened.page.locator("button[data-op]").first.click()
    assert opened.text("#operations-count") == "3,000"


# Texts


def test_copying_is_announced_only_if_it_worked(html: str, open_page: Open) -> None:
    view = open_page(html).page
    view.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    view.evaluate("() => { document.execCommand = () => false; }")
    view.click("[data-copy=copy-command]")
    view.wait_for_selector("button:has-text('Not copied')")
    assert view.locator("[role=status]").inner_text().startswith("Not copied.")
    view.evaluate("() => { document.execCommand = () => true; }")
    view.click("[data-copy=copy-command]")
    view.wait_for_function("document.getElementById('announced').textContent === 'Copied.'")


def test_the_theme_button_keeps_its_name(html: str, open_page: Open) -> None:
    view = open_page(html).page
    for pressed in ("false", "true", "false"):
        assert view.locator("#theme").inner_text() == "Dark"
        assert view.locator("#theme").get_attribute("aria-pressed") == pressed
        view.click("#theme")


def test_every_column_of_the_first_table_has_a_heading(html: str, open_page: Open) -> None:
    view = open_page(html).page
    heads = view.locator("table.core th[scope=col]").all_text_contents()
    assert heads[0] == "name"
    assert all(heads)


def test_a_key_in_a_heading_is_unchanged(open_page: Open) -> None:
    view = open_page(page_of([row(1, "write", 1, key="MyKey"), row(3, "read", result=1, key="MyKey")])).page
    assert view.locator("#steps-title").inner_text() == 'Steps: key "MyKey": witness order'


def test_steps_and_the_filter_name_the_keys_of_operations_checked_together(open_page: Open) -> None:
    rows = [row(1, "write", 1, key="x"), row(3, "write", 2, key="y"), row(5, "read", result=1, key="x")]
    opened = open_page(page_of(rows, condition="sequential"))
    view = opened.page
    for _ in range(2):
        view.keyboard.press("n")
    assert opened.text("#step-said").startswith('["')
    assert 'State after it: "' in opened.text("#step-said")
    view.select_option("#filter-key", label='"x"')
    assert opened.text("#operations-count") == "2 of 3"


def test_the_numbering_of_a_shortened_order_continues(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(2 * n, "write", n) for n in range(30)] + [row(100, "read", process=1, result="never")]
    found = linpoint.check(linpoint.history(rows), "register").explain()
    monkeypatch.setattr("linpoint.explain.history.order_stepper.MAX_STEPS", 10)
    stuck = StuckFrontier(tuple(range(30)), (Blocked(30, (29,)),))
    opened = open_page(history_page(dataclasses.replace(found, stuck=stuck)))
    view = opened.page
    cells = view.locator("#step-rows tr[data-at] td:first-child").all_inner_texts()
    assert cells == [*map(str, range(20, 31)), "✕"]
    view.keyboard.press("n")
    assert opened.text("#step-said") == "State after the first 20 steps: 19."


def test_only_a_crash_of_everything_spans_all_lanes(open_page: Open) -> None:
    rows = [row(n, "write", n, process=n) for n in range(4)]
    lines = {}
    for name, crash in {"all": {}, "one": {"process": 2}, "nobody": {"process": 77}}.items():
        html = page_of([*rows, {"crash": True, "time": 10} | crash, row(20, "read", process=9, result=3)])
        lines[name] = open_page(html).page.evaluate(LINES)
    assert [len(found) for found in lines.values()] == [1, 1, 0]
    assert lines["all"][0] > 4 * lines["one"][0]


# Scales


TICKS = """
() => {
  const said = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) { said.push(text); write.call(this, text, ...place); };
  document.getElementById("fit").click();
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(said))));
}
"""


def test_the_scale_has_minus_signs(open_page: Open) -> None:
    view = open_page(page_of([row(-1000, "write", 1), row(-500, "write", 2), row(0, "read", result=2)])).page
    said = view.evaluate(TICKS)
    assert {"-1,000", "-800", "0"} <= set(said)
    assert not [text for text in said if text.startswith("+")]


def test_distances_have_a_minus_before_the_first_time_and_a_plus_after_it(open_page: Open) -> None:
    first = 1_700_000_000_000_000_000
    rows = [row(first, "write", 1), row(first + 500, "write", 2), row(first + 1000, "read", result=2)]
    opened = open_page(page_of(rows))
    said = opened.page.evaluate(TICKS)
    assert {"+0", "+500"} <= set(said)
    assert " from -" in opened.text("#range")
    assert "+-" not in opened.text("#range")


def test_a_page_of_times_that_are_too_far_apart_works(open_page: Open) -> None:
    rows = [row(-1e308, "write", 1), row(0.0, "write", 2), row(1e308, "read", result=1)]
    html = page_of(rows)
    opened = open_page(html)
    opened.page.keyboard.press("f")
    assert opened.text("#range").startswith("3 of 3 operations, drawn by order of times, not to scale")
    assert data_of(html)["columns"]["times"]["texts"][0] == "-1e+308"


# Small windows


def test_a_small_window_fits_the_brand_and_the_keys(html: str, open_page: Open) -> None:
    view = open_page(html, width=800, height=600).page
    assert view.locator(".brand").bounding_box()["height"] < 30
    assert view.locator("#keys-rows th").first.bounding_box()["width"] > 100
    assert view.evaluate("document.documentElement.scrollWidth") <= 800
