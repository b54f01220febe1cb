# SPDX-License-Identifier: Apache-2.0
"""Golden texts: ``pytest tests/explain --refresh-golden`` rewrites them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", default=False, help="Write the golden texts anew.")


def masked(text: str) -> str:
    """The text without the parts that differ between runs and between machines."""
    text = re.sub(r"\b\d+\.\d{3} s\b", "N s", text)
    return re.sub(r"[\d,]+ configurations?", "N configurations", text)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[..., None]:
    """``golden(name, text)`` compares a text with the file of that name in ``golden/``, or in another directory."""
    refresh = request.config.getoption("--refresh-golden", default=False)

    def compare(name: str, text: str, *, folder: str = "golden") -> None:
        path = HERE / folder / f"{name}.txt"
        if refresh:
            path.parent.mkdir(exist_ok=True)
            path.write_text(masked(text) + "\n", encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest tests/explain --refresh-golden and look at the result"
        assert masked(text) + "\n" == path.read_text(encoding="utf-8")

    return compare
