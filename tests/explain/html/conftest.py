# SPDX-License-Identifier: Apache-2.0
"""A real browser: the system's Chromium, which opens pages from files and may load nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SLOW = 30_000


class Opened:
    """A page in the browser, with any problems that occurred."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(SLOW)
        page.on("console", lambda message: self._say("console", message.text))
        page.on("pageerror", lambda error: self._say("error", str(error)))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.requests.append(request.url))

    def _say(self, kind: str, text: str) -> None:
        self.problems.append(f"{kind}: {text}")

    def _dialog(self, dialog: Any) -> None:
        self._say("dialog", dialog.message)
        dialog.dismiss()

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()  # type: ignore[no-any-return]

    @property
    def visible(self) -> int:
        """The number of operations in the window of the timeline."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return int(self.text("#range").split(" of ")[0].replace(",", ""))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no Chromium, and CI must test pages in a browser: see ci/packages.txt")
        pytest.skip("there is no Chromium to open pages in")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """``open_page(html)`` writes a page to a file and opens it; the end of the test asserts that no problem
    occurred.
    """
    contexts = []
    opened: list[Opened] = []

    def opener(html: str, *, width: int = 1400, height: int = 900, scheme: str = "light") -> Opened:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        context.route("**/*", lambda route: route.continue_() if route.request.url == path.as_uri() else route.abort())
        found = Opened(context.new_page(), path.as_uri())
        opened.append(found)
        found.page.goto(path.as_uri())
        found.page.wait_for_selector("html[data-ready]", state="attached")
        return found

    yield opener
    for context in contexts:
        context.close()
    assert not [problem for found in opened for problem in found.problems]
    for found in opened:
        assert [url for url in found.requests if not url.startswith(("blob:", "data:"))] == [found.address]
