# SPDX-License-Identifier: Apache-2.0
"""Ten minutes of fuzzing in the long lane: the readers and the whole check, on mutated and random files."""

import math
import random
import sys
import time
from pathlib import Path

import pytest

import linpoint
from linpoint.histories.formats import FORMATS
from tests.volume import SEED, seeds

SEEDS = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "data").iterdir()) if path.suffix != ".tsv"]
SPLICES = [
    b"[" * 70,
    b"9" * 400,
    b"\\u0000",
    b'"',
    b"}",
    b"{",
    b"\xff",
    b":",
    b"#_",
    b"null",
    b"1e999",
    b",",
    b"-",
    b"\n",
    b"NaN",
]


def mutate(rng: random.Random, data: bytes) -> bytes:
    text = bytearray(data)
    for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
        at = rng.randrange(len(text) + 1)
        kind = rng.random()
        if kind < 0.3:
            text[at:at] = rng.choice(SPLICES)
        elif kind < 0.5:
            del text[at : at + rng.randint(1, 20)]
        elif kind < 0.7 and at < len(text):
            text[at] = rng.randrange(256)
        elif kind < 0.85:
            other = rng.choice(SEEDS)
            start = rng.randrange(len(other))
            text[at:at] = other[start : start + rng.randint(1, 60)]
        else:
            lines = bytes(text).splitlines(keepends=True)
            rng.shuffle(lines)
            text = bytearray(b"".join(lines))
    return bytes(text)


def fuzz(seed: str, path: Path, *, files: int = sys.maxsize, seconds: float = math.inf) -> int:
    rng = random.Random(seed)
    deadline = time.monotonic() + seconds
    accepted = 0
    for _ in range(files):
        if time.monotonic() > deadline:
            break
        path.write_bytes(mutate(rng, rng.choice(SEEDS)))
        try:
            format = None if rng.random() < 0.8 else rng.choice(list(FORMATS))
            history = linpoint.load(path, format=format, keyed=rng.choice([None, None, None, True, False]))
            spec = rng.choice(list(linpoint.specs.BUILT_IN))
            linpoint.check(history, spec, budget=1).explain()
        except linpoint.LinpointError as error:
            assert error.code != "LP-V001", path.read_bytes()
            assert error.remedy
        else:
            accepted += 1
    return accepted


def test_fuzz_readers_briefly(tmp_path: Path) -> None:
    assert fuzz(SEED, tmp_path / "fuzzed", files=400) > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(2))
def test_fuzz_readers(seed: str, tmp_path: Path) -> None:
    assert fuzz(seed, tmp_path / "fuzzed", seconds=600) > 0
