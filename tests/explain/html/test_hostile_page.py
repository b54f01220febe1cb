# SPDX-License-Identifier: Apache-2.0
"""A history is untrusted input: markup and scripts in any of its fields stay text."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re

import pytest

import linpoint
from linpoint.explain.history.history_page import history_page
from linpoint.explain.history.reasons import ArgumentStep, CauseEvidence, LikelyCause
from tests.explain.html.conftest import Open
from tests.explain.html.histories import HOSTILE, hostile_history, hostile_spec


@pytest.fixture(scope="module")
def hostile() -> str:
    explanation = linpoint.check(hostile_history(), hostile_spec()).explain()
    core = explanation.core
    assert len(core) > 1
    dressed = dataclasses.replace(
        explanation,
        names=tuple(f"{HOSTILE}{at}" for at in range(len(core))),
        steps=(
            ArgumentStep("real-time", core, HOSTILE, core[0], core[1]),
            ArgumentStep("overwritten", core, HOSTILE, core[1], core[0]),
        ),
        causes=(LikelyCause(HOSTILE, HOSTILE, (CauseEvidence(HOSTILE, HOSTILE, core),)),) * 2,
    )
    return history_page(dressed, file=HOSTILE, command=f"linpoint check {HOSTILE}", replay=f"linpoint replay {HOSTILE}")


def test_a_hostile_page_can_be_written_and_has_no_invisible_characters(hostile: str) -> None:
    hostile.encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", hostile)


def test_only_the_script_of_the_page_may_run(hostile: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", hostile, re.DOTALL)
    assert len(scripts) == 1
    assert hostile.count("<script") == hostile.count("</script") == 2
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', hostile)
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe-eval" not in policy[1]


def test_a_history_adds_no_elements_and_runs_no_code(hostile: str, open_page: Open) -> None:
    opened = open_page(hostile)
    view = opened.page
    for key in ("v", "n", "n", "n", "n", "f"):
        view.keyboard.press(key)
    view.fill("#search", "onerror")
    view.press("#search", "Enter")
    view.select_option("#filter-process", index=1)
    view.select_option("#filter-name", index=1)
    view.click("#filters-clear")
    view.locator("#operations-rows tbody tr[data-at]").first.click()
    view.locator("#canvas").hover()
    view.wait_for_timeout(50)
    assert view.locator("img, iframe, object, embed, .injected, i:not(.swatch)").count() == 0
    assert view.locator("svg[onload]").count() == 0
    assert view.evaluate(
        "[...document.querySelectorAll('*')].every((each) => ![...each.attributes].some((a) => a.name.startsWith('on')))"
    )
    assert view.title().startswith("VIOLATION: </script>")
    assert "owned" not in view.title().partition("<img")[0]
    assert "<img src=x" in view.locator("#selected").inner_text()
    assert "\\x1b[31m\\u202e" in view.locator("#selected").inner_text()
    assert "<b class=injected>" in view.locator("#verdict").inner_text()


def test_the_content_security_policy_blocks_an_injected_script(open_page: Open) -> None:
    explanation = linpoint.check("A: |--write(1)--| |--read()->2--|", "register").explain()
    inside = "<script>document.title = 'owned'</script><img src='data:,' onerror='alert(1)'>"
    opened = open_page(history_page(explanation, traces=[inside]))
    assert "owned" not in opened.page.title()
    assert opened.problems
    assert all("Content Security Policy" in problem for problem in opened.problems)
    opened.problems.clear()


def test_traces_are_inserted_unchanged(open_page: Open) -> None:
    explanation = linpoint.check("A: |--write(1)--| |--read()->2--|", "register").explain()
    view = open_page(history_page(explanation, traces=["<p id=one>first</p>", "<p id=two>second</p>"])).page
    assert view.locator("#traces #two").inner_text() == "second"
