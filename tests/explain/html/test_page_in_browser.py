# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: it opens quickly, moves smoothly, and its buttons and keys work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.explain.history.history_page import history_page
from tests.explain.html.conftest import Open
from tests.explain.html.histories import explained, with_a_stale_read

MOST_MILLISECONDS = 3_000
LEAST_FRAMES = 20

PAN = """
() => new Promise((done) => {
  const canvas = document.getElementById("canvas");
  const box = canvas.getBoundingClientRect();
  const fire = (type, x) => canvas.dispatchEvent(new PointerEvent(
    type, { pointerId: 7, clientX: box.left + x, clientY: box.top + 60, bubbles: true, buttons: 1 }));
  fire("pointerdown", 600);
  const begin = performance.now();
  let frames = 0;
  const step = () => {
    frames++;
    fire("pointermove", 600 + 40 * Math.sin(frames / 5) + frames);
    const seconds = (performance.now() - begin) / 1000;
    if (seconds < 0.7) requestAnimationFrame(step);
    else { fire("pointerup", 600); done(frames / seconds); }
  };
  requestAnimationFrame(step);
})
"""


@pytest.fixture(scope="module")
def pages() -> dict[int, str]:
    command = "linpoint check history.jsonl --spec register"
    return {
        count: history_page(
            explained(count),
            file="history.jsonl",
            arguments=["--spec", "register"],
            command=command,
            replay="linpoint replay TOKEN",
        )
        for count in (10, 1_000, 100_000)
    }


@pytest.mark.parametrize("count", [10, 1_000, 100_000])
def test_the_page_zooms_filters_searches_steps_and_jumps(pages: dict[int, str], open_page: Open, count: int) -> None:
    opened = open_page(pages[count])
    view = opened.page
    keyboard = view.keyboard
    keyboard.press("f")
    assert opened.visible == count

    view.locator("#canvas").hover()
    view.mouse.wheel(0, -600)
    zoomed = opened.visible
    assert zoomed < count
    keyboard.press("-")
    assert opened.visible >= zoomed
    view.click("#zoom-in")
    view.focus("#canvas")
    before = opened.text("#range")
    keyboard.press("ArrowRight")
    assert opened.visible >= 0
    assert opened.text("#range") != before
    view.click("#fit")
    assert opened.visible == count

    view.select_option("#filter-name", label="read")
    reads = sum(row["op"] == "read" for row in with_a_stale_read(count))
    assert opened.text("#operations-count") == f"{reads:,} of {count:,}"
    assert opened.visible == reads
    view.click("#filters-clear")

    keyboard.press("/")
    keyboard.type("write(-")
    keyboard.press("Enter")
    assert opened.text("#matches") == "1 of 2"
    assert "write(-1)" in opened.text("#selected")
    keyboard.press("Enter")
    assert "write(-2)" in opened.text("#selected")
    keyboard.press("Shift+Enter")
    assert opened.text("#matches") == "1 of 2"
    view.focus("#canvas")

    keyboard.press("v")
    assert "No valid order gives this operation its result." in opened.text("#selected")
    assert "read() → -1" in opened.text("#selected")
    assert opened.visible >= 3

    for _ in range(9):
        keyboard.press("n")
    assert "cannot come next: the spec requires -2" in opened.text("#step-said")
    assert view.locator("#verdict svg .op.now").count() == 1
    keyboard.press("p")
    assert "State after it: -2" in opened.text("#step-said")


def test_a_large_page_is_ready_quickly_and_moves_smoothly(pages: dict[int, str], open_page: Open) -> None:
    ready, frames = [], []
    for _ in range(3):  # the best of three: another process may have used the processor
        opened = open_page(pages[100_000])
        ready.append(int(opened.page.evaluate("document.documentElement.dataset.ready")))
        opened.page.keyboard.press("f")
        frames.append(opened.page.evaluate(PAN))
        opened.page.evaluate("document.getElementById('zoom-in').click()")
        frames.append(opened.page.evaluate(PAN))
        if min(ready) < MOST_MILLISECONDS and max(frames) > LEAST_FRAMES:
            break
    assert min(ready) < MOST_MILLISECONDS
    assert max(frames) > LEAST_FRAMES


def test_panning_moves_the_window(pages: dict[int, str], open_page: Open) -> None:
    opened = open_page(pages[1_000])
    opened.page.keyboard.press("+")
    before = opened.text("#range")
    opened.page.evaluate(PAN)
    assert opened.text("#range") != before


PINCH = """
() => {
  const canvas = document.getElementById("canvas");
  const box = canvas.getBoundingClientRect();
  const fire = (type, pointerId, x) => canvas.dispatchEvent(new PointerEvent(
    type, { pointerId, clientX: box.left + x, clientY: box.top + 60, bubbles: true, pointerType: "touch" }));
  fire("pointerdown", 1, 500);
  fire("pointerdown", 2, 600);
  fire("pointermove", 1, 300);
  fire("pointermove", 2, 800);
  fire("pointerup", 1, 300);
  fire("pointerup", 2, 800);
}
"""


