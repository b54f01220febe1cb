# SPDX-License-Identifier: Apache-2.0
"""Times written as text, which linpoint does not accept, and what to write instead.

Text is not accepted as a time because two clocks may write the same instant differently, with or without time zones.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

_ISO: Final = re.compile(
    r"\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9})\d*)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?\s*", re.ASCII
)
_NUMBER: Final = re.compile(r"\s*-?\d{1,300}(?:\.\d{1,300})?\s*", re.ASCII)
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def remedy_for_time(text: str) -> str | None:
    """The remedy for a time given as this text; None for a text that does not look like a time."""
    if _NUMBER.fullmatch(text):
        return f"Write the number without quotes: {text.strip()}."
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    day, minute, second, fraction, zone = match.groups()
    try:
        instant = dt.datetime.fromisoformat(f"{day}T{minute}{second or ':00'}{(zone or 'Z').upper()}")
    except ValueError:
        return None
    since = instant - _EPOCH
    nanoseconds = (since.days * 86_400 + since.seconds) * 10**9 + int((fraction or "0").ljust(9, "0"))
    what = f"{nanoseconds} for this one" + ("" if zone else ", if it is UTC")
    return f"Write times as numbers, such as nanoseconds since 1970: {what}."
