# SPDX-License-Identifier: Apache-2.0
"""Tokens from untrusted sources: rejected, with nothing written, built, loaded or run."""

from __future__ import annotations

import base64
import json
import shutil
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from linpoint.cli.commands import replay
from linpoint.errors import LinpointError
from linpoint.options.commands.replay import ReplayOptions
from linpoint.verdicts import replay_token
from tests.cli.conftest import Command, Writer

CANARY = "canary"
EVIL = f"""\
import linpoint, pathlib
pathlib.Path({CANARY!r}).write_text("run")
@linpoint.spec
class Cell:
    initial = 0
    def read(state): return state, state
"""
SCRIPT = f'#!/bin/sh\necho run > {CANARY}\nexec g++ "$@"\n'
CODE = "int main() {}\n"

OPERATION = {"process": 0, "op": "read", "args": [], "result": 1, "call": 0, "return": 1}
CHECK = {"kind": "check", "spec": "register", "condition": "linearizable", "operations": [OPERATION], "crashes": []}
PYTHON = {"kind": "test", "file": "own.py", "test": "T", "scenario": {"threads": []}, "schedule": [], "finding": "race"}
STRESS = {"kind": "stress", "file": "own.py", "test": "T", "finding": "linearizability", "operations": [OPERATION]}
PROGRAM = {"kind": "explore", "file": "own.py", "args": [], "schedule": [], "finding": "assertion"}
MODEL = {"kind": "refine", "file": "own.py", "model": "M", "finding": "refinement"}
CPP = {
    "kind": "test-cpp",
    "file": "own.cpp",
    "test": "T",
    "spec": "stack",
    "scenario": {"threads": [[{"op": "push", "args": [1]}], [{"op": "pop"}]]},
    "schedule": [],
    "finding": "linearizability",
}
CPP_PROGRAM = {"kind": "explore-cpp", "files": ["own.cpp"], "schedule": [], "finding": "race"}
CRASH = {
    "kind": "crash",
    "file": "own.cpp",
    "test": "T",
    "spec": "map",
    "finding": "durability",
    "workload": [["get", [1]]],
}
CPP_STRESS = {
    "kind": "stress-cpp",
    "file": "own.cpp",
    "test": "T",
    "finding": "linearizability",
    "operations": [OPERATION],
}


def flags(*words: str, **more: Any) -> dict[str, Any]:
    return CPP_PROGRAM | {"flags": list(words)} | more


