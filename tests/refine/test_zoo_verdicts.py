# SPDX-License-Identifier: Apache-2.0
"""The zoo of models, checked: which models hold, what each switch breaks, and the fewest processes and operations for
it.

Every verdict was known before the engine gave it: from the literature, by hand, or from another explorer that runs the
models as plain Python. The lengths are those of shortest runs, so they are pinned.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil

import pytest

from benchmarks.refinement import csp_counts, table1
from benchmarks.refinement.csp_product import count
from linpoint import check_model
from linpoint.verdicts.status import Answer
from tests.docs.pages import ROOT, run_shell
from tests.refine.test_zoo_natively import FILES, models_of

COMMAND = re.compile(r"^# Run: (linpoint refine .+)\n# Exit code: (\d)$", re.MULTILINE)
FOLDER = ROOT / "examples" / "models"


def variant(name, switches):
    file, _, of = name.partition(":")
    (model,) = [each for each in models_of(file) if each.__name__ == of or not of]
    return model.with_(**switches) if switches else model


def checked(name, switches, processes, operations, **options):
    return check_model(variant(name, switches), processes=processes, operations=operations, budget=60, **options)


SMALLEST = [
    # model, switches, options; the sizes for which it holds; the sizes at which it breaks, and the number of steps
    ("treiber", {"links_late": True}, {}, [(2, 1), (3, 1)], (2, 2), 9),
    ("treiber", {}, {"heap": "free"}, [(3, 1), (2, 2)], (2, 3), 15),
    ("michael_scott", {"plain_link": True}, {}, [(3, 1)], (2, 2), 21),
    ("michael_scott", {}, {"heap": "free"}, [(3, 1), (2, 2)], (2, 3), 21),
    ("michael_scott", {"rechecks": False}, {"heap": "counted"}, [(2, 1), (3, 1)], (2, 2), 13),
    ("register", {"faulty": True}, {}, [(2, 1)], (2, 2), 5),
    ("array_queue", {}, {}, [(2, 1)], (2, 2), 19),
    ("array_queue", {}, {}, [], (3, 1), 19),
    ("array_queue", {"L": 2}, {}, [(2, 1)], (2, 2), 19),
    ("stack_height", {"blind": True}, {}, [], (2, 1), 4),
    ("herlihy_wing", {"gives_up": True}, {}, [(2, 1), (3, 1)], (2, 2), 8),
    ("snark", {}, {}, [(2, 1), (3, 1)], (2, 2), 15),
    ("lazy_list", {"validates": False}, {}, [], (2, 1), 12),
    ("harris_list", {"marks": False}, {}, [(2, 1), (3, 1)], (2, 2), 13),
    ("rdcss", {"naive": True}, {}, [(2, 1), (3, 1)], (2, 2), 6),
    ("elimination_stack", {"withdraws": False}, {}, [(3, 1), (2, 3)], (3, 2), 20),
    ("peterson", {}, {"memory_model": "tso"}, [], (2, 1), 12),
    ("dekker", {}, {"memory_model": "tso"}, [], (2, 1), 12),
    ("mailbox", {"hasty": True}, {}, [(2, 2)], (2, 3), 13),
    ("snzi:Snzi", {"announces": False}, {}, [(2, 1)], (3, 1), 5),
    ("snzi:Snzi", {"announces": False}, {}, [], (2, 2), 5),
]
HOLD = [
    ("treiber", {}, {}, (2, 3)),
    ("treiber", {}, {"points": True}, (2, 3)),
    ("treiber", {}, {"heap": "counted"}, (2, 3)),
    ("michael_scott", {}, {}, (2, 3)),
    ("michael_scott", {}, {"heap": "counted"}, (2, 3)),
    ("michael_scott", {"rechecks": False}, {}, (2, 3)),
    ("register", {"K": 4}, {}, (2, 0)),
    ("register", {}, {}, ({"reader": 2, "writer": 1}, 0)),
    ("array_queue", {"repaired": True}, {}, (2, 3)),
    ("array_queue", {"repaired": True, "L": 2}, {}, (2, 3)),
    ("array_queue", {"repaired": True}, {}, (3, 2)),
    ("stack_height", {}, {}, (3, 0)),
    ("stack_height", {}, {"points": True}, (3, 0)),
    ("herlihy_wing", {}, {}, (3, 2)),
    ("snark", {"looks_again": True}, {}, (2, 3)),
    ("snark", {"looks_again": True, "preloaded": 2}, {}, (2, 3)),
    ("lazy_list", {}, {}, (2, 3)),
    ("harris_list", {}, {}, (2, 3)),
    ("rdcss", {}, {}, (2, 3)),
    ("elimination_stack", {}, {}, (2, 3)),
    ("peterson", {}, {}, (2, 3)),
    ("peterson", {"fenced": True}, {"memory_model": "tso"}, (2, 3)),
    ("dekker", {}, {}, (2, 3)),
    ("dekker", {"fenced": True}, {"memory_model": "tso"}, (2, 3)),
    ("mailbox", {}, {}, (2, 4)),
    ("snzi:Snzi", {}, {}, (2, 3)),
    ("snzi:SnziOfThree", {}, {}, (2, 2)),
]
HOLD_AT_LENGTH = [
    ("treiber", {}, {}, (3, 2)),
    ("treiber", {}, {"heap": "counted"}, (2, 4)),
    ("michael_scott", {}, {}, (3, 2)),
    ("michael_scott", {}, {"heap": "counted"}, (3, 2)),
    ("snark", {"looks_again": True}, {}, (3, 2)),
    ("lazy_list", {}, {}, (3, 2)),
    ("harris_list", {}, {}, (3, 2)),
    ("rdcss", {}, {}, (3, 2)),
    ("elimination_stack", {}, {}, (3, 2)),
    ("mailbox", {}, {}, (2, 6)),
    ("snzi:Snzi", {}, {}, (3, 2)),
    ("snzi:SnziOfThree", {}, {}, (3, 2)),
]


def name_of(case):
    return " ".join([case[0], *(f"{key}={value}" for part in case[1:3] for key, value in part.items()), str(case[-2:])])


@pytest.mark.parametrize("case", SMALLEST, ids=name_of)
def test_a_switch_breaks_the_model_at_this_size_and_not_below(case):
    name, switches, options, before, (processes, operations), length = case
    for fewer in before:
        assert checked(name, switches, *fewer, **options).answer is Answer.HOLDS
    result = checked(name, switches, processes, operations, **options)
    assert (result.answer, result.findings[0].length) == (Answer.VIOLATION, length)


@pytest.mark.parametrize("case", HOLD, ids=name_of)
def test_models_hold(case):
    name, switches, options, (processes, operations) = case
    result = checked(name, switches, processes, operations, **options)
    assert (result.answer, result.exhaustive) == (Answer.HOLDS, True), result.findings or result.why


@pytest.mark.long
@pytest.mark.parametrize("case", HOLD_AT_LENGTH, ids=name_of)
def test_models_hold_at_length(case):
    test_models_hold(case)


@pytest.mark.long
@pytest.mark.parametrize(("preloaded", "length"), [(1, 29), (2, 26)])
def test_both_ends_of_the_snark_deque_can_pop_the_same_node(preloaded, length):
    result = checked("snark", {"looks_again": True, "preloaded": preloaded}, 3, 2)
    assert (result.answer, result.findings[0].length) == (Answer.VIOLATION, length)


def options_of(command):
    """The options in an example's command, for ``check_model``."""
    words = shlex.split(command)[2:]
    target, rest = words[0], words[1:]
    asked, switches = {}, {}
    while rest:
        option = rest.pop(0)
        if option == "--points":
            asked["points"] = True
            continue
        value = rest.pop(0)
        if option == "--set":
            key, _, given = value.partition("=")
            switches[key] = json.loads(given)
        elif option == "--processes" and "=" in value:
            asked["processes"] = {role: int(number) for role, number in (each.split("=") for each in value.split(","))}
        else:
            asked[option.removeprefix("--").replace("-", "_")] = int(value) if value.isdigit() else value
    return target.replace(".py", ""), switches, asked


