# SPDX-License-Identifier: Apache-2.0
"""Building targets: what they need from the host, what is cached, what is rejected."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from linpoint.errors import TestError
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.targets import compiler_flags, target_builder
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.stress_executable_builder import build_executable
from linpoint.targets.target_builder import BuildRecipe, build_target
from tests.targets.conftest import needs_compiler

pytestmark = needs_compiler

PROGRAM = """
#include <atomic>
#include <cstring>
std::atomic<int> x;
char a[100], b[100];
int main(int argc, char**) { x = argc; std::memcpy(a, b, 40 + argc); return 0; }
"""


def recipe(*files: str, flags: tuple[str, ...] = ()) -> BuildRecipe:
    return BuildRecipe(files, flags, find_compiler("g++"))


def write(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def undefined(library: Path) -> set[str]:
    told = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in told.splitlines()}


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_target_asks_the_host_for_hooks(cache: Path, level: str) -> None:
    target = build_target(recipe(write("a.cpp", PROGRAM), flags=(level,)))
    assert {"__tsan_func_entry", "__tsan_atomic32_store", "__wrap_memcpy"} <= undefined(target.library)
    needed = subprocess.run(["readelf", "-d", target.library], capture_output=True, text=True, check=True).stdout
    assert "libtsan" not in needed
    assert "BIND_NOW" in needed
    assert not target.contents.unseen
    assert not target.contents.unhooked


def test_a_target_is_cached_until_something_changes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own.hpp").write_text("const int n = 1;\n")
    made = recipe(write("a.cpp", '#include "own.hpp"\nint main() { return n; }\n'))
    built = []
    build = target_builder._build
    monkeypatch.setattr(target_builder, "_build", lambda *words, **named: built.append(words) or build(*words, **named))
    first = build_target(made)
    assert build_target(made) == first
    assert len(built) == 1
    Path("own.hpp").write_text("const int n = 2;\n")
    second = build_target(made)
    assert (len(built), second.digest != first.digest) == (2, True)
    assert first.library.exists()  # another process may be running it
    build_target(recipe("a.cpp", flags=("-O2",)))
    Path("own.hpp").write_text("const int n = 1;\n")
    assert build_target(made).digest == first.digest
    assert not list(cache.rglob(".building-*"))


def test_a_target_built_with_other_internal_flags_is_not_reused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer version may detect more than the version that built the cached target."""
    write("main.cpp", PROGRAM)
    first = build_target(recipe("main.cpp"))
    monkeypatch.setattr(compiler_flags, "_LINK", ("-Wl,-z,now",))
    assert build_target(recipe("main.cpp")).digest != first.digest


def test_several_sources_are_one_program(cache: Path) -> None:
    write("a.cpp", "int f(); int main() { return f(); }\n")
    write("b.cpp", "int f() { return 0; }\n")
    assert build_target(recipe("a.cpp", "b.cpp")).library.exists()


# Neither is valid C++: `new` and `class` are names, and a pointer to void converts to any other pointer.
C_PROGRAM = """
#include <stdatomic.h>
#include <stdlib.h>
struct new { _Atomic int class; };
int twice(int);
struct new* one;
int main(void) { one = malloc(sizeof *one); atomic_store(&one->class, twice(1)); return 0; }
#ifdef ALONE
int twice(int n) { return 2 * n; }
#endif
"""


@pytest.mark.parametrize("compiler", ["g++", "env g++", "clang++"])
@pytest.mark.parametrize("standard", ["-std=c11", "-std=c++17", "-O2"])
def test_sources_in_c_are_compiled_as_c(cache: Path, compiler: str, standard: str) -> None:
    if shutil.which(compiler.rsplit(maxsplit=1)[-1]) is None:
        pytest.skip(f"there is no {compiler} here")
    write("a.c", C_PROGRAM)
    write("b.cpp", 'extern "C" int twice(int n) { return [&] { return n + n; }(); }\n')
    found = find_compiler(compiler)
    both = build_target(BuildRecipe(("a.c", "b.cpp"), (standard, "-Werror", "-fno-rtti"), found))
    alone = build_target(BuildRecipe(("a.c",), (standard, "-Werror", "-DALONE"), found))
    for target in (both, alone):
        assert {"__tsan_func_entry", "__tsan_atomic32_store"} <= undefined(target.library)


