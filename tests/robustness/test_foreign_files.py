# SPDX-License-Identifier: Apache-2.0
"""Untrusted files: read or rejected with a coded error; nothing in them is loaded, run or written anywhere."""

from __future__ import annotations

import gzip
import json
import pickle
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linpoint
from linpoint.errors import LinpointError
from linpoint.explain.pages.overview_page import overview_page
from linpoint.explain.pages.result_documents import results_in
from linpoint.histories.formats import file_content
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.registry import options_classes
from linpoint.options.commands.test import TestOptions
from linpoint.options.option_types import FilePath
from linpoint.options.project_file import project_layers
from linpoint.options.schema import Panel, Surface
from linpoint.targets.compiler_flags import source_word

CANARY = Path("canary")


class _Bomb:
    """Leaves a file behind when unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return exec, (f"open({str(CANARY)!r}, 'w')",)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty directory that only the test may write to."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not CANARY.exists()


EVENT = "{{:process 0, :type :invoke, :f :write, :value {}}}\n{{:process 0, :type :ok, :f :write, :value {}}}\n"
LINE = '{{"process": 0, "op": "read", "args": [], "result": {}, "call": 1, "return": 2}}\n'


def event(value: str) -> bytes:
    return EVENT.format(value, value).encode()


def line(value: str) -> bytes:
    return LINE.format(value).encode()


REFUSED: dict[str, tuple[str, bytes]] = {
    "an evaluated form": ("a.edn", event('#=(spit "canary" 1)')),
    "a regular expression": ("a.edn", event('#"a*"')),
    "a function": ("a.edn", event('#(spit "canary" 1)')),
    "a variable": ("a.edn", event("#'clojure.core/eval")),
    "a ratio": ("a.edn", event("1/0")),
    "a deep vector": ("a.edn", event("[" * 100_000 + "]" * 100_000)),
    "deep tags": ("a.edn", event("#a " * 100_000 + "1")),
    "an integer of a million digits in EDN": ("a.edn", event("9" * 1_000_000)),
    "a deep list": ("a.jsonl", line("[" * 100_000 + "]" * 100_000)),
    "a deep object": ("a.jsonl", line('{"a":' * 100_000 + "1" + "}" * 100_000)),
    "an integer of a million digits": ("a.jsonl", line("9" * 1_000_000)),
    "not a number": ("a.jsonl", line("NaN")),
    "an infinite number": ("a.jsonl", line("1e999")),
    "a pickle": ("a.jsonl", pickle.dumps(_Bomb())),
    "a program": ("a.jsonl", b"\x7fELF" + bytes(100)),
    "a script": ("a.jsonl", b"#!/bin/sh\ntouch canary\n"),
    "a zip archive": ("a.zip", b"PK\x03\x04" + bytes(100)),
    "truncated gzip": ("a.jsonl.gz", gzip.compress(line("1"))[:-6]),
    "damaged gzip": ("a.jsonl.gz", gzip.compress(line("1"))[:-8] + bytes(8)),
    "gzip in gzip": ("a.jsonl.gz", gzip.compress(gzip.compress(line("1")))),
    "an object of YAML": ("a.yaml", b"!!python/object/apply:os.system ['touch canary']\n"),
    "Parquet without an end": ("a.parquet", b"PAR1" + bytes(100)),
    "Arrow without an end": ("a.arrow", b"ARROW1" + bytes(100)),
    "an Arrow stream of a huge message": ("a.arrow", b"\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes(100)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_untrusted_files_are_rejected(name: str) -> None:
    file, content = REFUSED[name]
    Path(file).write_bytes(content)
    with pytest.raises(LinpointError) as caught:
        linpoint.load(file)
    assert caught.value.remedy
    assert len(str(caught.value)) < 1_000


def test_edn_tags_are_not_evaluated() -> None:
    Path("a.edn").write_bytes(event('#jepsen.history.Op #java.lang.Runtime "touch canary"'))
    (operation,) = linpoint.load("a.edn").operations
    assert operation.args == ("touch canary",)


def test_a_small_file_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_content, "MAX_DECOMPRESSED_BYTES", 1 << 22)
    packer = zlib.compressobj(9, wbits=31)
    Path("a.jsonl.gz").write_bytes(packer.compress(b" " * (1 << 26)) + packer.flush())
    with pytest.raises(LinpointError, match="LP-H011"):
        linpoint.load("a.jsonl.gz")


def _with_extension_types(write: Callable[[pa.Table, str], None], file: str) -> None:
    """A table whose columns ask to be unpickled, as old versions of pyarrow did."""
    bomb = pickle.dumps(_Bomb())
    metadata = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": bomb}
    fields = [pa.field(name, kind, metadata=metadata) for name, kind in (("process", pa.int64()), ("op", pa.string()))]
    fields += [pa.field("call", pa.int64()), pa.field("return", pa.int64())]
    fields.append(pa.field("result", pa.int64()))
    schema = pa.schema(fields, metadata={b"pandas": b'{"x": "!!python/object/apply:os.system"}', b"other": bomb})
    write(pa.table([[0], ["read"], [1], [2], [3]], schema=schema), file)


def _write_arrow(table: pa.Table, file: str) -> None:
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize(("write", "file"), [(pq.write_table, "a.parquet"), (_write_arrow, "a.arrow")])
def test_metadata_is_not_unpickled(write: Callable[[pa.Table, str], None], file: str) -> None:
    _with_extension_types(write, file)
    (operation,) = linpoint.load(file).operations
    assert operation.name == "read"


CONTROLS = "\x1b]0;title\x07\x1b[2J\u202e\x9b31m\r"


def test_names_and_values_cannot_move_the_cursor() -> None:
    lines = [
        {"process": CONTROLS, "op": "write", "args": [CONTROLS], "result": None, "call": 1, "return": 2},
        {"process": f"q{CONTROLS}", "op": "read", "result": f"r{CONTROLS}", "call": 3, "return": 4},
    ]
    Path("a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    explained = linpoint.check(linpoint.load("a.jsonl"), "register").explain()
    for text in (explained.text, explained.as_html()):
        assert not [letter for letter in CONTROLS if not letter.isprintable() and letter in text]


MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`&"


def test_names_and_values_are_escaped_in_html() -> None:
    lines = [
        {"process": MARKUP, "op": "write", "args": [MARKUP], "result": None, "call": 1, "return": 2},
        {"process": "q", "op": "read", "result": MARKUP + "!", "call": 3, "return": 4, "key": MARKUP},
    ]
    Path("a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines[:1]))
    lines[0]["key"] = MARKUP
    Path("a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    page = linpoint.check(linpoint.load("a.jsonl"), "register").explain().as_html(file=MARKUP)
    assert "alert(1)</script>" not in page
    assert "<img src=x" not in page


RESULTS = {
    "a link to a script": {
        "file": MARKUP,
        "verdict": "violation",
        "report": {"file": "javascript:alert(1)", "written": True},
    },
    "a link elsewhere": {"file": "a", "verdict": "violation", "report": {"file": "//example.org/x", "written": True}},
    "a message": {
        "verdict": "violation",
        "findings": [{"message": MARKUP, "explanation": {"text": MARKUP}, "replay": [MARKUP]}],
    },
    "a spec": {"verdict": "holds", "spec": MARKUP, "warnings": [MARKUP], "statistics": {MARKUP: 1}},
    "an error": {"error": {"code": MARKUP, "message": MARKUP, "place": MARKUP}},
}


@pytest.mark.parametrize("name", RESULTS)
def test_an_untrusted_document_is_escaped_on_the_page(name: str) -> None:
    results, error = results_in(json.dumps(RESULTS[name]), "results")
    page = overview_page(results)
    assert error is None
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert 'href="javascript' not in page
    assert 'href="//' not in page


COMMENTS = ("--report out.html", "--junit out.xml", "--output x", "--json", "--allow x", "--graph out.svg", "--jobs 1")


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_comment_cannot_name_an_output(comment: str) -> None:
    Path("a.cpp").write_text(f"// linpoint: {comment}\n")
    for options in (TestOptions(), CrashOptions()):
        with pytest.raises(LinpointError, match="LP-U001"):
            options.for_file("a.cpp")


def test_only_the_command_line_names_outputs() -> None:
    """Options that write a file exist nowhere else: not in pyproject.toml, not in comments, not in tokens."""
    elsewhere = Surface.TOML | Surface.ENVIRONMENT | Surface.COMMENT | Surface.TOKEN
    for options_class in options_classes().values():
        for option in options_class.declared().values():
            if option.panel is Panel.OUTPUT and (isinstance(option.type, FilePath) or option.name == "output"):
                assert not option.surfaces & elsewhere, option.name


@pytest.mark.parametrize("key", ["report", "junit", "graph", "allow", "output"])
def test_a_project_file_cannot_name_an_output(here: Path, key: str) -> None:
    (here / "pyproject.toml").write_text(f'[tool.linpoint.test]\n{key} = "out"\n')
    with pytest.raises(LinpointError, match="LP-U001"):
        project_layers(TestOptions, "test", here)


def test_a_source_name_is_never_read_as_an_argument_file() -> None:
    assert [source_word(name) for name in ("a.cpp", "@a.cpp", "-a.cpp")] == ["a.cpp", "./@a.cpp", "./-a.cpp"]
