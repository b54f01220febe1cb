# SPDX-License-Identifier: Apache-2.0
"""Replay tokens: flat JSON whose keys keep their names and order."""

from __future__ import annotations

import pytest

from linpoint.errors import UsageError
from linpoint.verdicts import replay_token
from linpoint.verdicts.replay_token import LAYOUTS, ReplayToken


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_token_survives_encoding_and_decoding(kind: str) -> None:
    content = {name: f"{name} of it" for name in LAYOUTS[kind].keys} | {"kind": kind}
    token = ReplayToken.from_dict(dict(reversed(content.items())))
    assert list(token.as_dict().items()) == list(content.items())
    assert ReplayToken.decode(token.encode()) == token
    assert replay_token.decode(token.encode()) == content
    assert set(token.reproduction) == LAYOUTS[kind].reproduction & content.keys()


def test_the_parts_of_a_token() -> None:
    content = {"kind": "test", "file": "t.py", "test": "T", "code": "c", "schedule": [[1, 0]], "finding": "race"}
    token = ReplayToken.from_dict(content)
    assert token == ReplayToken("test", "race", "t.py", "T", "c", {}, {"schedule": [[1, 0]]})
    assert token.is_complete


def test_fields_added_by_a_newer_version_are_kept() -> None:
    content = {"kind": "test", "file": "t.py", "added": [1]}
    assert ReplayToken.from_dict(content).as_dict() == content
    assert ReplayToken.from_dict({"kind": "new", "a": 1}).as_dict() == {"kind": "new", "a": 1}


def test_identity_fields_of_another_type_are_left_to_the_decoder_of_the_kind() -> None:
    content = {"kind": "test", "file": 5, "finding": ["race"]}
    assert ReplayToken.from_dict(content).as_dict() == content


def test_a_program_of_several_files_is_complete() -> None:
    assert ReplayToken.from_dict({"kind": "explore-cpp", "files": ["a.cpp"]}).is_complete
    assert not ReplayToken.from_dict({"kind": "explore-cpp", "files": []}).is_complete


def test_a_truncated_token_is_a_coded_error() -> None:
    with pytest.raises(UsageError, match="LP-U004"):
        ReplayToken.decode(ReplayToken("test", file="t.py").encode()[:-3])
