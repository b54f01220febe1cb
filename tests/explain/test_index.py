# SPDX-License-Identifier: Apache-2.0
"""The page of many results: its content, its safety against hostile documents, and its behaviour in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from linpoint.errors import ResultError
from linpoint.explain.pages.overview_page import overview_page, sentence
from linpoint.explain.pages.result_documents import ResultDocument, results_in

VOID = {"meta", "input", "br", "link", "img"}


class Page(HTMLParser):
    """The elements of a page, each with its attributes and text; they must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


def document(verdict: str = "violation", **more: Any) -> dict[str, Any]:
    return {"verdict": verdict, "exhaustive": True, "statistics": {"seconds": 0.5}, "findings": []} | more


def finding(message: str, text: str = "", replay: tuple[str, ...] = ("replay", "lp1-x")) -> dict[str, Any]:
    return {"kind": "race", "message": message, "explanation": {"text": text}, "replay": list(replay)}


def read(*documents: Any) -> list[ResultDocument]:
    results, error = results_in("\n".join(json.dumps(each) for each in documents), "results.json")
    assert error is None
    return results


# Reading documents


def test_documents_of_any_command_are_read() -> None:
    check = document("linearizable", spec="queue", keys=[{"key": "a", "verdict": "linearizable", "witness": [0]}])
    several = {
        "verdict": "violation",
        "files": [
            {
                "file": "a.jsonl",
                **document(keys=[{"key": 1, "verdict": "violation"}, {"key": 2, "verdict": "unknown"}]),
            },
            {"file": "b.jsonl", "error": {"code": "LP-H003", "place": "b.jsonl:4", "message": "m.", "remedy": "r."}},
        ],
    }
    tests = {"verdict": "unknown", "tests": [document("unknown", test="T", why="no time"), document("linearizable")]}
    explored = document("holds", exhaustive=False, statistics={"seconds": 2, "schedules": 10, "by": {"x": 1}})
    crashed = document(findings=[finding("lost", "TEXT"), finding("again")])
    results = read(check, several, tests, explored, crashed)
    assert [(each.name, each.verdict) for each in results] == [
        ("results.json:1", "linearizable"),
        ("a.jsonl", "violation"),
        ("b.jsonl", "error"),
        ("T", "unknown"),
        ("results.json:3#2", "linearizable"),
        ("results.json:4", "holds"),
        ("results.json:5", "violation"),
    ]
    assert (results[1].keys, results[1].bad_keys) == (2, 1)
    assert results[2].texts == ("LP-H003 b.jsonl:4: m. r.",)
    assert results[3].message == "no time"
    assert (results[5].message, results[5].statistics) == ("not exhaustive", {"seconds": 2, "schedules": 10})
    assert (results[6].message, results[6].texts) == ("lost (and 1 more)", ("TEXT", "again"))
    assert results[6].replay == ("replay", "lp1-x")


def test_one_document_may_span_many_lines() -> None:
    results, error = results_in(json.dumps(document(), indent=2), "f")
    assert (len(results), error) == (1, None)


def test_bytes_escaped_because_they_are_not_utf8_are_read() -> None:
    (result,) = read({"verdict": "violation", "files": [document(file="a\udcff")]})
    assert result.name == "a\udcff"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("{", "f", "it is not JSON"),
        ("hello", "f", "it is not JSON"),
        ("[]", "f", "Expected `object`, got `array`"),
        ("{}", "f", "neither a `verdict` nor an `error`"),
        ('{"verdict": "fine"}', "f", "$.verdict"),
        ('{"verdict": "violation", "findings": [{"message": 3}]}', "f", "$.findings[0].message"),
        ('{"verdict": "violation", "files": [{"file": "a"}]}', "f", "neither a `verdict`"),
        ('{"verdict": "holds"}\n{"verdict": "holds"}\n{"verdict": 1}', "f:3", "$.verdict"),
        ('{"verdict": "holds"}\n\n{"verd', "f:3", ""),
        ('{"verdict": "holds", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "f", "nested too deeply"),
        ('{"verdict": "holds"}\n{"x": ' + "[" * 100_000, "f:2", "nested too deeply"),
        ('{"process": 0, "op": "read", "call": 1}', "f", "neither a `verdict`"),
    ],
)
def test_input_that_is_not_a_result_is_reported_with_its_place(text: str, place: str, words: str) -> None:
    results, error = results_in(text, "f")
    assert isinstance(error, ResultError)
    assert (error.code, error.place) == ("LP-R001", place)
    assert words in error.message
    assert len(results) == text.count('{"verdict": "holds"}\n')  # results before the bad line count


# Content of the page


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ("vvhhh", "2 of 5 results are violations."),
        ("vue", "1 of 3 results is a violation, 1 is unknown and 1 is an error."),
        ("uuh", "No violation in 3 results, but 2 are unknown."),
        ("eh", "No violation in 2 results, but 1 is an error."),
        ("hl", "All 2 results hold."),
        ("l", "The result holds."),
    ],
)
def test_the_page_begins_with_a_summary_sentence(verdicts: str, words: str) -> None:
    names = {"v": "violation", "u": "unknown", "e": "error", "h": "holds", "l": "linearizable"}
    results = [ResultDocument(str(n), names[letter]) for n, letter in enumerate(verdicts)]
    assert sentence(results) == words
    assert words in Page(overview_page(results)).text("h1")


def test_passes_that_are_not_exhaustive_are_counted() -> None:
    results = [ResultDocument("a", "holds", exhaustive=False), ResultDocument("b", "holds")]
    assert sentence(results) == "All 2 results hold, 1 of them not exhaustively."


