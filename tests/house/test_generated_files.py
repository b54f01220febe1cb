# SPDX-License-Identifier: Apache-2.0
"""Generated files that are checked in match the output of their generators."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.generate_option_table import TABLE, option_table
from tools.generate_protocol import generated_files


def test_the_pytest_option_table_is_up_to_date() -> None:
    assert TABLE.read_text(encoding="utf-8") == option_table(), "run python -m tools.generate_option_table"


@pytest.mark.parametrize(("path", "text"), [pytest.param(*each, id=each[0].name) for each in generated_files()])
def test_the_host_protocol_is_up_to_date(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run python -m tools.generate_protocol"
