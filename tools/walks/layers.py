# SPDX-License-Identifier: Apache-2.0
"""The layers of the import contract in pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

_PROJECT: Final = Path(__file__).parents[2] / "pyproject.toml"


def layer_ranks() -> dict[str, int]:
    """The rank of each package of linpoint; 0 is the lowest layer."""
    contracts = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    return {name.strip(): rank for rank, layer in enumerate(reversed(layers)) for name in layer.split("|")}
