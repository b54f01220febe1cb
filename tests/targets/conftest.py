# SPDX-License-Identifier: Apache-2.0
"""Fixtures for building targets: an empty cache, and a directory for sources."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from linpoint.targets.build_cache import cache_directory

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and ``tmp_path / "here"`` as the current directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    cache_directory.cache_clear()
    yield tmp_path / "cache" / "linpoint"
    cache_directory.cache_clear()
