# SPDX-License-Identifier: Apache-2.0
"""The checks of prose find what they look for, and leave the rest alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import plain_english
from tools.plain_english import broken_links, long_sentences, phrases, sentences


@pytest.mark.parametrize(
    "text",
    [
        "the values are told apart",
        "it runs for ever",
        "Nobody saw it.",
        "he is told",
        "this is no map",
        "What is gone stays.",
    ],
)
def test_phrases_are_found_in_any_case(text: str) -> None:
    assert {remark.place for remark in phrases(f"fine\n{text}", "a.md")} == {"a.md:2"}


@pytest.mark.parametrize(
    "text",
    ["there is no order", "amend the commit", "it is no longer there", "kNobody", "say what is missing", "retelling"],
)
def test_similar_words_are_left_alone(text: str) -> None:
    assert not list(phrases(text, "a.md"))


def test_sentences_end_at_full_stops_and_skip_code_and_tables() -> None:
    page = "# A heading\n\nOne `a.b c` here. Two (in\nbrackets.) Three!\n\n```text\nno. prose.\n```\n\n| a table. | b. |\n\n- four.\n- five\n"
    assert list(sentences(page)) == ["One code here.", "Two (in brackets.)", "Three!", "four.", "five"]


def test_only_long_sentences_are_reported() -> None:
    long, short = "word " * 31, "word " * 30
    assert [remark.place for remark in long_sentences([("a", f"{long.strip()}."), ("b", f"{short.strip()}.")])] == ["a"]


def test_broken_links_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_english, "ROOT", tmp_path)
    (tmp_path / "b.md").write_text("(a-label)=\n## Two words, `code`\n")
    (tmp_path / "a.md").write_text(
        "[x](b.md#two-words-code) [x](b.md#a-label) [x](https://example.org/) [x](#here)\n# Here\n"
        "[x](c.md) [x](b.md#three)\n"
    )
    assert [remark.text for remark in broken_links([Path("a.md")])] == [
        "no such file: c.md",
        "no such heading or label: b.md#three",
    ]
