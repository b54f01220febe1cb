# SPDX-License-Identifier: Apache-2.0
"""Time that does not depend on other work of the machine: processor seconds of this process and its children."""

from __future__ import annotations

import resource
from types import TracebackType
from typing import Self


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class ProcessorTime:
    """``with ProcessorTime() as spent:`` measures a block; afterwards ``spent.seconds`` is there."""

    seconds: float

    def __enter__(self) -> Self:
        self._begun = _seconds()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = _seconds() - self._begun
