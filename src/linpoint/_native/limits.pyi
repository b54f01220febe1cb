# SPDX-License-Identifier: Apache-2.0
"""The native guard of a command's limits."""

import enum

class Limit(enum.Enum):
    NONE = 0
    TIME = 1
    MEMORY = 2
    INTERRUPT = 3

class ProcessGuard:
    def __init__(
        self,
        seconds: float | None,
        time_grace: float,
        interrupt_grace: float,
        memory: int | None,
        memory_ceiling: int | None,
        alert: int,
    ) -> None: ...
    @property
    def signal_descriptor(self) -> int: ...
    def frame(self, before: bytes, between: bytes, after: bytes, errors: bytes, out: int, err: int) -> None: ...
    def part(self, index: int, text: bytes, code: int) -> None: ...
    def progress(self, words: bytes) -> None: ...
    @property
    def announced(self) -> Limit: ...
    def resume(self) -> None: ...
    def release(self) -> None: ...

def answer_marks() -> tuple[str, str, str]: ...
