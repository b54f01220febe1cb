# SPDX-License-Identifier: Apache-2.0
"""Files that are generated and checked in are those that their generators write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.generate_option_table import TABLE, option_table
from tools.generate_protocol import generated_files


def test_the_option_table_of_pytest() -> None:
    assert TABLE.read_text(encoding="utf-8") == option_table(), "run python -m tools.generate_option_table"


@pytest.mark.parametrize(("path", "text"), [pytest.param(*each, id=each[0].name) for each in generated_files()])
def test_the_protocol_of_hosts(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run python -m tools.generate_protocol"
