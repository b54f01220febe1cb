# SPDX-License-Identifier: Apache-2.0
"""Directories of the host include only directories of the same layer or a lower one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

HOST: Final = Path(__file__).parents[2] / "native" / "host"
LAYERS: Final = (
    {"base", "protocol"},
    {"core"},
    {"hooks", "persistent"},
    {"interpose", "interpose/process", "interpose/threads"},
    {"pmdk", "search"},
    {"crash"},
    {"."},
)
"""The layers from the lowest; the last is ``main.cpp``."""


def layer(file: Path) -> int:
    return next(at for at, names in enumerate(LAYERS) if file.parent.as_posix() in names)


def test_includes_point_downwards() -> None:
    upward = [
        f"{path.relative_to(HOST)} -> {included}"
        for path in sorted(HOST.rglob("*.[chi]*"))
        for included in re.findall(r'#include "host/([^"]+)"', path.read_text(encoding="utf-8"))
        if path.suffix != ".txt" and layer(path.relative_to(HOST)) < layer(Path(included))
    ]
    assert not upward
