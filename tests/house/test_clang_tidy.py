# SPDX-License-Identifier: Apache-2.0
"""Which sources clang-tidy must check again: those that have changed since they passed, or whose headers have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.clang_tidy import ROOT, Sources, read_record, sources_to_check, write_record


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    files = {
        "native/src/a.cpp": '#include "a.hpp"\n',
        "native/src/a.hpp": "#include <linpoint/deep.hpp>\n#include <vector>\n",
        "native/include/linpoint/deep.hpp": '#include "linpoint/deep.hpp"\n',
        "native/src/b.cpp": "int b;\n",
        "native/bindings/c.cpp": "int c;\n",
        "examples/d.cpp": "int d;\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Sources(tmp_path)


def digests(sources: Sources, configuration: str = "") -> dict[str, str]:
    fresh = Sources(sources.root)
    return {file: fresh.digest(file, configuration) for file in fresh.files()}


def test_bindings_are_left_out(sources: Sources) -> None:
    assert sources.files() == ["examples/d.cpp", "native/src/a.cpp", "native/src/b.cpp"]


@pytest.mark.parametrize("changed", ["native/src/a.cpp", "native/src/a.hpp", "native/include/linpoint/deep.hpp"])
def test_changing_a_header_changes_the_digest_of_its_sources(sources: Sources, changed: str) -> None:
    record = digests(sources)
    assert sources_to_check(digests(sources), record, changed=True) == []
    with (sources.root / changed).open("a") as file:
        file.write("\n")
    assert sources_to_check(digests(sources), record, changed=True) == ["native/src/a.cpp"]


def test_changing_the_configuration_changes_every_digest(sources: Sources) -> None:
    assert len(sources_to_check(digests(sources, "other"), digests(sources), changed=True)) == 3


def test_without_a_record_only_a_full_run_checks(sources: Sources) -> None:
    assert sources_to_check(digests(sources), None, changed=True) == []
    assert len(sources_to_check(digests(sources), None, changed=False)) == 3


def test_the_record_survives_a_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "build" / "record.json"
    assert read_record(path) is None
    write_record(path, {"a.cpp": "1"})
    assert read_record(path) == {"a.cpp": "1"}
    path.write_text("{")
    assert read_record(path) is None


def test_includes_of_this_repository_are_found() -> None:
    scheduler = ROOT / "native" / "host" / "core" / "scheduler.cpp"
    found = {path.name for path in Sources(ROOT)._with_headers(scheduler)}
    assert "scheduler.hpp" in found
    assert len(found) > 10