def test_two_fingers_zoom(pages: dict[int, str], open_page: Open) -> None:
    opened = open_page(pages[1_000])
    opened.page.keyboard.press("f")
    assert opened.visible == 1_000
    opened.page.evaluate(PINCH)
    assert 100 < opened.visible < 300  # they are five times as far apart


def test_only_the_visible_rows_exist(pages: dict[int, str], open_page: Open) -> None:
    view = open_page(pages[100_000]).page
    rows = view.locator("#operations-rows tbody tr[data-at]")
    assert 5 < rows.count() < 60
    view.focus("#operations-rows")
    view.keyboard.press("End")
    view.wait_for_selector("#operations-rows tr[data-at='99999'][aria-current]")
    assert rows.count() < 60
    assert "99999" in view.locator("#selected").inner_text()


def test_the_downloaded_minimal_history_is_a_violation(pages: dict[int, str], open_page: Open, tmp_path: Path) -> None:
    view = open_page(pages[1_000]).page
    with view.expect_download() as download:
        view.click("button:has-text('minimal.jsonl')")
    saved = tmp_path / "minimal.jsonl"
    download.value.save_as(saved)
    history = linpoint.load(saved)
    assert len(history) == 3
    assert linpoint.check(history, "register").status is linpoint.Status.VIOLATION
    assert view.locator("#copy-minimal").inner_text() == "linpoint check minimal.jsonl --spec register"
    with view.expect_download() as download:
        view.click("button:has-text('explanation.json')")
    assert download.value.suggested_filename == "explanation.json"


def test_the_theme_can_be_dark_or_light(pages: dict[int, str], open_page: Open) -> None:
    def ground(view: Any) -> str:
        return view.evaluate("getComputedStyle(document.body).backgroundColor")  # type: ignore[no-any-return]

    light = open_page(pages[10]).page
    dark = open_page(pages[10], scheme="dark").page
    assert ground(light) != ground(dark)
    light.click("#theme")
    assert ground(light) == ground(dark)
    assert light.locator("#theme").get_attribute("aria-pressed") == "true"
    light.keyboard.press("t")
    assert ground(light) != ground(dark)


@pytest.mark.parametrize("width", [1024, 1400])
def test_no_element_is_wider_than_the_window(pages: dict[int, str], open_page: Open, width: int) -> None:
    view = open_page(pages[1_000], width=width, height=700).page
    assert view.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_screen_answers_the_first_questions(pages: dict[int, str], open_page: Open) -> None:
    view = open_page(pages[1_000]).page
    box = view.locator("#verdict").bounding_box()
    assert box["y"] + box["height"] < 900
    text = view.locator("#verdict").inner_text()
    for said in ("VIOLATION", "read() by process r returned -1", "Why no order is valid", "linpoint replay TOKEN"):
        assert said in text


def test_keys_can_be_sorted_filtered_and_shown_alone(pages: dict[int, str], open_page: Open) -> None:
    opened = open_page(pages[1_000])
    view = opened.page
    first = view.locator("#keys-rows tbody tr[data-at]").first
    assert "violation" in first.inner_text()
    from playwright.sync_api import expect

    view.click("[data-sort=operations]")
    view.click("[data-sort=operations]")
    assert view.locator("th[aria-sort=descending]").inner_text().startswith("Operations")
    view.fill("#keys-filter", "x")
    expect(view.locator("#keys-rows tr[data-at]")).to_have_count(1)
    first.click()
    assert opened.text("#operations-count") == "3 of 1,000"


def test_the_keys_are_listed_and_every_control_has_a_name(pages: dict[int, str], open_page: Open) -> None:
    view = open_page(pages[10]).page
    view.keyboard.press("?")
    assert view.locator("#help").is_visible()
    view.keyboard.press("Escape")
    assert not view.locator("#help").is_visible()
    unnamed = """() => [...document.querySelectorAll("button, select, input, canvas, [tabindex]")]
        .filter((each) => each.checkVisibility() && !each.closest(".copy"))
        .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() || each.closest("label")))
        .map((each) => each.outerHTML)"""
    assert view.evaluate(unnamed) == []
    view.keyboard.press("Tab")
    assert view.evaluate("document.activeElement !== document.body")


def test_the_printed_page_has_no_controls(pages: dict[int, str], open_page: Open) -> None:
    view = open_page(pages[10]).page
    view.emulate_media(media="print")
    assert view.locator("#verdict").is_visible()
    assert not view.locator("#canvas").is_visible()
    assert not view.locator("#theme").is_visible()
    assert view.locator("#operations-rows").is_visible()


def test_a_button_copies_the_command(pages: dict[int, str], open_page: Open) -> None:
    view = open_page(pages[10]).page
    view.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view.click("[data-copy=copy-replay]")
    view.wait_for_selector("button:has-text('Copied')")
    assert view.evaluate("navigator.clipboard.readText()") == "linpoint replay TOKEN"
