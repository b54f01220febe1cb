# SPDX-License-Identifier: Apache-2.0
"""The documentation is true: every block of every page runs and does what the page states."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from tests.docs.pages import PAGES, ROOT, Block, BlockError, blocks_of, compare, run_page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path, tmp_path_factory, server):
    if "```cpp" in page.read_text(encoding="utf-8"):
        find_host(find_compiler())  # for a command that takes longer than a page allows
    commands = tmp_path_factory.mktemp("commands")
    server.install(commands)
    run_page(page, tmp_path, commands)


def test_there_are_pages():
    assert len(PAGES) > 15


# The runner itself: a false page must fail.


def run(text: str, folder: Path, monkeypatch) -> None:
    monkeypatch.setattr("tests.docs.pages.ROOT", folder)
    page = folder / "page.md"
    page.write_text(text.replace("'''", "```"), encoding="utf-8")
    run_page(page, folder)


@pytest.mark.parametrize(
    "page",
    [
        "'''\nno tag\n'''",
        "'''ini\na = 1\n'''",
        "'''toml\na = \n'''",
        "'''cpp\nint main() {}\n'''",
        "'''yaml\na: [\n'''",
        "'''yaml\n- run: linpoint check a.jsonl --no-such\n'''",
        "'''{toctree}\nindex\n'''",
        "'''python\nassert False\n'''",
        "'''python\nprint(1)\n'''\n<!-- output -->\n'''text\n2\n'''",
        "<!-- output -->\n'''text\n2\n'''",
        "'''console\n$ echo a\nb\n'''",
        "'''console\n$ echo a\n'''",
        "'''console\n$ false\n$ echo $?\n0\n'''",
        "'''console\nls\n'''",
        "'''console\n$ echo a; echo b\na\n'''",
        "'''json\n{1}\n'''",
        "'''json\n{}\n",
        "<!-- file: a.py -->\n'''python\n1 +\n'''",
    ],
)
def test_false_pages_fail(page, tmp_path, monkeypatch):
    with pytest.raises((BlockError, ValueError, SyntaxError, yaml.YAMLError)):
        run(page, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "page",
    [
        "no blocks",
        "'''python\na = 1\n'''\n\n'''python\nprint(a)\n'''\n<!-- output -->\n'''text\n1\n'''",
        "<!-- file: a.txt -->\n'''text\nhello\n'''\n'''console\n$ cat a.txt\nhello\n'''",
        "<!-- file: a.py -->\n'''python\nprint(3)\n'''\n'''console\n$ python a.py\n3\n'''",
        "'''console\n$ (exit 3)\n$ echo $?\n3\n'''",
        "'''console\n$ a=1\n$ echo $a \\\n> 2\n1 2\n'''",
        "'''console\n$ echo took 12 s; seq 5\ntook ... s\n1\n...\n5\n'''",
        "'''console\n$ ls /nowhere\nls: ... '/nowhere': ...\n'''",
        "'''json\n{}\n{}\n'''\n'''edn\n{:a 1}\n'''\n'''csv\na,b\n'''",
        "'''yaml\na:\n  - run: linpoint check a.jsonl --spec queue --json\n'''",
        "  '''python\n  assert True\n  '''",
    ],
)
def test_true_pages_pass(page, tmp_path, monkeypatch):
    run(page, tmp_path, monkeypatch)


def test_blocks_have_their_line_kind_and_comment():
    text = "a\n\n<!-- file: x.jsonl -->\n\n```json\n{}\n```\n"
    assert list(blocks_of(text)) == [Block("json", "{}\n", 5, "x.jsonl")]


def test_dots_match_within_one_line_only():
    compare("a ... c\n", "a b c\n", "")
    with pytest.raises(BlockError):
        compare("a ... c\n", "a b\nc\n", "")
