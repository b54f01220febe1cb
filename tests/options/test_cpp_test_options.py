# SPDX-License-Identifier: Apache-2.0
"""Options in comments of a C++ file, merged with the options of the user."""

from __future__ import annotations

import pytest

from linpoint.errors import LinpointError, UsageError
from linpoint.options.commands.test import TestOptions


def written(folder, *lines: str) -> str:
    path = folder / "stack_linpoint.cpp"
    path.write_text("\n".join(["// A stack.", *lines, "int main() {}"]), encoding="utf-8")
    return str(path)


def test_a_file_without_comments_sets_no_options(tmp_path):
    assert (
        TestOptions.in_comments(written(tmp_path, "// linpoint is a tool", 'auto text = "// linpoint: --spec set";'))
        == TestOptions()
    )
    assert TestOptions.in_comments(str(tmp_path / "none.cpp")) == TestOptions()


def test_options_of_several_comments_are_merged(tmp_path):
    file = written(
        tmp_path,
        "// linpoint: --spec 'queue(capacity=2)' --memory-model tso --threads 2 -- -DONE",
        "  //linpoint:  --operations 3 --reuse --progress --races ignore --method outcomes -- -O2",
        '// linpoint: --scenario "push(1) | pop()" --before "push(2)" --seed 7 --workers 1 --compiler clang++',
    )
    assert TestOptions.in_comments(file) == TestOptions(
        spec="queue(capacity=2)",
        flags=("-DONE", "-O2"),
        compiler="clang++",
        memory_model="tso",
        races="ignore",
        reuse=True,
        method="outcomes",
        progress=True,
        scenario="push(1) | pop()",
        before="push(2)",
        threads=2,
        operations=3,
        seed=7,
        workers=1,
    )


def test_paths_are_relative_to_the_directory_of_the_file(tmp_path):
    file = written(
        tmp_path,
        "// linpoint: --spec specs.py:Stack -- -Iinclude -isystem other -D stack.hpp ../src/stack.cpp -L/lib -Wall",
    )
    said = TestOptions.in_comments(file)
    assert said.spec == f"{tmp_path}/specs.py:Stack"
    assert said.flags == (
        *(f"-I{tmp_path}/include", "-isystem", f"{tmp_path}/other", "-D", "stack.hpp"),
        *(f"{tmp_path}/../src/stack.cpp", "-L/lib", "-Wall"),
    )
    assert said.sources == (f"{tmp_path}/../src/stack.cpp",)
    assert said.compiler_flags == tuple(word for word in said.flags if not word.endswith(".cpp"))


def test_options_of_the_user_override_comments(tmp_path):
    said = TestOptions.in_comments(
        written(tmp_path, "// linpoint: --spec stack --memory-model tso --threads 2 -- -DONE=1")
    )
    asked = TestOptions(memory_model="sc", flags=("-DONE=2",)).over(said)
    assert asked == TestOptions(spec="stack", flags=("-DONE=1", "-DONE=2"), memory_model="sc", threads=2)
    assert TestOptions().over(said) == said
    assert said.over(TestOptions(reuse=True)).reuse


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("--no-such", "unrecognized arguments: --no-such"),
        ("the fastest stack", "unrecognized arguments: the fastest stack"),
        ("--spe stack", "unrecognized arguments"),
        ("--threads two", "'two' is not a whole number"),
        ("--threads -1", "'-1' is not a whole number"),
        ("--spec", "expected one argument"),
        ("--spec 'stack", "No closing quotation"),
        ("--memory-model arm", "--memory-model 'arm' is not allowed"),
        ("--races never", "--races 'never' is not allowed"),
        ("--method luck", "--method 'luck' is not allowed"),
        ("--before 'push(1)'", "--before and --after require --scenario"),
        ("--scenario 'push('", "push("),
        ("--budget 5s", "unrecognized arguments: --budget 5s"),
    ],
)
def test_errors_in_comments_are_reported_with_their_line(tmp_path, comment, message):
    file = written(tmp_path, "", f"// linpoint: {comment}")
    with pytest.raises(LinpointError) as caught:
        TestOptions.in_comments(file)
    assert message in str(caught.value)
    assert (caught.value.place or "").startswith(f"{file}:3")


def test_invalid_names_are_rejected():
    with pytest.raises(UsageError, match="Use sc, tso or pso"):
        TestOptions(memory_model="arm")
