# SPDX-License-Identifier: Apache-2.0
"""The fuzzing corpus, replayed: no old finding returns, and every reader accepts some inputs and rejects others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.readers import READERS, run_reader

CORPUS = Path(__file__).with_name("corpus")
MAX_CORPUS_BYTES = 400_000


@pytest.mark.parametrize("name", READERS)
def test_each_reader_handles_its_corpus(name: str) -> None:
    accepted = [run_reader(name, path.read_bytes()) for path in sorted((CORPUS / name).iterdir())]
    assert any(accepted)
    assert not all(accepted) or name in ("messages", "token-content")


def test_the_corpus_is_small() -> None:
    assert {path.name for path in CORPUS.iterdir()} >= set(READERS)
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < MAX_CORPUS_BYTES
