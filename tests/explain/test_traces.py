# SPDX-License-Identifier: Apache-2.0
"""Traces as text: golden texts, and properties of all traces. ``pytest tests/explain --refresh-golden`` writes the
texts.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linpoint.explain.trace import trace_text
from linpoint.explain.trace.trace_text import MAX_SHOWN_STEPS, MIN_WIDTH_COLUMNS
from linpoint.text.terminal_text import display_width
from linpoint.traces.trace import StepKind, Trace, TraceFailure, TraceThread
from tests.explain.sample_traces import SAMPLES, Kind, step, threads
from tests.random_traces import random_trace
from tests.volume import volume

SEEDS = st.integers(0, 2**32)
MODEST = settings(max_examples=volume(60))


def lines_of(trace: Trace, **options: int) -> list[str]:
    return trace_text(trace, **options).splitlines()


def rows_of(trace: Trace, **options: int) -> dict[int, str]:
    """The first line of each step, by its position."""
    lines = lines_of(trace, **options)
    ruler = next((number for number, line in enumerate(lines) if re.fullmatch(r"-+( +-+)*", line)), len(lines))
    margin = len(lines[ruler].split()[0]) if ruler < len(lines) else 0
    table = itertools.takewhile(bool, lines[ruler + 1 :])
    numbers = {line: line[:margin].strip(" =>-").replace(",", "") for line in table}
    return {int(number): line for line, number in numbers.items() if number.isdigit()}


def marked(trace: Trace, **options: int) -> list[int]:
    return [position for position, line in rows_of(trace, **options).items() if line.startswith("=>")]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_trace_matches_its_golden_file(name: str, golden: Callable[..., None]) -> None:
    golden(name, trace_text(SAMPLES[name]()), folder="golden_traces")


def test_every_golden_text_has_its_trace() -> None:
    assert {path.stem for path in (Path(__file__).parent / "golden_traces").iterdir()} == set(SAMPLES)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [MIN_WIDTH_COLUMNS, 60, 80, 100, 160])
def test_no_line_is_wider_than_requested(name: str, width: int) -> None:
    assert max(map(display_width, lines_of(SAMPLES[name](), width=width))) <= width


def test_a_width_below_the_minimum_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least 40 columns, not 39"):
        trace_text(SAMPLES["deadlock"](), width=39)


def test_the_sentence_comes_first() -> None:
    first = lines_of(SAMPLES["store-buffering"]())[0]
    assert first == "2 threads, 10 steps, 1 preemption, x86-TSO: assertion failed at dekker.cpp:21"


@pytest.mark.parametrize("name", SAMPLES)
def test_the_failing_step_is_marked(name: str) -> None:
    trace = SAMPLES[name]()
    assert trace.failure
    assert marked(trace) == ([] if trace.failure.step is None else [trace.failure.step])


def test_stores_are_shown_in_the_buffer_until_they_reach_memory() -> None:
    text = trace_text(SAMPLES["store-buffering"]())
    assert "buffer: flag[0]=1" in text
    assert re.search(r"flag\[0\] = 1\s.*\n.*reaches memory", text)
    assert "Never reached memory: right flag[1]=1" in text


def test_an_unchanged_buffer_is_not_repeated() -> None:
    assert trace_text(SAMPLES["store-buffering"]()).count("buffer: flag[0]=1") == 1


def test_a_preemption_names_the_thread_that_is_still_runnable() -> None:
    assert "--- switch to right (left still runnable) ---" in trace_text(SAMPLES["store-buffering"]())
    assert "--- switch to A ---" in trace_text(SAMPLES["lost-update"]())


def test_operations_are_brackets_around_their_steps() -> None:
    column = [line[line.index("  ", 7) :] for line in rows_of(SAMPLES["lost-update"]()).values()]
    marks = ["".join(letter for letter in line if letter in "┌│└") for line in column]
    assert marks == ["┌", "│", "│", "│┌", "││", "││", "││", "│└", "│", "│", "└", ""]


def test_a_crash_spans_all_columns_and_names_the_lost_stores() -> None:
    lines = lines_of(SAMPLES["missing-flush"]())
    (at,) = [number for number, line in enumerate(lines) if "=== CRASH ===" in line]
    assert lines[at + 1].strip() == "lost: node.value=7 in line 0x40"


def test_the_blocking_thread_is_named() -> None:
    assert re.search(r"held by[│\s]+Confucius", trace_text(SAMPLES["deadlock"]()))


def test_too_many_threads_become_a_list() -> None:
    lines = lines_of(SAMPLES["many-threads"]())
    assert re.fullmatch(r" +#  where +thread +what", lines[2])


def test_steps_invisible_to_other_threads_are_folded() -> None:
    text = trace_text(SAMPLES["long-run"]())
    assert "... writer: 2,495 steps without effect on others ..." in text
    assert len(text.splitlines()) < 20
    assert "write ready = 1" in text


def test_a_long_trace_keeps_preemptions_and_steps_near_the_failure() -> None:
    trace = SAMPLES["busy-run"]()
    shown = rows_of(trace)
    assert {0, *range(699, 706), *range(3_999, 4_006), *range(4_988, 5_000)} <= set(shown)
    assert len(shown) <= MAX_SHOWN_STEPS + 10
    assert "steps without effect" not in trace_text(trace)  # each had one


def test_iterations_of_a_loop_are_folded_except_the_first_and_last() -> None:
    trace = SAMPLES["round-and-round"]()
    text = trace_text(trace)
    assert "... ping: 196 steps that repeat the previous ones ..." in text
    assert "switch to pong (ping still runnable)" in text
    assert {0, 1, 2, 3, len(trace.steps) - 2, len(trace.steps) - 1} <= set(rows_of(trace))


def test_a_preemption_is_not_part_of_a_loop() -> None:
    steps = tuple(step(number % 2, Kind.READ, "busy", True, preempts=number == 500) for number in range(1_000))
    assert 500 in rows_of(Trace(threads((0, "one"), (1, "other")), steps))


def test_calls_inside_operations_are_folded_with_their_steps() -> None:
    inner = [step(0, Kind.CALL, operation="inner"), step(0, Kind.LOCAL), step(0, Kind.RETURN, operation="inner")]
    steps = [step(0, Kind.CALL, operation="outer"), *inner * 20, step(0, Kind.RETURN, operation="outer")]
    text = trace_text(Trace(threads(0), tuple(steps)))
    assert "... thread 0: 58 steps without effect on others ..." in text
    assert text.count("outer") == 2


def test_a_call_with_an_effect_inside_is_not_folded() -> None:
    inner = [step(0, Kind.CALL, operation="inner"), step(0, Kind.WRITE, "x", 1), step(0, Kind.RETURN)]
    quiet = [step(0, Kind.LOCAL)] * 40
    steps = [step(0, Kind.CALL, operation="outer"), *quiet, *inner, *quiet, step(1, Kind.READ, "x", 1), *quiet]
    text = trace_text(Trace(threads(0, 1), tuple(steps)))
    assert "inner()" in text
    assert "write x = 1" in text


def test_files_of_one_name_are_distinguished() -> None:
    steps = (step(0, Kind.LOCAL, at=("a/list.py", 3)), step(0, Kind.LOCAL, at=("b/list.py", 3)))
    text = trace_text(Trace(threads(0), steps))
    assert "a/list.py:3" in text
    assert "b/list.py:3" in text


def test_a_schedule_is_shown_completely_or_not_at_all() -> None:
    steps = (step(0, Kind.EXIT),)
    assert trace_text(Trace(threads(0), steps, schedule="0")).endswith("\nSchedule: 0")
    assert trace_text(Trace(threads(0), steps, schedule="01" * 500)).endswith("Schedule: 1,000 characters, not shown")


def test_a_trace_without_steps_or_threads_is_a_sentence() -> None:
    assert trace_text(Trace((), ())) == "0 threads, 0 steps, 0 preemptions, SC: no failure"
    assert "=== CRASH ===" in trace_text(Trace((), (step(None, Kind.CRASH),)))


@pytest.mark.parametrize("kind", StepKind, ids=lambda kind: kind.value)
def test_every_kind_of_step_has_a_text(kind: StepKind) -> None:
    operation = "f" if kind in (Kind.CALL, Kind.RETURN) else None
    steps = [step(0, Kind.CALL, operation="f")] if kind is Kind.RETURN else []
    steps.append(step(0, kind, "x", 1, operation=operation, other=1, message="why", buffer=(("y", 2),)))
    words = rows_of(Trace(threads(0, 1), tuple(steps), "tso"))[len(steps) - 1]
    assert words.split()[1:]
    assert "why" in words


@MODEST
@given(SEEDS, st.integers(MIN_WIDTH_COLUMNS, 140))
def test_any_trace_fits_and_shows_its_failure(seed: int, width: int) -> None:
    trace = random_trace(seed)
    lines = trace_text(trace, width=width).split("\n")
    assert all(display_width(line) <= width for line in lines)
    assert all(line.isprintable() for line in lines)
    assert marked(trace, width=width) == (
        [trace.failure.step] if trace.failure and trace.failure.step is not None else []
    )


@MODEST
@given(SEEDS)
def test_every_step_is_shown_or_counted(seed: int) -> None:
    trace = random_trace(seed, hostile=False)
    text = trace_text(trace)
    folded = re.findall(
        r"^ +\.\.\. .*?([\d,]+) steps? (?:not shown|without effect on others) \.\.\.$", text, re.MULTILINE
    )
    assert len(rows_of(trace)) + sum(int(number.replace(",", "")) for number in folded) == len(trace.steps)


@pytest.mark.parametrize("name", SAMPLES)
def test_columns_are_aligned_with_their_titles(name: str) -> None:
    """For any characters, each column begins where its title does."""
    lines = lines_of(SAMPLES[name]())
    ruler = next(line for line in lines if re.fullmatch(r"[- ]+", line))
    gaps = [match.start() for match in re.finditer("  ", ruler)]
    for row in rows_of(SAMPLES[name]()).values():
        if "=== CRASH" not in row:
            letters = "".join(letter + "~" * (display_width(letter) - 1) for letter in row if display_width(letter))
            assert all(letters[gap : gap + 2].strip() == "" for gap in gaps)


def test_a_name_of_a_thread_is_shortened_in_its_column() -> None:
    trace = Trace((TraceThread(0, "n" * 300), TraceThread(1, "m" * 300)), (step(0, Kind.EXIT), step(1, Kind.EXIT)))
    assert "n…n" in lines_of(trace)[2]
    assert "m…m" in lines_of(trace)[2]


def test_a_trace_without_a_failure_says_so() -> None:
    trace = Trace(threads(0), (step(0, Kind.EXIT),))
    assert lines_of(trace)[0].endswith("SC: no failure")
    assert lines_of(Trace(threads(0), trace.steps, failure=TraceFailure("race", 0)))[0].endswith("SC: data race")
