# SPDX-License-Identifier: Apache-2.0
"""The error for a failed build: a coded error, and the tool's own messages, unchanged."""

from __future__ import annotations

from linpoint.errors import TestError


class BuildError(TestError):
    """A compiler or linker failed. ``output`` holds its messages."""

    def __init__(
        self, code: str, message: str, output: bytes = b"", *, place: str | None = None, remedy: str = ""
    ) -> None:
        super().__init__(code, message, place=place, remedy=remedy)
        self.output = output

    @property
    def tool_messages(self) -> str:
        """The tool's own messages."""
        return self.output.decode("utf-8", "replace").rstrip("\n")

    def as_dict(self) -> dict[str, str | None]:
        """The error in the JSON format; its message is followed by the tool's own messages."""
        return super().as_dict() | {
            "message": f"{self.message}\n{self.tool_messages}" if self.tool_messages else self.message
        }
