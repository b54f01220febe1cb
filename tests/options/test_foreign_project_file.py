# SPDX-License-Identifier: Apache-2.0
"""A project file that another user has put into a shared directory is ignored or rejected."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from linpoint.errors import UsageError
from linpoint.options.commands.check import CheckOptions
from linpoint.options.project_file import project_layers

STRANGER = 54_321


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shared directory like ``/tmp`` with a project file, seen by a user who owns neither."""
    shared = tmp_path / "shared"
    (shared / "mine").mkdir(parents=True)
    (shared / "pyproject.toml").write_text('[tool.linpoint]\nspec = "evil.py:Cell"\n')
    shared.chmod(0o1777)
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    return shared


def _give_to_stranger(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, STRANGER + 1, -1)


def test_a_file_of_another_user_is_rejected(shared: Path) -> None:
    _give_to_stranger(shared / "pyproject.toml")
    for directory in (shared, shared / "mine"):
        with pytest.raises(UsageError, match=r"LP-U001 .*belongs to another user"):
            project_layers(CheckOptions, "check", directory)


def test_a_file_of_the_directory_owner_is_used(shared: Path) -> None:
    assert project_layers(CheckOptions, "check", shared / "mine")


def test_a_file_of_another_user_in_a_private_directory_is_used(shared: Path) -> None:
    _give_to_stranger(shared / "pyproject.toml")
    shared.chmod(0o755)
    assert project_layers(CheckOptions, "check", shared / "mine")


def test_a_file_without_linpoint_tables_is_ignored(shared: Path) -> None:
    (shared / "pyproject.toml").write_text("[tool.other]\n# linpoint\n")
    _give_to_stranger(shared / "pyproject.toml")
    assert project_layers(CheckOptions, "check", shared / "mine") == []
