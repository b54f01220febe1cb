# SPDX-License-Identifier: Apache-2.0
"""Every reader of untrusted input, as a function of bytes: the targets of the fuzzers.

A reader accepts its input or raises a ``LinpointError`` with a remedy. Any other exception is a finding, and so is
accepted input that breaks a guarantee of the reader. ``native/fuzz`` has the readers of the native core.
"""

from __future__ import annotations

import functools
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

import linpoint
from linpoint.campaign.worker_protocol import recheck_request
from linpoint.cli.commands.replay import read_check_token
from linpoint.cli.token_check import command_of_token
from linpoint.crash.workload_generation import read_workload
from linpoint.errors import LinpointError
from linpoint.explain.pages.overview_page import overview_page
from linpoint.explain.pages.result_documents import results_in
from linpoint.histories.formats import FORMATS
from linpoint.histories.history import History
from linpoint.histories.streams.event_stream import LogStream
from linpoint.histories.values import freeze
from linpoint.hosts.host_message import CRASH_MESSAGES, SEARCH_MESSAGES
from linpoint.options.commands.check import CheckOptions
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.test import TestOptions
from linpoint.options.project_file import project_layers
from linpoint.refine.model_token import ModelToken
from linpoint.scenarios.scenario import Scenario
from linpoint.specs.spec_lookup import find
from linpoint.subjects.cpp_object.cpp_token import CppObjectToken
from linpoint.subjects.cpp_program.build_program import CppProgramToken
from linpoint.subjects.persistent_object.crash_token import read_token
from linpoint.subjects.python_object.code_identity import replayed_finding
from linpoint.text.code_names import split_user_spec
from linpoint.traces.trace import Trace
from linpoint.verdicts import replay_token
from linpoint.verdicts.token_trust import foreign_words

Reader = Callable[[bytes], object]

_DECODERS: Final[Mapping[str, Callable[[dict[str, Any]], object]]] = {
    "check": read_check_token,
    "test": replayed_finding,
    "test-cpp": CppObjectToken.read,
    "explore-cpp": CppProgramToken.read,
    "stress": recheck_request,
    "stress-cpp": recheck_request,
    "refine": ModelToken.read,
    "crash": lambda content: read_token(content).plan,
}
# Never harmless, whatever a list of harmless flags holds: no flag that a token may pass contains one of these.
_DANGEROUS: Final = re.compile(
    r"plugin|,|@|\(|;|\s|=.*/|-specs|wrapper|-include|-imacros|-B|-Xclang|-mllvm|dump|save-temps", re.DOTALL
)
_ELEMENTS: Final = re.compile(r"<script|<iframe|<img|<link|javascript:", re.IGNORECASE)


def text_of(data: bytes) -> str:
    """The text for a reader of text."""
    return data.decode("utf-8", "surrogateescape")


@contextmanager
def as_file(data: bytes, suffix: str = "") -> Iterator[str]:
    """The bytes in a memory file, or in a file on disk where the name matters."""
    if suffix:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as directory:
            path = Path(directory, suffix)
            path.write_bytes(data)
            yield str(path)
        return
    descriptor = os.memfd_create("fuzz")
    try:
        os.write(descriptor, data)
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def read_history(data: bytes, format: str | None = None) -> None:
    """A history that reads back unchanged from operation lines."""
    with as_file(data) as path:
        history = linpoint.load(path, format=format)
    with as_file(b"", "again.jsonl") as path:
        try:
            linpoint.save(history, path)
        except linpoint.UsageError:  # It holds something that operation lines cannot express.
            return
        written = Path(path).read_bytes()
        linpoint.save(linpoint.load(path), path)
        assert Path(path).read_bytes() == written, "it does not read back the same"


class _Sink:
    """Accepts calls and returns."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_args, **_more: None


def follow_log(data: bytes) -> None:
    """A growing log, line by line."""
    stream = LogStream(_Sink(), source="-")  # type: ignore[arg-type]
    for line in text_of(data).split("\n"):
        stream.feed([line])
    stream.end()


def read_token_text(data: bytes) -> None:
    """A replay token as text."""
    _use_token(replay_token.decode(text_of(data)))


def read_token_content(data: bytes) -> None:
    """The JSON inside a token."""
    try:
        content = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return
    if isinstance(content, dict) and isinstance(content.get("kind"), str):
        _use_token(replay_token.decode(replay_token.encode(content)))


def _use_token(content: dict[str, Any]) -> None:
    foreign = foreign_words(content)
    command_of_token(content)
    flags = content.get("flags")
    if not foreign and isinstance(flags, list) and content["kind"] == "explore-cpp":
        for word in flags:
            assert not isinstance(word, str) or not word.startswith("-") or not _DANGEROUS.search(word), word
    _DECODERS.get(content["kind"], lambda _: None)(content)


def read_spec(data: bytes) -> None:
    """The name of a built-in spec with parameters."""
    text = text_of(data)
    if split_user_spec(text) is None:
        find(text)


def read_comments(data: bytes) -> None:
    """The options in comments of a C++ file."""
    with as_file(data) as path:
        for options in (TestOptions(), CrashOptions()):
            options.for_file(path)


def read_project(data: bytes) -> None:
    """A pyproject.toml."""
    with as_file(data, "pyproject.toml") as path:
        project_layers(CheckOptions, "check", Path(path).parent)


def read_results(data: bytes) -> None:
    """Documents of results, and their HTML page."""
    results, error = results_in(text_of(data), "results")
    page = overview_page(results)
    page.encode()
    assert len(_ELEMENTS.findall(page)) == len(_ELEMENTS.findall(overview_page([]))), "an element of a stranger"
    if error is not None:
        raise error


def read_trace(data: bytes) -> None:
    """A trace as JSON."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(content, dict):
        Trace.from_dict(content)


def read_messages(data: bytes) -> None:
    """A host message."""
    for decoder in (SEARCH_MESSAGES, CRASH_MESSAGES):
        try:
            decoder.decode(data)
        except msgspec.MsgspecError:
            continue


def read_workload_file(data: bytes) -> None:
    """The workload of a crash test."""
    with as_file(data) as path:
        read_workload(path)


def read_drawing(data: bytes) -> History:
    """A history as a drawing."""
    return linpoint.history(text_of(data))


def read_scenario(data: bytes) -> None:
    """A scenario that reads back unchanged from its text."""
    scenario = Scenario.parse(text_of(data))
    assert Scenario.parse(str(scenario)) == scenario
    freeze(scenario.as_dict())


READERS: Final[Mapping[str, Reader]] = {
    "history": read_history,
    **{name: functools.partial(read_history, format=name) for name in FORMATS},
    "comments": read_comments,
    "drawing": read_drawing,
    "follow": follow_log,
    "messages": read_messages,
    "project": read_project,
    "results": read_results,
    "scenario": read_scenario,
    "spec": read_spec,
    "token": read_token_text,
    "token-content": read_token_content,
    "trace": read_trace,
    "workload": read_workload_file,
}
"""The readers by name, which is also the directory of the corpus."""


def run_reader(name: str, data: bytes) -> bool:
    """Whether the reader accepts the input. Exceptions other than a coded error pass through."""
    try:
        READERS[name](data)
    except LinpointError as error:
        assert error.code != "LP-V001"
        return False
    return True
