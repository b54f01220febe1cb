# SPDX-License-Identifier: Apache-2.0
"""The programs of ``programs/hostile``, and the expected answer for each."""

from __future__ import annotations

from typing import Final

FOUND: Final = {
    "aborts": "crash",
    "computes_without_end": "livelock",
    "crashes_after_main": "crash",
    "divides_by_zero": "crash",
    "exits_at_once": "crash",
    "exits_in_a_thread": "crash",
    "frees_twice": "memory",
    "frees_what_is_no_block": "memory",
    "jumps_into_the_past": "crash",
    "jumps_nowhere": "crash",
    "jumps_to_another_stack": "crash",
    "leaves_a_thread_unjoined": "exception",
    "locks_twice": "deadlock",
    "null_pointer": "crash",
    "overflows_the_stack": "crash",
    "prints_what_confuses_terminals": "assertion",
    "raises_a_signal": "crash",
    "raises_a_stop": "crash",
    "talks_on_other_descriptors": "crash",
    "throws_in_a_thread": "exception",
    "throws_in_main": "exception",
    "throws_where_it_must_not": "exception",
    "traps": "crash",
    "unmaps_everything": "crash",
    "uses_after_free": "memory",
    "waits_for_nobody": "deadlock",
    "writes_past_a_block": "memory",
    "writes_past_an_array": "crash",
}
"""The error in each program."""

REFUSED: Final = {
    "becomes_another_program": "exec",
    "crashes_before_main": "before main",
    "exits_before_main": "exit() before main",
    "forks": "fork",
    "handles_crashes_itself": "signal",
    "hangs_before_main": "before main",
    "kills_its_group": "killpg",
    "kills_itself": "kill",
    "kills_itself_by_number": "system call",
    "limits_itself": "setrlimit",
    "opens_a_socket": "socket",
    "overflows_the_stack_before_main": "before main",
    "pauses": "pause",
    "removes_a_file": "remove",
    "runs_a_command": "system",
    "sleeps_before_main": "before main",
    "throws_before_main": "before main",
    "waits_for_children": "wait",
    "writes_a_file": "open",
}
"""A part of the reason why the host cannot decide."""

HARMLESS: Final = {
    "asks_for_too_much",
    "closes_everything",
    "ends_main_first",
    "exits_well_in_a_thread",
    "jumps_back_and_forth",
    "leaves_detached_threads",
    "reads_what_is_typed",
    "sleeps_for_a_year",
}
"""Unusual but correct programs."""

ENDLESS: Final = {
    "allocates_without_end",
    "prints_without_end",
    "starts_threads_without_end",
    "stores_without_end",
}
"""The result is a finding, or states that the exploration was incomplete."""
