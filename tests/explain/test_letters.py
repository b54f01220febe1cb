# SPDX-License-Identifier: Apache-2.0
"""Text for a terminal: escaped, measured, shortened, wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linpoint.text.terminal_text import display_width, escape_controls, fit, pad, wrap
from tests.explain.sample_traces import HOSTILE

TEXTS = st.text(st.characters(), max_size=60) | st.sampled_from(HOSTILE)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("日本", 4),
        ("e\u0301", 1),
        ("ｆｕｌｌ", 8),
        ("👍", 2),
        ("\u1112\u1161\u11ab", 2),
        ("नमस्ते", 4),
        ("─│", 2),
    ],
)
def test_characters_have_the_width_of_a_terminal(text: str, width: int) -> None:
    assert display_width(text) == width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größer 日本", "größer 日本"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202eevil", "\\u202eevil"),
        ("\ufeff\u200b", "\\ufeff\\u200b"),
        ("half \ud800", "half \\ud800"),
        ("❤\ufe0f", "❤\\ufe0f"),
        ("\u0301x", "\\u0301x"),
        ("e" + "\u0301" * 3, "e\u0301\u0301\\u0301"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@given(TEXTS)
def test_escaped_text_is_printable(text: str) -> None:
    shown = escape_controls(text)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert len(shown) <= 3 * display_width(shown)
    assert escape_controls(shown) == shown


@given(TEXTS, st.integers(1, 80))
def test_shortened_text_fits_and_keeps_both_ends(text: str, width: int) -> None:
    text = escape_controls(text)
    short = fit(text, width)
    assert display_width(short) <= width
    assert short == text or "…" in short
    head, _, tail = short.partition("…") if short != text else (text, "", text)
    assert text.startswith(head)
    assert text.endswith(tail)


@given(TEXTS, st.integers(4, 80), st.integers(1, 5))
def test_wrapped_text_fits_and_is_complete_unless_marked(text: str, width: int, most: int) -> None:
    text = escape_controls(text).replace("…", "")
    lines = wrap(text, width, most=most)
    assert 1 <= len(lines) <= most
    assert all(display_width(line) <= width for line in lines)
    if "…" not in lines[-1]:
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_are_broken_at_spaces() -> None:
    assert wrap("blocked on fork[2], held by Confucius", 17) == ["blocked on", "fork[2], held by", "Confucius"]


def test_padding_counts_columns() -> None:
    assert pad("日本", 6) == "日本  "
