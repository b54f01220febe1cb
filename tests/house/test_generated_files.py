# SPDX-License-Identifier: Apache-2.0
"""Files that are generated and checked in are those that their generators write."""

from __future__ import annotations

from tools.generate_option_table import TABLE, option_table


def test_the_option_table_of_pytest() -> None:
    assert TABLE.read_text(encoding="utf-8") == option_table(), "run python -m tools.generate_option_table"
