# SPDX-License-Identifier: Apache-2.0
"""What is said when something cannot be built: a coded error, and the tool's own messages, untouched."""

from __future__ import annotations

from linpoint.errors import TestError


class BuildError(TestError):
    """A compiler or linker refuses. ``output`` is what it said."""

    def __init__(
        self, code: str, message: str, output: bytes = b"", *, place: str | None = None, remedy: str = ""
    ) -> None:
        super().__init__(code, message, place=place, remedy=remedy)
        self.output = output

    @property
    def said(self) -> str:
        """The tool's own messages."""
        return self.output.decode("utf-8", "replace").rstrip("\n")

    def as_dict(self) -> dict[str, str | None]:
        """As in the JSON contract; there the message has the tool's own messages after it."""
        return super().as_dict() | {"message": f"{self.message}\n{self.said}" if self.said else self.message}