def test_rows_are_complete_and_begin_with_the_worst() -> None:
    fine = ResultDocument(
        "fine", "linearizable", spec="queue", keys=3, statistics={"operations": 8829, "seconds": 0.0125}
    )
    bad = ResultDocument(
        "bad", "violation", "message", ("TEXT\n  more",), ("replay", "a b"), "bad.html", keys=3, bad_keys=2
    )
    page = Page(overview_page([fine, bad]))
    assert [row["data-verdict"] for row in page.all("tr")[1:]] == ["violation", "linearizable"]
    assert page.all("a") == [{"href": "./bad.html"}]
    assert page.text("pre") == ["TEXT\n  more"]
    assert page.text("code") == ["linpoint replay 'a b'"]
    cells = page.text("td")
    assert "2 of 3" in cells
    assert "8,829" in cells
    assert "0.013" in cells or "0.012" in cells


HOSTILE = [
    "</pre></td></table><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover='alert(1)' x=\"",
    "-->]]><!--",
    "\x00\x1b[31m\ud800\udcff\ufffe",
    "\u202etxt.exe",
    "a\nb\rc",
    "&lt;b&gt;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_is_not_markup(text: str) -> None:
    hostile = document(
        findings=[finding(text, text, (text,))],
        spec=text,
        statistics={text: 3, "seconds": 1},
        report={"file": text, "written": True},
        file=text,
    )
    made = overview_page(read({"verdict": "violation", "files": [hostile]}))
    made.encode()
    page, plain = (
        Page(made),
        Page(overview_page([ResultDocument("x", "violation", "m", ("t",), ("r",), "p", "s", statistics={"a": 1})])),
    )
    assert page.elements[-1] == plain.elements[-1]
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "\x00" not in made


@pytest.mark.parametrize(
    "path",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:x",
        "data:text/html,x",
        "//evil.example/x",
        "https://evil.example",
        "\tjavascript:x",
    ],
)
def test_links_are_relative_paths_only(path: str) -> None:
    (link,) = Page(overview_page([ResultDocument("x", "violation", page=path)])).all("a")
    assert str(link["href"]).startswith("./")
    assert ":" not in str(link["href"])


def test_a_browser_may_run_only_the_script_of_the_page() -> None:
    made = overview_page([ResultDocument("x", "violation")])
    (script,) = re.findall(r"<script>(.*?)</script>", made, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", made, re.DOTALL)
    policy = next(each["content"] for each in Page(made).all("meta") if "http-equiv" in each)
    digests = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (("script", script), ("style", style))
    }
    assert str(policy).startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digests['script']}'" in str(policy)
    assert f"style-src 'sha256-{digests['style']}'" in str(policy)
    assert "innerHTML" not in script
    assert "http" not in style


def test_the_table_is_accessible_to_screen_readers() -> None:
    page = Page(overview_page([ResultDocument("x", "violation")]))
    assert page.all("html") == [{"lang": "en"}]
    assert {each["scope"] for each in page.all("th")} == {"col", "row"}
    assert page.all("div")[-1]["aria-label"] == "Results"
    assert page.all("form") == [{"id": "controls", "role": "search", "hidden": None}]


# In a browser


def rendered(made: str, folder: Path) -> str:
    """The page after a browser has run its scripts."""
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no Chromium")
    path = folder / "index.html"
    path.write_text(made, encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run([*command, "--dump-dom", path.as_uri()], capture_output=True, timeout=60, check=True)
    return done.stdout.decode()


def with_script(made: str, script: str) -> str:
    """The page with one more script, whose hash its policy includes."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made = made.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    return made.replace("</body>", f"<script>{script}</script></body>")


RESULTS = [
    ResultDocument("slow", "holds", statistics={"seconds": 100.0}),
    ResultDocument("quick", "holds", statistics={"seconds": 9.0}),
    ResultDocument("bad", "violation", "lost", statistics={"seconds": 20.0}),
]


def names(page: str, *, hidden: bool = True) -> list[str]:
    rows = re.findall(r'<tr data-verdict[^>]*?(hidden="")?><th scope="row">(\w+)', page)
    return [name for is_hidden, name in rows if hidden or not is_hidden]


def test_sorting_and_filtering_work_in_a_browser(tmp_path: Path) -> None:
    made = overview_page(RESULTS)
    assert names(made) == ["bad", "slow", "quick"]
    press = "[...document.querySelectorAll('thead button')].find((b) => b.textContent === 'Seconds').click();"
    assert names(rendered(with_script(made, press), tmp_path)) == ["quick", "bad", "slow"]
    page = rendered(with_script(made, press * 2), tmp_path)
    assert names(page) == ["slow", "bad", "quick"]
    assert 'aria-sort="descending"' in page
    choose = "document.querySelector('[data-show=holds]').click();"
    page = rendered(with_script(made, choose), tmp_path)
    assert names(page, hidden=False) == ["slow", "quick"]
    assert "2 of 3 shown" in page
    write = "const f = document.getElementById('filter'); f.value = 'LOST bad'; f.dispatchEvent(new Event('input'));"
    assert names(rendered(with_script(made, write), tmp_path), hidden=False) == ["bad"]


def test_a_browser_blocks_injected_content(tmp_path: Path) -> None:
    smuggled = "<script>document.title = 'broken'</script><img src=x onerror=\"document.title = 'broken'\">"
    page = rendered(overview_page(RESULTS).replace("</body>", f"{smuggled}</body>"), tmp_path)
    assert "<title>linpoint report</title>" in page
    assert "3 of 3 shown" in page  # and its own script has run
