# SPDX-License-Identifier: Apache-2.0
"""Watermarks among operation lines, by which a reader can decide before the end of a growing file.

    {"watermark": 40}

promises that no later line has a call before that time. Operation lines are written when operations are complete and in
any order. Without such a promise, any later line could explain an apparent violation.
"""

from __future__ import annotations

from typing import Any

from linpoint.histories.formats.file_format import format_error, shown
from linpoint.histories.formats.value_validation import is_time
from linpoint.histories.operation import Time


def watermark_of(item: Any, line: int | None) -> Time | None:
    """The time that a decoded line promises; None for a line that is not a watermark.

    Raises LP-H007 for an invalid time.
    """
    if type(item) is not dict or "watermark" not in item or "op" in item:
        return None
    time = item["watermark"]
    if not is_time(time):
        raise format_error(
            "LP-H007", f'"watermark" is {shown(time)}.', line, '"watermark" must be an integer or a finite float.'
        )
    return time  # type: ignore[no-any-return]
