# SPDX-License-Identifier: Apache-2.0
"""The page of a model in a real browser: its first screen, stepping through the run, and that no foreign code can
run.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from linpoint.explain.model.model_page import model_page
from tests.explain.checked_models import RESULTS, VIOLATIONS, result
from tests.explain.html.conftest import Open, Opened

COMMAND = "linpoint refine array_queue.py:ArrayQueue"
REPLAY = "linpoint replay TOKEN"


def page(name: str) -> str:
    found = result(name)
    return model_page(found, command=COMMAND, replay=REPLAY if found.findings else "")


def pairs(opened: Opened, name: str) -> dict[str, str]:
    """A table of names and values."""
    rows = opened.page.locator(f"#run-{name} tr").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}


def survivors(opened: Opened) -> list[str]:
    return [each.inner_text() for each in opened.page.locator("#run-survivors li").all()]


def now(opened: Opened) -> list[str]:
    """The rows of the current step."""
    return [each.inner_text() for each in opened.page.locator("#run tr.run-now .trace-what").all()]


@pytest.mark.parametrize("name", RESULTS)
def test_every_kind_of_result_has_its_page(name: str, open_page: Open) -> None:
    opened = open_page(page(name), width=1280)
    found = result(name)
    assert found.answer.name in opened.text("#verdict .badge")
    view = opened.page
    assert view.locator("#run").count() == (name in VIOLATIONS)
    assert view.locator(".trace-table").count() == (name in VIOLATIONS)
    assert view.locator("svg.drawing").count() == (name in VIOLATIONS)
    assert view.locator("#covered").is_visible()
    assert opened.text("#copy-command") == COMMAND
    assert view.locator("#copy-replay").count() == (name in VIOLATIONS)
    assert view.evaluate("document.documentElement.scrollWidth") <= 1280


def test_the_first_screen_states_the_failure_and_its_reason(open_page: Open) -> None:
    opened = open_page(page("array-queue"), width=1400, height=900)
    assert opened.text("#sentence").startswith("dequeue() of process 1 returned null")
    assert "every valid order requires 1" in opened.text("#verdict")
    assert opened.page.locator("svg.drawing .op.culprit").count() == 1
    assert "dequeue()->null" in opened.page.locator("svg.drawing .op.culprit text").text_content()
    assert "19 steps" in opened.text("#run-title")


def test_the_page_begins_at_the_step_that_the_spec_rejects(open_page: Open) -> None:
    opened = open_page(page("array-queue"))
    assert opened.text("#run-at") == "Step 19 of 19"
    assert opened.text("#run-said") == "dequeue() returned null; the spec requires 1 here."
    assert now(opened) == ["read rear: 1", "dequeue returns null"]
    assert survivors(opened) == [
        "[1]: dequeue() of process 1 has not taken effect",
        "[]: dequeue() of process 1 has taken effect and returns 1",
    ]
    assert opened.page.locator("#run-next").is_disabled()


@pytest.mark.parametrize("by", ["keys", "buttons"])
def test_steps_can_be_walked_back_and_forth(open_page: Open, by: str) -> None:
    opened = open_page(page("array-queue"))
    view = opened.page
    keys = {"first": "f", "previous": "p", "next": "n", "last": "l"}

    def go(where: str) -> None:
        if by == "keys":
            view.keyboard.press(keys[where])
        else:
            view.click(f"#run-{where}")

    go("first")
    assert opened.text("#run-at") == "Step 0 of 19"
    assert now(opened) == []
    assert pairs(opened, "memory") == {"slots[0]": "(value=null, changes=0)", "front": "0", "rear": "0"}
    assert view.locator("#run-previous").is_disabled()
    go("next")
    assert opened.text("#run-said") == "process 1: dequeue(); read front: 0"
    assert pairs(opened, "processes")["process 1"] == "dequeue(), line 52: front = self.front.load()"
    assert pairs(opened, "processes")["process 2"] == "idle"
    for _ in range(7):
        go("next")
    assert opened.text("#run-at") == "Step 8 of 19"
    assert pairs(opened, "memory")["slots[0]"] == "(value=1, changes=1)"
    assert view.locator("#run-memory tr.changed th").all_inner_texts() == ["slots[0]"]
    assert len(survivors(opened)) == 5
    go("previous")
    assert pairs(opened, "memory")["slots[0]"] == "(value=null, changes=0)"
    assert view.locator("#run-memory tr.changed").count() == 0
    go("last")
    view.keyboard.press("n")  # there is no step beyond
    assert opened.text("#run-at") == "Step 19 of 19"


def test_a_click_on_a_step_goes_there(open_page: Open) -> None:
    opened = open_page(page("array-queue"))
    opened.page.click(".trace-what:has-text('enqueue returns true')")
    assert opened.text("#run-at") == "Step 9 of 19"
    assert now(opened) == ["cas rear: 0 -> 1", "enqueue returns true"]
    assert opened.page.locator("tr.run-later").count() == 13


def test_rows_have_source_lines_and_steps_their_numbers(open_page: Open) -> None:
    opened = open_page(page("array-queue"))
    assert "slot = self.slots[front % self.L].load()" in opened.text(".trace-table")
    numbers = opened.page.locator(".trace-table tbody .trace-number").all_inner_texts()
    assert [number for number in numbers if number] == [str(number) for number in range(1, 20)]
    assert "switch to process 2 (process 1 still runnable)" in opened.text(".trace-table")


def test_store_buffers_are_shown_only_under_tso(open_page: Open) -> None:
    opened = open_page(page("store-buffers"))
    assert opened.page.locator("#run-buffers").is_visible()
    assert pairs(opened, "waiting")["left"] == "wants[0] = true, turn = 1, drawn = 1, wants[0] = false"
    opened.page.keyboard.press("f")
    assert pairs(opened, "waiting") == {"none": ""}
    opened.page.keyboard.press("n")
    assert pairs(opened, "waiting") == {"left": "wants[0] = true"}
    assert pairs(opened, "memory")["wants[0]"] == "false"
    assert not open_page(page("array-queue")).page.locator("#run-buffers").is_visible()


def test_nodes_are_shown_once_they_are_allocated(open_page: Open) -> None:
    opened = open_page(page("aba"))
    opened.page.keyboard.press("f")
    assert pairs(opened, "memory") == {"top": "null"}
    opened.page.keyboard.press("n")
    assert pairs(opened, "memory") == {"top": "null", "Node#1.value": "1", "Node#1.next": "null"}


def test_a_deadlock_shows_which_process_waits_for_which(open_page: Open) -> None:
    opened = open_page(page("deadlock"))
    assert "blocked on a, held by process 2" in opened.text(".trace-table")
    assert "no process can continue" in opened.text("#run-said")
    assert opened.page.locator("tr.run-later").count() == 0


def test_a_pass_states_what_it_covered_and_what_not(open_page: Open) -> None:
    opened = open_page(page("holds"))
    assert "is linearizable with respect to stack" in opened.text("#sentence")
    assert "This is a proof for the model within these bounds." in opened.text("#verdict")
    assert "yes: every state within these bounds was reached" in opened.text("#covered")
    assert "This is not a pass" in open_page(page("no-time")).text("#verdict")


def test_the_page_is_complete_without_scripts(browser: Any, tmp_path: Any) -> None:
    path = tmp_path / "page.html"
    path.write_text(page("array-queue"), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(path.as_uri())
    assert "the spec requires 1 here." in view.locator("#run-said").inner_text()
    assert view.locator("#run-survivors li").count() == 2
    assert view.locator("#run-memory tr").count() == 3
    assert view.locator(".trace-table tbody tr.trace-step").count() == 25
    context.close()


def test_the_theme_can_be_dark_or_light(open_page: Open) -> None:
    def ground(view: Any) -> str:
        return view.evaluate("getComputedStyle(document.querySelector('.now')).backgroundColor")  # type: ignore[no-any-return]

    light, dark = open_page(page("lost")).page, open_page(page("lost"), scheme="dark").page
    assert ground(light) != ground(dark)
    light.keyboard.press("t")
    assert ground(light) == ground(dark)


def test_the_keys_are_listed_and_every_control_has_a_name(open_page: Open) -> None:
    view = open_page(page("array-queue")).page
    view.keyboard.press("?")
    assert "next and previous step of the run" in view.locator("#help").inner_text()
    view.keyboard.press("n")  # a key of the page, not of the help
    view.keyboard.press("Escape")
    assert view.locator("#run-at").inner_text() == "Step 19 of 19"
    unnamed = """() => [...document.querySelectorAll("button, [tabindex]")]
        .filter((each) => each.checkVisibility() && !each.closest(".copy"))
        .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim()))
        .map((each) => each.outerHTML)"""
    assert view.evaluate(unnamed) == []


def test_the_document_can_be_saved(open_page: Open) -> None:
    view = open_page(page("array-queue")).page
    with view.expect_download() as download:
        view.click("button:has-text('result.json')")
    saved = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert saved["findings"][0]["explanation"]["length"] == 19


def test_the_printed_page_has_no_controls(open_page: Open) -> None:
    view = open_page(page("array-queue")).page
    view.emulate_media(media="print")
    for selector in ("#verdict", ".trace-table", "#run-memory", "#copy-replay", "#covered"):
        assert view.locator(selector).is_visible()
    for selector in ("#run-next", "#theme", "[data-copy=copy-replay]"):
        assert not view.locator(selector).is_visible()


@pytest.mark.parametrize("name", ["array-queue", "store-buffers", "hostile", "holds"])
def test_the_page_fits_on_a_phone(open_page: Open, name: str) -> None:
    view = open_page(page(name), width=390, height=800).page
    assert view.evaluate("document.documentElement.scrollWidth") <= 390


def test_text_of_the_model_is_not_markup(open_page: Open) -> None:
    html = page("hostile")
    assert "<img" not in html
    assert "<script>alert" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    opened = open_page(html)  # the fixture asserts at the end that no code ran and nothing was loaded
    opened.page.keyboard.press("f")
    memory = pairs(opened, "memory")
    assert memory["x"] == '"</script><script>alert(1)</script>"'
    assert memory["y"] == '"<img src=x onerror=alert(2)>"'
    assert opened.page.locator("img, main script, main b").count() == 0


def test_the_command_is_text_and_not_markup(open_page: Open) -> None:
    nasty = "linpoint refine '<b onclick=alert(1)>'"
    opened = open_page(model_page(result("deadlock"), command=nasty, replay=nasty))
    assert opened.text("#copy-command") == nasty
    assert opened.page.locator("b[onclick]").count() == 0