COMMANDS = [(path, *found) for path in FILES for found in COMMAND.findall(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("path", "command", "code"), COMMANDS, ids=[command for _, command, _ in COMMANDS])
def test_the_commands_of_an_example_give_their_exit_codes(path, command, code):
    name, switches, asked = options_of(command)
    assert name.partition(":")[0] == path.stem
    result = check_model(variant(name, switches), **{"processes": 2, "operations": 2, "budget": 60, **asked})
    assert result.answer is {"0": Answer.HOLDS, "1": Answer.VIOLATION}[code]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_example_has_a_command_that_holds_and_one_that_fails(path):
    assert {code for each, _, code in COMMANDS if each == path} == {"0", "1"}


@pytest.mark.parametrize(("command", "code"), [each[1:] for each in COMMANDS if each[0].stem == "treiber"])
def test_the_commands_of_examples_are_valid(command, code, tmp_path):
    shutil.copy(FOLDER / "treiber.py", tmp_path)
    done = run_shell(command, tmp_path)
    assert (done.returncode, "Traceback" in done.stdout) == (int(code), False), done.stdout


@pytest.mark.parametrize("row", [each for each in table1.ROWS if each.states < 1_000_000], ids=lambda row: row.name)
def test_rows_of_the_paper_are_reproduced(row):
    assert row.is_right(row.check())


@pytest.mark.long
@pytest.mark.parametrize("row", [each for each in table1.ROWS if each.states > 1_000_000], ids=lambda row: row.name)
def test_large_rows_of_the_paper_are_reproduced(row):
    assert row.is_right(row.check())


SMALL = [each for each in csp_counts.EXPLAINED if each[3] < 60_000]


@pytest.mark.parametrize(("name", "model", "more", "paper"), SMALL, ids=[each[0] for each in SMALL])
def test_state_counts_of_the_paper_are_reproduced(name, model, more, paper):
    assert count(model) + more == paper


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "model", "more", "paper"), [each for each in csp_counts.EXPLAINED if each not in SMALL]
)
def test_further_state_counts_of_the_paper_are_reproduced(name, model, more, paper):
    assert count(model) + more == paper