FORGED: dict[str, Mapping[str, Any]] = {
    # Flags that write files
    "report of optimizations": flags("-fopt-info-all=canary"),
    "map of the linker": flags("-Wl,-Map=canary"),
    "dump of a tree": flags("-fdump-tree-all=canary"),
    "dump of a pass": flags("-fdump-rtl-expand=canary"),
    "dependencies": flags("-Wp,-MD,canary"),
    "times of passes": flags("-ftime-trace=canary"),
    "stack usage": flags("-fstack-usage"),
    "callgraph": flags("-fcallgraph-info"),
    "debug information apart": flags("-gsplit-dwarf"),
    "place of dumps": flags("-dumpdir", "canary"),
    "intermediate files": flags("-save-temps=cwd"),
    "records of the compiler": flags("-frecord-gcc-switches", "-fdiagnostics-format=sarif-file"),
    "diagnostics of clang": flags("--serialize-diagnostics", "canary"),
    "profile": flags("-fprofile-dir=canary"),
    "option of the linker": flags("-Xlinker", "-Map=canary"),
    "output": flags("-o", "canary"),
    "module cache": flags("-fmodules", "-fmodules-cache-path=canary"),
    # Flags that load or run something
    "plug-in of gcc": flags("-fplugin=./evil.so"),
    "plug-in of clang": flags("-Xclang", "-load", "-Xclang", "./evil.so"),
    "pass plug-in": flags("-fpass-plugin=./evil.so"),
    "plug-in of the linker": flags("-Wl,-plugin,./evil.so"),
    "plug-in by an option of LLVM": flags("-mllvm", "-load=./evil.so"),
    "wrapper of compiler passes": flags("-wrapper", "./cc"),
    "programs of the compiler": flags("-B."),
    "specs of gcc": flags("-specs=evil.specs"),
    "linker": flags("-fuse-ld=./cc"),
    "path of the linker": flags("--ld-path=./cc"),
    "assembler": flags("-Wa,--defsym,x=1"),
    "configuration of clang": flags("--config=evil.cfg"),
    "toolchain": flags("--gcc-toolchain=."),
    "library by its file": flags("-l:evil.so"),
    "library from a directory": flags("-L.", "-levil"),
    "loader": flags("-Wl,--dynamic-linker=./cc"),
    "linker script": flags("-T", "evil.ld"),
    "search path of libraries": flags("-Wl,-rpath,."),
    # Arguments that stand for others
    "response file": flags("@evil.rsp"),
    "response file named like a source": flags("@evil.cpp"),
    "response file as a source": CPP_PROGRAM | {"files": ["own.cpp", "@evil.cpp"]},
    "response file as a directory": flags("-I", "@evil.rsp"),
    "flag as a source": CPP_PROGRAM | {"files": ["own.cpp", "-fplugin=./evil.so"]},
    "flag as a source by its name": CPP_PROGRAM | {"files": ["own.cpp", "-fopt-info-all=canary.cpp"]},
    "flag that swallows the next": flags("-I"),
    "flag whose value is a source": flags("-I", "own.cpp"),
    "another language": flags("-x", "assembler"),
    "header that is forced": flags("-include", "evil.hpp"),
    "macros that are forced": flags("-imacros", "evil.hpp"),
    "system root": flags("-I=/etc"),
    "system root by a variable": flags("-I$SYSROOT/etc"),
    "another root": flags("-isysroot", "."),
    "object": flags("evil.o"),
    # Macros that are code
    "macro with arguments": flags("-Dpush(x)=system(x)"),
    "macro with code": flags('-DREAD=system("touch canary")'),
    "macro of a function": flags("-Dopen=unlink"),
    "macro of a function in capitals": flags("-DFREE=system"),
    "macro in a word of its own": flags("-D", "main=evil"),
    "macro in two lines": flags('-DX=1\n#include "evil.hpp"'),
    # Compilers
    "compiler by its path": flags(compiler="/bin/sh"),
    "compiler of the directory": flags(compiler="./cc"),
    "compiler with a wrapper": flags(compiler="./cc g++"),
    "compiler with flags": flags(compiler="g++ -fplugin=./evil.so"),
    "program that is not a compiler": flags(compiler="sh"),
    "compiler beside": CPP | {"compiler": "../cc"},
    "compiler of a crash": CRASH | {"compiler": "./cc"},
    # Files elsewhere
    "absolute test": PYTHON | {"file": "ELSEWHERE/evil.py"},
    "upward test": PYTHON | {"file": "UPWARDS/evil.py"},
    "test by a link": PYTHON | {"file": "link/evil.py"},
    "test by a linked file": PYTHON | {"file": "linked.py"},
    "test upwards of a link": PYTHON | {"file": "link/../evil.py"},
    "installed module": PYTHON | {"file": "antigravity"},
    "module of a linked package": PYTHON | {"file": "link.evil"},
    "module without a package": PYTHON | {"file": "sub.evil"},
    "test of stress elsewhere": STRESS | {"file": "UPWARDS/evil.py"},
    "program elsewhere": PROGRAM | {"file": "ELSEWHERE/evil.py", "args": ["--force"]},
    "program by a link": PROGRAM | {"file": "linked.py"},
    "program that is a device": PROGRAM | {"file": "/dev/stdin"},
    "model elsewhere": MODEL | {"file": "UPWARDS/evil.py"},
    "model in an installed module": MODEL | {"file": "idlelib.idle"},
    "C++ test elsewhere": CPP | {"file": "ELSEWHERE/evil.cpp"},
    "C++ test that is not a source": CPP | {"file": "evil.rsp"},
    "C++ program elsewhere": CPP_PROGRAM | {"files": ["UPWARDS/evil.cpp"]},
    "C++ program by a link": CPP_PROGRAM | {"files": ["own.cpp", "link/evil.cpp"]},
    "source among the flags": CPP | {"flags": ["UPWARDS/evil.cpp"]},
    "crash test elsewhere": CRASH | {"file": "link/evil.cpp"},
    "absolute include directory": flags("-I/etc"),
    "upward include directory": flags("-isystem", ".."),
    "linked include directory": flags("-Ilink"),
    "path with a null byte": PROGRAM | {"file": "own.py\0.cpp"},
    # Specs
    "spec elsewhere": CHECK | {"spec": "ELSEWHERE/evil.py:Cell"},
    "spec upwards": CHECK | {"spec": "UPWARDS/evil.py:Cell"},
    "spec by a link": CHECK | {"spec": "link/evil.py:Cell"},
    "spec in an installed module": CHECK | {"spec": "antigravity:Cell"},
    "spec in a submodule": CHECK | {"spec": "this.s:Cell"},
    "spec of a relative module": CHECK | {"spec": "..other.evil:Cell"},
    "spec without a module": CHECK | {"spec": ":Cell"},
    "spec of a test": PYTHON | {"spec": "UPWARDS/evil.py:Cell"},
    "spec of a model": MODEL | {"spec": "UPWARDS/evil.py:Cell"},
    "spec of a C++ test": CPP | {"spec": "UPWARDS/evil.py:Cell"},
    "spec of a crash": CRASH | {"spec": "UPWARDS/evil.py:Cell"},
    "spec of stress": STRESS | {"spec": "UPWARDS/evil.py:Cell"},
    "spec of C++ stress": CPP_STRESS | {"spec": "UPWARDS/evil.py:Cell"},
}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory next to the current one, with code and links to it; nothing in either may change."""
    other = tmp_path.with_name(f"{tmp_path.name}-elsewhere")
    shutil.rmtree(other, ignore_errors=True)
    for directory in (other, tmp_path / "sub"):
        directory.mkdir()
        (directory / "evil.py").write_text(EVIL)
    (other / "evil.cpp").write_text(CODE)
    (other / "__init__.py").write_text("")
    own = {"own.cpp": CODE, "own.py": EVIL, "cc": SCRIPT, "evil.hpp": "", "evil.so": "", "evil.specs": ""}
    for name, text in (own | {"evil.rsp": "-fopt-info=canary", "@evil.cpp": "-fopt-info=canary"}).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "cc").chmod(0o755)
    (tmp_path / "link").symlink_to(other)
    (tmp_path / "linked.py").symlink_to(other / "evil.py")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    monkeypatch.chdir(tmp_path)
    before = _files(tmp_path) | _files(other)
    yield other
    assert _files(tmp_path) | _files(other) == before


def _files(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def _filled(content: Mapping[str, Any], elsewhere: Path) -> dict[str, Any]:
    text = json.dumps(content).replace("ELSEWHERE", str(elsewhere)).replace("UPWARDS", f"../{elsewhere.name}")
    filled: dict[str, Any] = json.loads(text)
    return filled


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_token_is_rejected(elsewhere: Path, name: str) -> None:
    error = refusal(replay_token.encode(_filled(FORGED[name], elsewhere)))
    assert error.code == "LP-U010"
    assert "linpoint " in error.remedy
    assert "--allow=" in error.remedy
    assert error.message.startswith("the token was not run: ")


def refusal(token: str) -> LinpointError:
    """Replay a token in this process, whose modules and files it could reach."""
    with pytest.raises(LinpointError) as caught:
        replay.run(ReplayOptions(token=token))
    return caught.value


def test_the_error_shows_the_flags_and_the_command_line(run: Command, elsewhere: Path) -> None:
    content = CPP | {"flags": ["-O2", "-fplugin=./evil.so"], "memory_model": "tso"}
    done = run("replay", replay_token.encode(content))
    assert done.code == 2
    assert done.err == (
        "error: LP-U010: the token was not run: -fplugin=./evil.so is not a compiler flag that a token may use. "
        "If you trust these arguments, run `linpoint test own.cpp:T --spec stack --scenario 'push(1) | pop()' "
        "--memory-model tso -- -O2 -fplugin=./evil.so`, or replay the token with --allow=-fplugin=./evil.so.\n"
    )


COMMANDS: dict[str, tuple[Mapping[str, Any], str]] = {
    "check": (CHECK | {"spec": "/a.py:Cell"}, "linpoint check HISTORY --spec /a.py:Cell --condition linearizable"),
    "test": (
        PYTHON | {"file": "/a.py", "scenario": {"threads": [[{"op": "f"}]]}},
        "linpoint test /a.py:T --scenario 'f()'",
    ),
    "stress": (STRESS | {"file": "/a.py"}, "linpoint test /a.py:T --stress"),
    "explore": (PROGRAM | {"file": "/a.py", "args": ["1", "b c"]}, "linpoint explore /a.py -- 1 'b c'"),
    "refine": (MODEL | {"file": "/a.py", "processes": 3}, "linpoint refine /a.py:M --processes 3"),
    "explore-cpp": (flags("-v", races="ignore"), "linpoint explore own.cpp --races ignore -- -v"),
    "crash": (CRASH | {"flags": ["-v"]}, "linpoint crash own.cpp:T --spec map --scenario 'get(1)' -- -v"),
    "odd": (CRASH | {"compiler": "sh", "workload": [[]]}, "linpoint crash own.cpp:T"),
    "letters": (PROGRAM | {"file": "/a\u001b[2J.py"}, "linpoint explore $'/a\\x1b[2J.py'"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_remedy_is_the_equivalent_command_line(name: str) -> None:
    content, command = COMMANDS[name]
    assert f"run `{command}`" in refusal(replay_token.encode(content)).remedy


def test_many_and_long_arguments_are_not_shown() -> None:
    content = flags(*(f"-f{number}{'x' * 1000}" for number in range(100)))
    error = refusal(replay_token.encode(content))
    assert "and 96 more arguments" in error.message
    assert len(str(error)) < 1_000


def _packed(data: bytes) -> str:
    return "lp1-" + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


def _json(content: Mapping[str, Any], **raw: str) -> bytes:
    """The JSON of a content, with other fields written literally."""
    return (json.dumps(content)[:-1] + "".join(f', "{name}": {text}' for name, text in raw.items()) + "}").encode()


DEEP = "[" * 5_000 + "]" * 5_000
DEEP_OBJECT = '{"a":' * 5_000 + "1" + "}" * 5_000
UNREADABLE: dict[str, str] = {
    "a gigabyte of blanks": _packed(b" " * 2**30),
    "a token of many operations": _packed(
        _json(CHECK, operations="[" + ",".join([json.dumps(OPERATION)] * 150_000) + "]")
    ),
    "deep arguments": _packed(
        _json(CHECK, operations=f'[{{"process":0,"op":"read","args":{DEEP},"call":0,"return":1}}]')
    ),
    "deep result": _packed(_json(CHECK, operations=f'[{{"process":0,"op":"read","result":{DEEP_OBJECT},"call":0}}]')),
    "a deep first value": _packed(_json(CHECK, initial=DEEP)),
    "a deep workload": _packed(_json(CRASH, workload=f'[["get", {DEEP}]]')),
    "a deep scenario": _packed(_json(CPP, scenario=f'{{"threads": [[{{"op": "push", "args": {DEEP}}}]]}}')),
    "a deep constant of a model": _packed(_json(MODEL, constants=f'{{"a": {DEEP}}}')),
    "deep flags": _packed(_json(CPP_PROGRAM, flags=DEEP)),
    "a deep kind": _packed(f'{{"kind": {DEEP}}}'.encode()),
    "a number of a million digits": _packed(_json(CHECK, clock_skew="9" * 1_000_000)),
    "a time of many digits": _packed(_json(CHECK, operations=f'[{{"process":0,"op":"read","call":{"9" * 5000}}}]')),
    "not a number": _packed(_json(CHECK, clock_skew="NaN")),
    "a number that is too large": _packed(_json(CHECK, clock_skew="1e999")),
    "half a surrogate pair": _packed(_json(CHECK, spec='"\\ud800"')),
    "bytes that are not UTF-8": _packed(b'{"kind": "check\xff"}'),
    "flags in one text": _packed(_json(CPP_PROGRAM, flags='"-fplugin=./evil.so"')),
    "flags that are numbers": _packed(_json(CPP_PROGRAM, flags="[1, 2]")),
    "a compiler that is a list": _packed(_json(CPP_PROGRAM, compiler='["sh", "-c"]')),
    "files in one text": _packed(_json(CPP_PROGRAM, files='"/etc/passwd"')),
    "a file that is a list": _packed(_json(PROGRAM, file='["/etc/passwd"]')),
    "a spec that is a list": _packed(_json(CHECK, spec='["/a.py:Cell"]')),
    "a spec with deep parameters": _packed(_json(CHECK, spec=json.dumps(f"register({DEEP})"))),
    "no files": _packed(_json(CPP_PROGRAM, files="[]")),
    "a path with a loop": _packed(_json(CHECK, spec='"circle/evil.py:Cell"')),
    "a schedule of texts": _packed(_json(PROGRAM, schedule='[["0", "1"]]')),
    "a layout of a billion nodes": _packed(_json(MODEL, run="[]", room="[[1000000000], 4, 0]")),
    "another stream behind the first": "lp1-"
    + base64.urlsafe_b64encode(zlib.compress(json.dumps(CHECK).encode()) * 2).decode().rstrip("="),
    "a stream without its end": "lp1-"
    + base64.urlsafe_b64encode(zlib.compress(_json(CHECK))[:-4]).decode().rstrip("="),
    "characters of another base64 alphabet": "lp1-" + base64.b64encode(zlib.compress(_json(CHECK))).decode() + "+/",
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.usefixtures("elsewhere")
def test_an_unreadable_token_is_rejected(name: str) -> None:
    assert refusal(UNREADABLE[name]).code in ("LP-U004", "LP-S001", "LP-S004", "LP-S005")


@pytest.mark.usefixtures("elsewhere")
def test_the_same_one_of_two_equal_keys_is_checked_and_used() -> None:
    for first, second in (("-O2", "-fplugin=./evil.so"), ("-fplugin=./evil.so", "-fplugin=./evil.so")):
        token = _packed(_json(CPP_PROGRAM, flags=f'["{first}"], "flags": ["{second}"]'))
        assert refusal(token).code == "LP-U010"


@pytest.mark.parametrize(
    "content", [CHECK | {"spec": "/a.py:Cell"}, PYTHON | {"file": "/a.py"}, CPP | {"compiler": "sh"}]
)
def test_the_command_rejects_a_forged_token_with_one_line(run: Command, content: Mapping[str, Any]) -> None:
    done = run("replay", replay_token.encode(content))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: LP-U010: the token was not run: ")
    assert done.err.count("\n") == 1


CELL = """\
import linpoint
@linpoint.spec
class Cell:
    initial = 0
    def read(state): return state, state
