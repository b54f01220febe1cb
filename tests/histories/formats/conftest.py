# SPDX-License-Identifier: Apache-2.0
"""A fixture for the tests of the formats: loading a text as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linpoint.histories.formats import load
from linpoint.histories.history import History

Reader = Callable[..., History]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """``read(text_or_bytes, **options)`` loads it from a file named ``history``."""

    def reader(content: str | bytes, **options: Any) -> History:
        path = tmp_path / "history"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return load(path, **options)

    return reader
