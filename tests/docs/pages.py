# SPDX-License-Identifier: Apache-2.0
"""Reading and running the fenced blocks of a Markdown page.

    ```python     runs; all blocks of a page share one namespace and one directory
    ```console    each `$ command` (continued by `> more`) runs, one shell per block; the lines after it are its output
    ```json, ```text, ```edn, ```csv, ```yaml
                  data: JSON, CSV and YAML must parse; a `linpoint` command in YAML must have valid options

    ```cpp        the source of a program for a command on the page; it needs a file

    ```{eval-rst} Sphinx directives of the API reference; the build of the site and `test_reference.py` run them

A comment before a block states what else it is. `<!-- file: NAME -->` writes the block to NAME in the page's directory
(a Python block too, which then does not run); `<!-- output -->` marks a text block as the output of the Python block
before it. In expected output `...` matches anything on its line, and a line with only `...` any number of lines.
Guarantee: a block of any other kind is an error, so every block of a page is tested.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from click import Context

from linpoint.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)
PAGES = [*(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")), *DOCS]

_FENCE = re.compile(r"( *)(`{3,}|~{3,})(.*)")
_COMMENT = re.compile(r"\s*<!--\s*(?:(file):\s*(\S+)|(output))\s*-->\s*")
_END_OF_COMMAND = "\x1eend of command\x1e"
_SECONDS = 600


class BlockError(AssertionError):
    """A block does not behave as the page states."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, its first line, and the instructions in the comment before it."""

    kind: str
    text: str
    line: int
    file: str | None = None
    output: bool = False


def blocks_of(page: str) -> Iterator[Block]:
    """The fenced blocks in the text of a page."""
    lines = page.split("\n")
    at = 0
    while at < len(lines):
        begin = _FENCE.fullmatch(lines[at])
        if begin is None:
            at += 1
            continue
        indent, fence, kind = begin.groups()
        before = next((line for line in reversed(lines[:at]) if line.strip()), "")
        comment = _COMMENT.fullmatch(before)
        end = at + 1
        while end < len(lines) and lines[end].strip() != fence:
            end += 1
        if end == len(lines):
            raise BlockError(f"line {at + 1}: the block is never closed")
        text = "\n".join(line.removeprefix(indent) for line in lines[at + 1 : end]) + "\n"
        yield Block(kind.strip(), text, at + 1, comment and comment[2], bool(comment and comment[3]))
        at = end + 1


def run_page(path: Path, folder: Path, commands: Path | None = None) -> None:
    """Run the blocks of a page in ``folder``, with ``commands`` before all others on the search path.

    Raises ``BlockError`` at the first block that does not behave as the page states."""
    namespace: dict[str, Any] = {"__name__": "page"}
    printed: str | None = None
    with _inside(folder, commands):
        for block in blocks_of(path.read_text(encoding="utf-8")):
            place = f"{path.relative_to(ROOT)}:{block.line}"
            if block.file is not None:
                _check_data(block, place)
                (folder / block.file).write_text(block.text, encoding="utf-8")
            elif block.output:
                if printed is None or block.kind != "text":
                    raise BlockError(f"{place}: `<!-- output -->` belongs before a text block after a Python block")
                compare(block.text, printed, place)
                printed = None
            elif block.kind == "python":
                printed = _run_python(block, namespace, place)
            elif block.kind == "console":
                _run_console(block, folder, place, commands)
            else:
                _check_data(block, place)


@contextlib.contextmanager
def _inside(folder: Path, commands: Path | None) -> Iterator[None]:
    """Inside ``folder``, with its modules importable; they are unloaded afterwards."""
    modules = set(sys.modules)
    here = Path.cwd()
    path = os.environ.get("PATH", "")
    os.chdir(folder)
    os.environ["PATH"] = _commands_first(path, commands)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        os.chdir(here)
        os.environ["PATH"] = path
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(f"{folder}{os.sep}"):
                del sys.modules[name]


def _commands_first(path: str, commands: Path | None) -> str:
    """A search path with ``commands`` first, then the commands of this environment."""
    return os.pathsep.join([str(each) for each in (commands, Path(sys.executable).parent) if each] + [path])


