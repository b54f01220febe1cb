# SPDX-License-Identifier: Apache-2.0
"""The corpus of the fuzzers, replayed: what was found once is not found again, and every reader accepts and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.readers import READERS, run_reader

CORPUS = Path(__file__).with_name("corpus")
MAX_CORPUS_BYTES = 400_000


@pytest.mark.parametrize("name", READERS)
def test_the_corpus_of_a_reader(name: str) -> None:
    accepted = [run_reader(name, path.read_bytes()) for path in sorted((CORPUS / name).iterdir())]
    assert any(accepted)
    assert not all(accepted) or name in ("messages", "token-content")


def test_the_corpus_is_small() -> None:
    assert {path.name for path in CORPUS.iterdir()} >= set(READERS)
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < MAX_CORPUS_BYTES