def test_a_program_without_hooks_may_have_c_sources(cache: Path) -> None:
    write("a.c", C_PROGRAM)
    write("b.cpp", 'extern "C" int twice(int n) { return 2 * n; }\n')
    program = build_executable(recipe("b.cpp", "a.c", flags=("-std=c11",))).program
    assert subprocess.run([program], check=False).returncode == 0


def test_the_compiler_reports_invalid_c(cache: Path) -> None:
    write("a.c", "int main(void) { return class; }\n")
    with pytest.raises(BuildError, match=r"LP-T033 a.c: g\+\+ cannot compile it") as error:
        build_target(recipe("a.c"))
    assert b"class" in error.value.output


def test_the_compiler_reports_invalid_cpp(cache: Path) -> None:
    write("a.cpp", "int main() { return missing; }\n")
    with pytest.raises(BuildError, match=r"LP-T033 a.cpp: g\+\+ cannot compile it") as error:
        build_target(recipe("a.cpp"))
    alone = subprocess.run(
        ["g++", "-std=c++20", "-O1", "-S", "a.cpp", "-o", "/dev/null"], capture_output=True, check=False
    )
    assert error.value.output == alone.stderr
    assert "missing" in error.value.as_dict()["message"]


def test_the_linker_reports_undefined_symbols(cache: Path) -> None:
    write("a.cpp", "int main() {}\n")
    with pytest.raises(BuildError, match=r"LP-T033 a.cpp: g\+\+ cannot link it") as error:
        build_target(recipe("a.cpp", flags=("-lnowhere-to-be-found",)))
    assert b"nowhere-to-be-found" in error.value.output


def test_a_program_needs_a_main_function(cache: Path) -> None:
    write("a.cpp", "int start() { return 0; }\n")
    with pytest.raises(BuildError, match=r"LP-T033 a.cpp: it has no main\(\)"):
        build_target(recipe("a.cpp"))
    write("b.cpp", "int main() {}\n")
    assert build_target(recipe("b.cpp", flags=("-fvisibility=hidden",)))


def test_a_missing_source_is_reported(cache: Path) -> None:
    with pytest.raises(TestError, match=r"LP-T030 nowhere.cpp: there is no such file"):
        build_target(recipe("nowhere.cpp"))
    Path("folder.cpp").mkdir()
    with pytest.raises(TestError, match=r"LP-T030 folder.cpp: it cannot be read"):
        build_target(recipe("folder.cpp"))


def test_inline_assembly_is_named(cache: Path) -> None:
    source = (
        'int x;\nint main() {\n  asm volatile("lock; incl %0" : "+m"(x));\n  asm volatile("mfence" ::: "memory");\n}\n'
    )
    target = build_target(recipe(write("a.cpp", source)))
    (told,) = target.contents.unseen
    assert told.endswith("at a.cpp:3")
    assert "lock incl" in told
    assert "__linpoint_fence" in undefined(target.library)


def test_libraries_without_hooks_are_named(cache: Path) -> None:
    write("lib.cpp", "int counter; void count() { ++counter; }\n")
    write("a.cpp", "void count(); int main() { count(); }\n")
    subprocess.run(["g++", "-fPIC", "-c", "lib.cpp"], check=True)
    subprocess.run(["ar", "rc", "libown.a", "lib.o"], check=True)
    subprocess.run(["g++", "-shared", "-o", "libshared.so", "lib.o"], check=True)
    found = [build_target(recipe("a.cpp", flags=flags)) for flags in (("lib.o",), ("-L.", "-lown"), ("libshared.so",))]
    names = [[Path(each).name for each in target.contents.unhooked] for target in found]
    assert names == [["lib.o"], ["libown.a"], ["libshared.so"]]
    subprocess.run(["g++", "-fPIC", "-fsanitize=thread", "-c", "lib.cpp"], check=True)
    assert not build_target(recipe("a.cpp", flags=("lib.o",))).contents.unhooked


def test_the_deadline_holds_and_no_compiler_is_left_running(cache: Path) -> None:
    write("a.cpp", "#include <iostream>\n#include <regex>\nint main() {}\n")
    with pytest.raises(OutOfTimeError):
        build_target(recipe("a.cpp"), deadline=time.monotonic() + 0.02)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert not children
    assert not list(cache.rglob(".building-*"))


def test_names_may_have_unusual_characters(cache: Path) -> None:
    write("-my prog$ #1.cpp", '#include "a b.hpp"\nint main() {}\n')
    write("a b.hpp", "\n")
    made = recipe("-my prog$ #1.cpp")
    first = build_target(made)
    write("a b.hpp", "// another\n")
    assert build_target(made).digest != first.digest
