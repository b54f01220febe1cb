# SPDX-License-Identifier: Apache-2.0
"""The same crash tests by fork, exec and file copy, as other tools in the field, including Durinn, run them.

A sample of the images that linpoint tests is written to files. For each of them the file is copied, since recovery and
probes write to it; a fresh process maps the copy, recovers, runs the same probes and prints their results, which the
same oracle judges. That process runs the structure built with -O2 and without hooks, and the oracle's time is not
counted on that side. The copied file is the pool, with linpoint's default size, or less: PMDK's minimum pool size, or
only the bytes in use, which a tool would have to know.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.crashing.structures import SWEEP, Structure, busy, hash_table, in_zoo
from linpoint.hosts.crash_messages import ImageSampled
from linpoint.targets.host_builder import sdk

_OPERATIONS: Final = 1000
_FEW: Final = 40
_HEADER: Final = 4096
_ROOM: Final = 64 << 10
"""For the allocations of probes."""
_SIZES: Final = (("the pool, 64 MB", 64 << 20), ("PMDK's minimum, 8 MB", 8 << 20), ("the bytes in use", 0))


def table(*, quick: bool) -> bool:
    """Print the table; whether the two ways disagree on any image."""
    samples, rounds = (60, 2) if quick else (200, 5)
    whole, broken = hash_table(_OPERATIONS), hash_table(_FEW, "-DBUG_RESIZE")
    print(
        f"the same tests by fork, exec and file copy: {samples} of the images above, evenly sampled; median of {rounds}"
    )
    print(f"{'copied file':22}{'per second':>11}{'linpoint':>10}{'ratio':>8}  same verdicts")
    with _images(whole, samples) as images, _program() as program:
        differ = _row_of_sizes(whole, images, program, rounds)
    with _images(broken) as images, _program("-DBUG_RESIZE") as program:
        same, refused = _agreement(broken, images, _run(images, program, 0)[1])
    print(f"all images of {_FEW} operations with BUG_RESIZE: {same} of {len(images)} verdicts agree, ", end="")
    print(f"including {refused} violations", flush=True)
    return differ or same != len(images) or not refused


def _row_of_sizes(whole: Structure, images: list[ImageSampled], program: Path, rounds: int) -> bool:
    wrong = False
    for name, size in _SIZES:
        ours, theirs, ratios, same = [], [], [], 0
        for _ in range(rounds):
            used = busy()
            ended, _ = whole.crashed(SWEEP)
            ours.append(sum(ended.tests.values()) / (busy() - used))
            rate, results = _run(images, program, size)
            theirs.append(rate)
            ratios.append(ours[-1] / rate)
            same = _agreement(whole, images, results)[0]
        wrong = wrong or same != len(images)
        print(f"{name:22}{statistics.median(theirs):>11,.0f}{statistics.median(ours):>10,.0f}", end="")
        print(f"{statistics.median(ratios):>7,.0f}x  {same} of {len(images)}", flush=True)
    return wrong


@contextmanager
def _images(tested: Structure, samples: int | None = None) -> Iterator[list[ImageSampled]]:
    """Images of a structure, as files: all of them, or a sample of this size."""
    ended, _ = tested.crashed(SWEEP)
    every = 1 if samples is None else max(1, sum(ended.tests.values()) // samples)
    images: list[ImageSampled] = []
    with tempfile.TemporaryDirectory() as folder:
        tested.sampled(SWEEP, folder, every, images.append)
        texts: dict[bytes, Path] = {}
        for image in images:
            written = bytes(image.probes)
            if written not in texts:
                texts[written] = Path(folder, f"{len(texts)}.probes")
                texts[written].write_text(_probes(tested, msgspec.json.decode(written, type=list[int])))
            Path(image.file).with_suffix(".text").symlink_to(texts[written])
        yield images[:samples]


def _probes(tested: Structure, numbers: list[int]) -> str:
    calls = tested.plan.calls
    told = (f"0 {calls[each].operation} {msgspec.json.encode(list(calls[each].args)).decode()}" for each in numbers)
    return "\n".join([tested.plan.test, *told]) + "\n"


@contextmanager
def _program(*flags: str) -> Iterator[Path]:
    """The structure, without hooks, with a ``main`` that runs one test."""
    here = Path(__file__).parent.resolve()
    with tempfile.TemporaryDirectory() as folder, in_zoo():
        made = Path(folder, "hash_table.o")
        subprocess.run(["gcc", "-O2", *flags, "-c", "hash_table.c", "-o", made], check=True)
        words = ["g++", "-std=c++20", "-O2", f"-I{sdk()}", str(here / "peer.cpp"), "hash_table.cpp", str(made)]
        subprocess.run([*words, "-o", str(Path(folder, "peer"))], check=True)
        yield Path(folder, "peer")


def _run(images: list[ImageSampled], program: Path, size: int) -> tuple[float, list[bytes]]:
    """Tests per processor second, and the results of their probes; ``size`` is that of the pool, if it has one."""
    folder = Path(images[0].file).parent
    pool, copy, results = folder / "pool", folder / "copy", []
    if size:
        pool.write_bytes(bytes(size + _HEADER))
    used = busy()
    for image in images:
        shutil.copyfile(pool if size else image.file, copy)
        _put(image, copy, size)
        results.append(_exec([str(program), str(copy), str(image.cursor), str(Path(image.file).with_suffix(".text"))]))
        copy.unlink()
    return len(images) / (busy() - used), results


def _put(image: ImageSampled, copy: Path, size: int) -> None:
    """Write the bytes of the crash state into the copied pool; if only these were copied, append room after them."""
    if not size:
        os.truncate(copy, copy.stat().st_size + _ROOM)
        return
    with copy.open("r+b") as file:
        file.write(Path(image.file).read_bytes())


def _exec(words: list[str]) -> bytes:
    """The output of a process, started in the cheapest possible way."""
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_CLOSE, reading)]
    process = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
    os.close(writing)
    with os.fdopen(reading, "rb") as output:
        said = output.read()
    os.waitpid(process, 0)
    return said


def _agreement(tested: Structure, images: list[ImageSampled], results: list[bytes]) -> tuple[int, int]:
    """The number of verdicts on images that agree with linpoint, and how many of these are violations."""
    same = refused = 0
    for image, said in zip(images, results, strict=True):
        # A process that was killed, or has printed only a part, did not finish.
        ended = "complete" if said.endswith(b"]]") else "crash"
        judged = msgspec.structs.replace(image, ended=ended, results=msgspec.Raw(said or b"[]"))
        allowed = tested.oracle.allows(judged)
        same += allowed == image.allowed
        refused += not allowed and not image.allowed
    return same, refused
