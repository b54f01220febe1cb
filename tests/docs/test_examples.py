# SPDX-License-Identifier: Apache-2.0
"""Every example runs with the command in its header and ends with the exit code stated there.

A header is two comment lines, `Run: COMMAND` and `Exit code: N`. A file without one is data of another example.
"""

from __future__ import annotations

import re
import shutil

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from tests.docs.pages import ROOT, run_shell

EXAMPLES = ROOT / "examples"
FILES = sorted(path for path in EXAMPLES.iterdir() if path.is_file() and path.name != "README.md")
HEADER = re.compile(r"^[#;/]+ Run: (.+)\n(?:.*\n)*?^[#;/]+ Exit code: (\d)", re.MULTILINE)
HEADERS = {path: HEADER.search(path.read_text(encoding="utf-8")) for path in FILES}


@pytest.mark.parametrize("path", [path for path in FILES if HEADERS[path]], ids=lambda path: path.name)
def test_example(path, tmp_path):
    if path.suffix == ".cpp":
        find_host(find_compiler())  # for an example that takes longer than usual
    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    command, code = HEADERS[path].groups()
    done = run_shell(command, folder)
    assert (done.returncode, "Traceback" in done.stdout) == (int(code), False), done.stdout


@pytest.mark.parametrize("path", [path for path in FILES if not HEADERS[path]], ids=lambda path: path.name)
def test_data_belongs_to_an_example(path):
    assert any(path.name in other.read_text(encoding="utf-8") for other in FILES if other != path)


def test_there_are_examples():
    assert sum(header is not None for header in HEADERS.values()) >= 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_overview_names_every_example(path):
    assert f"`{path.name}`" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
