# SPDX-License-Identifier: Apache-2.0
"""One small run of each engine calls down the layers: no upward calls and no undeclared ping-pong between modules."""

import shutil

import pytest

from tests.missing_packages import missing
from tools.walks.layers import layer_ranks
from tools.walks.picture import draw_walk
from tools.walks.runs import RUNS, Run, record_walk
from tools.walks.walk import Call, Walk

PROGRESS = ("progress", "watch", "tell", "listen", "show", "report")
"""Functions with these names are progress callbacks that a caller passes down."""

CALL_BACK = {
    "campaign.several_targets": "runs the targets of a command, which build and report",
    "executors.thread_executor": "runs the tasks of its callers",
    "verdicts.refutation": "asks the code that found stuck operations for the reason, on request",
    "verdicts.renderers": "finds the renderer of a verdict in a table, so that verdicts explain themselves",
}
"""Modules that call functions given by their callers or by a table."""

STAND_INS = {
    "cli.output.standard_streams": "is the standard output of the process",
    "cli.output.terminal": "is the progress line",
    "explore.python_control.controlled_thread_class": "is the standard library's threads while code is under control",
    "explore.python_control.stdlib_patches": "is the standard library's locks and clocks while code is under control",
    "subjects.python_object.sequential_spec": "is the spec of an object that is its own",
}
"""Modules whose functions stand in for something below all layers, or for a spec."""

RECURSION = {
    "refine.frontend.method_compiler": "finds the function that compiles a node of a syntax tree, which contains others"
}
"""Modules that dispatch a recursive descent: the modules they call also call them."""


def is_declared(call: Call) -> bool:
    name = call.callee_function.rpartition(".")[2].lstrip("_")
    constructs = name == "post_init__"  # of a class that the caller passed
    return call.caller in CALL_BACK or call.callee in STAND_INS or name.startswith(PROGRESS) or constructs


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: run.engine)
def walk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    run: Run = request.param
    if run.compiles and not (shutil.which("g++") or shutil.which("clang++")):
        missing("there is no C++ compiler")
    return record_walk(run, tmp_path_factory.mktemp("walk"))


def test_a_walk_visits_the_engine(walk: Walk) -> None:
    assert len(walk.modules) > 40


def test_calls_go_down_the_layers(walk: Walk) -> None:
    undeclared = [str(call) for call in walk.upward_calls(layer_ranks()) if not is_declared(call)]
    assert not undeclared, "\n".join(undeclared)


def test_modules_do_not_ping_pong(walk: Walk) -> None:
    rest = Walk(walk.engine, walk.first_calls, {call: n for call, n in walk.calls.items() if not is_declared(call)})
    pairs = [pair for pair in rest.ping_pong_pairs() if not RECURSION.keys() & {*pair}]
    assert len(pairs) <= 1, pairs


def test_a_walk_can_be_drawn(walk: Walk) -> None:
    picture = draw_walk(walk, layer_ranks())
    assert picture.startswith("<svg")
    assert all(f">{name.rpartition('.')[2]}<" in picture for name in walk.modules)
