# SPDX-License-Identifier: Apache-2.0
"""The CMake package: a project finds it, ctest runs its tests, and mistakes in a call are reported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import cmake_dir, find_host

PROJECT = Path(__file__).parents[2] / "examples" / "cmake_project"
BIN = Path(sys.executable).parent
BEGIN = """
cmake_minimum_required(VERSION 3.19)
project(counters CXX C)
enable_testing()
find_package(linpoint REQUIRED)
"""


def run(*command: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path or f"{BIN}{os.pathsep}{os.environ['PATH']}", "CXX": "g++"}
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def configure(folder: Path, lists: str | None = None) -> subprocess.CompletedProcess[str]:
    if shutil.which("cmake", path=f"{BIN}{os.pathsep}{os.environ['PATH']}") is None:
        pytest.skip("there is no cmake")
    if lists is not None:
        (folder / "CMakeLists.txt").write_text(lists, encoding="utf-8")
    return run("cmake", "-S", str(folder), "-B", str(folder / "build"), f"-Dlinpoint_DIR={cmake_dir()}")


def test_the_example_builds_and_its_tests_run(tmp_path):
    find_host(find_compiler("g++"))
    folder = shutil.copytree(PROJECT, tmp_path / "project", ignore=shutil.ignore_patterns("build"))
    configured = configure(folder)
    assert configured.returncode == 0, configured.stdout
    done = run("ctest", "--test-dir", str(folder / "build"), "--output-on-failure")
    assert done.returncode == 8, done.stdout
    assert re.search(r"ring_in_order \.+ +Passed", done.stdout), done.stdout
    assert re.search(r"ring_on_x86 \.+\*\*\*Failed", done.stdout), done.stdout
    assert "after the store at ring.hpp:17: std::atomic_thread_fence" in done.stdout, done.stdout
    built = run("cmake", "--build", str(folder / "build"), "--target", "ring_in_order")
    assert built.returncode == 0, built.stdout


def test_flags_of_targets_are_passed_to_the_compiler(tmp_path):
    configured = configure(
        tmp_path,
        BEGIN
        + """
set(CMAKE_CXX_STANDARD 23)
add_library(counters INTERFACE)
target_include_directories(counters INTERFACE "with space")
target_compile_options(counters INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:C>:-Wextra>)
target_compile_definitions(counters INTERFACE "STEP=(1)" "NAME=\\"a b\\"")
file(WRITE ${CMAKE_SOURCE_DIR}/a.cpp "")
file(WRITE ${CMAKE_SOURCE_DIR}/b.cpp "")
linpoint_add_test(it SOURCES a.cpp b.cpp SPEC "map(initial={\\"it's\\": 1})" BUDGET 20s OPTIONS --threads 2)
target_link_libraries(it PRIVATE counters)
target_link_options(it PRIVATE -lm)
""",
    )
    assert configured.returncode == 0, configured.stdout
    (script,) = (tmp_path / "build" / "linpoint").glob("it-*CXX.sh")
    words = script.read_text(encoding="utf-8").replace("exec ", "printf '%s\\n' ")
    printed = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=True).stdout.splitlines()
    include = cmake_dir().parents[2] / "include"
    assert printed[1:] == [
        *("test", "a.cpp", "--spec", 'map(initial={"it\'s": 1})', "--budget", "20s"),
        *("--compiler", shutil.which("g++"), "--threads", "2", "--", f"-I{include}", f"-I{tmp_path}/with space"),
        *("-DSTEP=(1)", '-DNAME="a b"', "-Wall", "-lm", "-std=c++23", "b.cpp"),
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("linpoint_add_test(it)", "SOURCES has no file"),
        ("linpoint_add_test(it SPEK stack SOURCES a.cpp)", "linpoint_add_test(it): unknown: SPEK;stack"),
        ("find_package(linpoint 99)\nif(NOT linpoint_FOUND)\nmessage(FATAL_ERROR NO)\nendif()", "NO"),
    ],
)
def test_mistakes_are_reported_when_configuring(tmp_path, call, said):
    (tmp_path / "a.cpp").write_text("", encoding="utf-8")
    lists = BEGIN if call.startswith("linpoint") else BEGIN.replace("find_package(linpoint REQUIRED)\n", "")
    configured = configure(tmp_path, lists + call)
    assert configured.returncode != 0
    assert said in re.sub(r"\s*\n\s*", " ", configured.stdout)


def test_the_command_is_found_in_the_environment_of_the_package(tmp_path):
    sdk = tmp_path / "lib" / "python3.11" / "site-packages" / "linpoint" / "native" / "sdk"
    shutil.copytree(cmake_dir().parents[2], sdk)
    command = tmp_path / "bin" / "linpoint"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n", encoding="utf-8")
    command.chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text(BEGIN + "message(NOTICE ${LINPOINT_COMMAND})", encoding="utf-8")
    place = sdk / "lib" / "cmake" / "linpoint"
    done = run("cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), f"-Dlinpoint_DIR={place}")
    assert done.returncode == 0, done.stdout
    assert str(command) in done.stdout


def test_the_version_matches_the_package():
    text = (cmake_dir() / "linpoint-config-version.cmake").read_text(encoding="utf-8")
    assert f"set(PACKAGE_VERSION {version('linpoint')})" in text


def test_the_command_prints_the_cmake_directory():
    done = run(str(BIN / "linpoint"), "--cmake-dir")
    assert (done.returncode, done.stdout) == (0, f"{cmake_dir()}\n")
    assert (cmake_dir() / "linpoint-config.cmake").is_file()