ENGINE = {
    "3-valued register": ("register", {"K": 3}, {"reader": 1, "writer": 1}),
    "4-valued register": ("register", {"K": 4}, {"reader": 1, "writer": 1}),
    "5-valued register": ("register", {"K": 5}, {"reader": 1, "writer": 1}),
    "3-valued register with 2 readers": ("register", {"K": 3}, {"reader": 2, "writer": 1}),
    "stack of size 12": ("stack_height", {"S": 12}, 2),
    "stack of size 14": ("stack_height", {"S": 14}, 2),
    "stack of size 2, 3 processes": ("stack_height", {"S": 2}, 3),
}


@pytest.mark.parametrize(("name", "model", "states"), csp_counts.OURS, ids=[each[0] for each in csp_counts.OURS])
def test_without_reductions_the_engine_counts_the_same_states(name, model, states):
    file, switches, processes = ENGINE[name]
    nothing = ("local", "fusion", "por", "symmetry", "heap")
    assert checked(file, switches, processes, 0, without=nothing).explored.states == states
    if states < 60_000:
        assert count(model) == states


def test_every_example_is_documented():
    page = (ROOT / "docs" / "explanation" / "refinement-zoo.md").read_text(encoding="utf-8")
    assert not [path.name for path in FILES if f"`{path.stem}.py`" not in page]
