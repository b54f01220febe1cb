# SPDX-License-Identifier: Apache-2.0
"""The content of a replay token of ``refine``: the model, the options of the check, and the choices of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.options.choices import REDUCTIONS
from linpoint.options.commands.refine import RefineOptions
from linpoint.options.token_fields import options_from_token
from linpoint.refine.state_search import MAX_BUFFERED_STORES, MAX_NODES
from linpoint.verdicts import replay_token

_SLOT_BYTES: Final = (1, 2, 4)


class ModelRunFields(msgspec.Struct):
    """The fields of a token in addition to the options."""

    file: str
    model: str
    finding: str = ""
    run: list[tuple[int, int]] | None = None
    """None if only a search shows the finding."""
    room: tuple[list[int], int, int] = ([], 1, 0)
    left_out: list[str] = []


@dataclass(frozen=True, slots=True)
class ModelToken:
    """A finding for a model."""

    options: RefineOptions
    """The options of the check."""
    run: ModelRunFields

    @classmethod
    def read(cls, content: dict[str, Any]) -> ModelToken:
        """The content of a decoded token. All of it is validated before any of it is used."""
        try:
            run = msgspec.convert(content, ModelRunFields)
        except msgspec.ValidationError as error:
            raise replay_token.not_a_finding(str(error)) from None
        options = options_from_token(RefineOptions, content)
        nodes, slot_bytes, stores = run.room
        fits = slot_bytes in _SLOT_BYTES and 0 <= stores <= MAX_BUFFERED_STORES
        if not fits or any(count < 0 for count in nodes) or sum(nodes) > 2 * MAX_NODES:
            raise replay_token.not_a_finding("invalid layout of a state")
        for name in run.left_out:
            if name not in REDUCTIONS:
                raise replay_token.not_a_finding(f"unknown reduction {name!r}")
        return cls(options, run)
