# SPDX-License-Identifier: Apache-2.0
"""The compiler's output for each spelling of a flush, a fence and so on is hooked, and runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from linpoint.targets.assembly_rewriting import add_hooks
from tests.targets.instruction_spellings import AVX, BEFORE, DRIVER, SPELLINGS, source

HAS_AVX = " avx " in Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else False
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"there is no {name} here"))
    for name in ("gcc", "g++", "clang", "clang++")
]
FLAGS = ("-g", "-gdwarf-4", "-fsanitize=thread", "-fno-omit-frame-pointer", "-w")
INTRINSICS = ("-mclwb", "-mclflushopt")


def build(folder: Path, compiler: str, text: str, *flags: str, persistent: bool = True) -> tuple[Path, list[str], str]:
    """A program made of a source and the driver: its path, the named instructions, and its assembler text."""
    source = folder / ("a.cpp" if "++" in compiler else "a.c")
    assembler, program = folder / "a.s", folder / "a"
    source.write_text(text)
    subprocess.run([compiler, *FLAGS, *flags, "-fPIC", "-S", source, "-o", assembler], check=True)
    rewritten, unseen = add_hooks(assembler.read_text(), persistent=persistent)
    assembler.write_text(rewritten)
    (folder / "driver.c").write_text(DRIVER)
    words = [compiler, "-no-pie", "-w", "-O1", assembler, "-x", "c", folder / "driver.c", "-o", program]
    subprocess.run(words, check=True)
    return program, list(map(str, unseen)), rewritten


def run(program: Path, *words: str) -> list[str]:
    told = subprocess.run([program, *words], capture_output=True, text=True, check=True, timeout=120).stdout
    return [line.strip().rstrip(",") for line in told.splitlines()]


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_spelling_is_hooked(tmp_path: Path, compiler: str, level: str) -> None:
    program, unseen, _ = build(tmp_path, compiler, source(SPELLINGS), level, *INTRINSICS)
    assert not unseen
    assert dict(zip(SPELLINGS, run(program), strict=True)) == {name: told for name, (_, told) in SPELLINGS.items()}


@pytest.mark.skipif(not HAS_AVX, reason="the processor has no AVX")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_wide_stores_are_hooked(tmp_path: Path, compiler: str, level: str) -> None:
    program, unseen, _ = build(tmp_path, compiler, source(AVX), level, "-mavx")
    assert not unseen
    assert dict(zip(AVX, run(program), strict=True)) == {name: told for name, (_, told) in AVX.items()}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_stores_and_locked_instructions_are_named_when_exploring_schedules(tmp_path: Path, compiler: str) -> None:
    program, unseen, rewritten = build(tmp_path, compiler, source(SPELLINGS), "-O1", *INTRINSICS, persistent=False)
    named = [name for name, (_, told) in SPELLINGS.items() if told.startswith(("non_temporal", "locked"))]
    assert len(unseen) == len(named)
    assert "__linpoint_non_temporal" not in rewritten
    assert "__linpoint_locked" not in rewritten
    told = dict(zip(SPELLINGS, run(program), strict=True))
    assert told == {name: "" if name in named else told for name, (_, told) in SPELLINGS.items()}


@pytest.mark.skipif(shutil.which("addr2line") is None, reason="there is no addr2line here")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", [COMPILERS[0], COMPILERS[-1]])
def test_a_hook_is_called_on_the_line_of_its_instruction(tmp_path: Path, compiler: str, level: str) -> None:
    program, _, _ = build(tmp_path, compiler, source(SPELLINGS), level, *INTRINSICS)
    codes = run(program, "lines")
    told = subprocess.run(["addr2line", "-i", "-a", "-e", program, *codes], capture_output=True, text=True, check=True)
    frames = iter([each.split("\n")[1:] for each in told.stdout.split("0x")[1:]])
    for line, (written, hooks) in enumerate(SPELLINGS.values(), BEFORE.count("\n") + 2):
        for _ in hooks.split(","):
            lines = [each.split(" ")[0].endswith((f"a.c:{line}", f"a.cpp:{line}")) for each in next(frames)]
            assert any(lines), written
            assert lines[0] or "_mm" in written  # an intrinsic is a function in a header of the compiler