def _check_data(block: Block, place: str) -> None:
    if block.kind == "python":
        compile(block.text, place, "exec")
    elif block.kind == "json":
        try:
            json.loads(block.text)
        except ValueError:
            for line in filter(str.strip, block.text.splitlines()):
                json.loads(line)
    elif block.kind == "csv":
        list(csv.reader(io.StringIO(block.text), strict=True))
    elif block.kind == "toml":
        tomllib.loads(block.text)
    elif block.kind == "yaml":
        _check_yaml(block, place)
    elif block.kind not in ("text", "edn", "{eval-rst}") and (block.kind != "cpp" or block.file is None):
        raise BlockError(f"{place}: a block of kind {block.kind!r} is not tested; use one that is, see {__name__}")


def _check_yaml(block: Block, place: str) -> None:
    """The steps of a pipeline cannot run here, but their linpoint commands and options must exist."""
    commands = {name: app.get_command(Context(app), name) for name in app.entries}
    values = [yaml.safe_load(block.text)]
    while values:
        value = values.pop()
        if isinstance(value, dict | list):
            values += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str) and value.startswith("linpoint "):
            _, name, *words = shlex.split(value)
            known = {option for parameter in commands[name].params for option in parameter.opts}
            unknown = {word for word in words if word.startswith("-")} - known
            if unknown:
                raise BlockError(f"{place}: linpoint {name} has no {', '.join(sorted(unknown))}")


def _run_python(block: Block, namespace: dict[str, Any], place: str) -> str:
    printed = io.StringIO()
    padded = "\n" * block.line + block.text  # so that tracebacks have the line numbers of the page
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(padded, place.rpartition(":")[0], "exec", dont_inherit=True), namespace)
    except Exception as error:
        raise BlockError(f"{place}: the block raised\n{traceback.format_exc()}") from error
    return printed.getvalue()


def _run_console(block: Block, folder: Path, place: str, path: Path | None) -> None:
    commands = list(_commands(block, place))
    # One shell for all commands; $? keeps the status of the previous command.
    script = "\n".join(
        f"{command}\n{{ status=$?; printf '%s' '{_END_OF_COMMAND}'; (exit $status); }}" for command, _ in commands
    )
    found = run_shell(script, folder, path).stdout.split(_END_OF_COMMAND)
    for (command, expected), actual in zip(commands, found, strict=False):
        compare(expected, actual, f"{place}: {command}")


def _commands(block: Block, place: str) -> Iterator[tuple[str, str]]:
    command: list[str] = []
    output: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield "\n".join(command), "".join(output)
            command, output = [line[2:]], []
        elif not command:
            raise BlockError(f"{place}: a console block begins with `$ command`")
        elif line.startswith("> ") and not output:
            command.append(line[2:])
        else:
            output.append(f"{line}\n")
    yield "\n".join(command), "".join(output)


def run_shell(script: str, folder: Path, commands: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a script as a user would at a plain terminal of 80 columns, with this environment's commands first."""
    path = _commands_first(os.environ.get("PATH", ""), commands)
    kept = {
        name: os.environ[name] for name in ("HOME", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME") if name in os.environ
    }
    environment = {**kept, "PATH": path, "LC_ALL": "C.UTF-8", "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )


def compare(expected: str, actual: str, place: str) -> None:
    """Raise unless ``actual`` matches ``expected``, where ``...`` matches anything."""
    wanted = [line.rstrip() for line in expected.rstrip("\n").split("\n")]
    got = [line.rstrip() for line in actual.rstrip("\n").split("\n")]
    if not matches(wanted, got):
        difference = "\n".join(difflib.unified_diff(wanted, got, "the page", "what happened", lineterm="", n=99))
        raise BlockError(f"{place}: the output is not what the page says\n{difference}")


def matches(wanted: list[str], got: list[str]) -> bool:
    """Whether the lines ``got`` match ``wanted``."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in wanted
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in got)) is not None
