# SPDX-License-Identifier: Apache-2.0
"""Where build results are kept."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from linpoint.targets import build_cache
from linpoint.targets.build_cache import building, cache_directory, lookup, store


def test_the_cache_is_the_directory_of_the_user(cache: Path) -> None:
    assert cache_directory() == cache


def test_without_a_writable_place_the_cache_is_temporary(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.parent.write_text("a file, and no folder")
    assert cache_directory().is_dir()
    assert cache_directory().name.startswith("linpoint-")


def test_the_first_builder_wins(cache: Path) -> None:
    for text in ("first", "second"):
        with building("things") as folder:
            (folder / "text").write_text(text)
            place = store(folder, "things", "name")
    assert (place / "text").read_text() == "first"
    assert lookup("things", "name") == place
    assert lookup("things", "other") is None


def test_entries_unused_for_weeks_are_removed(cache: Path) -> None:
    for name in ("old", "used", "new"):
        with building("things") as folder:
            place = store(folder, "things", name)
        if name != "new":
            long_ago = time.time() - 2 * build_cache._MAX_AGE_S
            os.utime(place, (long_ago, long_ago))
            if name == "used":
                lookup("things", name)
    assert sorted(each.name for each in (cache / "things").iterdir()) == ["new", "used"]