"""
TEST = """\
import linpoint
class TestCounter(linpoint.ConcurrentTest):
    def setup(self):
        return [0]
    @linpoint.operation
    def increment(self, cell):
        cell[0] += 1
        return cell[0]
"""


def test_a_finding_with_a_spec_elsewhere_replays_where_it_was_found(run: Command, write: Writer) -> None:
    other = Path(write("read.jsonl", "A: |--read()->1--|")).parent.with_name("cells")
    other.mkdir(exist_ok=True)
    (other / "cell.py").write_text(CELL)
    spec = "../cells/cell.py"
    (finding,) = run("check", "read.jsonl", "--spec", f"{spec}:Cell", "--json").json["findings"]
    command, token, allowed = finding["replay"]
    assert allowed == f"--allow={spec}"
    assert run(command, token, allowed).code == 1
    assert run(command, token, "--allow", spec).code == 1
    refused = run(command, token)
    assert refused.code == 2
    assert f"linpoint check HISTORY --spec {spec}:Cell" in refused.err
    write("pyproject.toml", f'[tool.linpoint.check]\nspec = "{spec}:Cell"\n')
    assert run(command, token).code == 1  # the project allows it


def test_a_finding_of_a_test_elsewhere_replays_where_it_was_found(run: Command, write: Writer) -> None:
    directory = Path(write("counter_test.py", TEST)).parent
    absolute = run("test", str(directory / "counter_test.py"), "--json").json["findings"][0]["replay"]
    assert len(absolute) == 2  # below the current directory, and so not foreign
    assert run(*absolute).code == 1
