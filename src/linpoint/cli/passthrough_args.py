# SPDX-License-Identifier: Apache-2.0
"""How many words came after ``--``, which typer drops: there a source belongs to a test, and is none by itself."""

from __future__ import annotations

from typing import Any, Final

import typer
from typer.core import TyperCommand

_KEY: Final = "linpoint.after_dashes"


class PassthroughCommand(TyperCommand):
    """A command that remembers it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As ever, and count."""
        ctx.meta[_KEY] = len(args) - args.index("--") - 1 if "--" in args else 0
        return super().parse_args(ctx, args)


def passthrough_args(context: typer.Context) -> int:
    """The number, in a command that counts them."""
    count = context.meta.get(_KEY, 0)
    assert isinstance(count, int)
    return count
