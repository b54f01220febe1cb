# SPDX-License-Identifier: Apache-2.0
"""The page of a test in a real browser: its first screen, forbidden content, and that no foreign code can run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from linpoint.explain.test.result_page import result_page
from tests.explain.html.conftest import Open
from tests.explain.tested_objects import MARKUP, RESULTS, result

COMMAND = "linpoint test counter_test.py:TestCounter"
REPLAY = "linpoint replay TOKEN"
WITH_HISTORY = ("counter", "lazy", "lru", "livelock", "exception", "hostile")
WITH_STEPS = (*WITH_HISTORY, "deadlock")


def page(name: str) -> str:
    found = result(name)
    return result_page(found, command=COMMAND, replay=REPLAY if found.findings else "")


def bottom(view: Any, selector: str) -> float:
    box = view.locator(selector).bounding_box()
    return float(box["y"] + box["height"])


@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result_has_its_page(name: str, open_page: Open) -> None:
    opened = open_page(page(name), width=1280)
    found = result(name)
    assert found.status.name in opened.text("#verdict .badge")
    sentence = found.findings[0].message if found.findings else found.why
    assert opened.text("#sentence")[1:] == sentence.replace("\u202e", "\\u202e")[1:]
    view = opened.page
    assert view.locator("#timeline").count() == (name in WITH_HISTORY)
    assert view.locator(".trace-table").count() == (name in WITH_STEPS)
    assert view.locator("table.scenario").count() >= (1 if found.findings else 0)
    assert view.locator("#covered").is_visible()
    assert opened.text("#copy-command") == COMMAND
    assert view.locator("#copy-replay").count() == bool(found.findings)
    text = view.locator("body").inner_text().lower()
    assert "cause" not in text
    assert "guess" not in text
    assert view.evaluate("document.documentElement.scrollWidth") <= 1280


def test_scenario_and_steps_are_on_the_first_screen(open_page: Open) -> None:
    opened = open_page(page("counter"), width=1280, height=900)
    view = opened.page
    assert bottom(view, "table.scenario >> nth=0") < bottom(view, ".trace-table") < 900
    scenario = opened.text("table.scenario >> nth=0")
    assert [word in scenario for word in ("thread 1", "thread 2", "increment() → 1")] == [True] * 3
    should = view.locator("table.scenario").nth(1).locator("tbody tr").all_inner_texts()
    assert [row.split("\t") for row in should] == [
        ["allowed", "1", "2"],
        ["allowed", "2", "1"],
        ["observed", "1", "1"],
    ]
    steps = opened.text(".trace-table")
    for said in ("tested_objects.py", "cell[0] = value + 1", "switch to ", "increment returns 1"):
        assert said in steps
    assert opened.text("#models").count("violation") == 2


def test_allowed_results_are_shown_next_to_the_returned_one(open_page: Open) -> None:
    opened = open_page(page("lazy"))
    assert "get() → 2" in opened.text("table.scenario td.wrong")
    assert "allowed: 1" in opened.text("table.scenario td.wrong")
    assert opened.page.locator("table.scenario td.wrong").count() == 1


def test_a_pass_states_what_it_covered_and_what_not(open_page: Open) -> None:
    opened = open_page(page("exhaustive"))
    assert "The search is exhaustive within these bounds" in opened.text("#verdict")
    assert "yes: every schedule" in opened.text("#covered")
    assert "may still fail" in open_page(page("bounded")).text("#verdict")
    assert "This is not a pass" in open_page(page("unknown")).text("#verdict")


def test_buttons_copy_the_commands(open_page: Open) -> None:
    view = open_page(page("deadlock")).page
    view.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, text in (("replay", REPLAY), ("command", COMMAND)):
        view.click(f"[data-copy=copy-{name}]")
        view.wait_for_selector(f"[data-copy=copy-{name}]:has-text('Copied')")
        assert view.evaluate("navigator.clipboard.readText()") == text


def test_the_document_can_be_saved(open_page: Open) -> None:
    view = open_page(page("counter")).page
    with view.expect_download() as download:
        view.click("button:has-text('result.json')")
    saved = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert saved["findings"][0]["kind"] == "linearizability"
    assert "Save" not in open_page(page("livelock")).text(".top nav")  # it has 20,000 steps


@pytest.mark.parametrize("name", ["counter", "livelock"])
def test_the_theme_is_changed_by_button_and_by_key(open_page: Open, name: str) -> None:
    def ground(view: Any) -> str:
        return view.evaluate("getComputedStyle(document.body).backgroundColor")  # type: ignore[no-any-return]

    light, dark = open_page(page(name)).page, open_page(page(name), scheme="dark").page
    assert ground(light) != ground(dark)
    light.click("#theme")
    assert ground(light) == ground(dark)
    light.keyboard.press("t")
    assert ground(light) != ground(dark)


@pytest.mark.parametrize("name", ["counter", "deadlock"])
def test_the_keys_are_listed_and_every_control_has_a_name(open_page: Open, name: str) -> None:
    view = open_page(page(name)).page
    view.keyboard.press("?")
    assert view.locator("#help").is_visible()
    assert ("jump to the violation" in view.locator("#help").inner_text()) == (name in WITH_HISTORY)
    view.keyboard.press("Escape")
    unnamed = """() => [...document.querySelectorAll("button, select, input, canvas, [tabindex]")]
        .filter((each) => each.checkVisibility() && !each.closest(".copy"))
        .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() || each.closest("label")))
        .map((each) => each.outerHTML)"""
    assert view.evaluate(unnamed) == []


def test_the_timeline_has_the_threads(open_page: Open) -> None:
    opened = open_page(page("counter"))
    assert opened.visible == 2
    assert "thread 2" in opened.text("#operations-rows")
    opened.page.keyboard.press("v")
    assert "No valid order gives this operation its result." in opened.text("#selected")
    for _ in range(3):
        opened.page.keyboard.press("n")
    assert "after increment()" in opened.text("#step-rows")


def test_the_printed_page_has_no_controls(open_page: Open) -> None:
    view = open_page(page("counter")).page
    view.emulate_media(media="print")
    for selector in ("#verdict", "table.scenario >> nth=0", ".trace-table", "#copy-replay", "#covered"):
        assert view.locator(selector).is_visible()
    for selector in ("#canvas", "#theme", "[data-copy=copy-replay]"):
        assert not view.locator(selector).is_visible()


@pytest.mark.parametrize("name", ["counter", "exception", "hostile", "bounded"])
def test_the_page_fits_on_a_phone(open_page: Open, name: str) -> None:
    view = open_page(page(name), width=390, height=800).page
    assert view.evaluate("document.documentElement.scrollWidth") <= 390


def test_text_of_the_code_is_not_markup(open_page: Open) -> None:
    html = page("hostile")
    assert "<img" not in html
    assert "<script>alert" not in html
    assert "\u202e" not in html
    opened = open_page(html)  # the fixture asserts at the end that no code ran and nothing was loaded
    shown = MARKUP.replace("\u202e", "\\u202e")
    assert shown in opened.text("table.scenario >> nth=0")
    assert shown in opened.text("#sentence")
    assert "</td><script>alert(2)</script>" in opened.text(".trace-table")
    assert opened.page.locator("img, main script").count() == 0


def test_the_command_is_text_and_not_markup(open_page: Open) -> None:
    nasty = "linpoint test '<b onclick=alert(1)>'"
    opened = open_page(result_page(result("deadlock"), command=nasty, replay=nasty))
    assert opened.text("#copy-command") == nasty
    assert opened.page.locator("b[onclick]").count() == 0
