# SPDX-License-Identifier: Apache-2.0
"""The histories of explored runs are exactly those of all interleavings."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.search_messages import ScenarioHistory
from linpoint.hosts.test_host import TestHost
from linpoint.scenarios.cpp_test_description import scenario_text
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, build_target
from tests.subjects.cpp_object import script_interpreter
from tests.volume import SEED

HERE = Path(__file__).parent
SIZES = [(0, 20), *(pytest.param(number, 2_000, marks=pytest.mark.long) for number in range(1, 6))]
"""Numbers of seeds, and the number of objects for each model."""


def host(model: str) -> TestHost:
    compiler = find_compiler(None)
    target = build_target(BuildRecipe((str(HERE / "scripted.cpp"),), (), compiler))
    return TestHost(find_host(compiler), target.library, HostConfig(model, workers=2))


def explored(
    model: str, scenarios: list[list[list[str]]], search: str = "dpor"
) -> list[set[script_interpreter.History]]:
    """The histories of each scenario, as the host reports them."""
    found: list[set[script_interpreter.History]] = [set() for _ in scenarios]

    def history(said: ScenarioHistory) -> None:
        results = tuple(each[0] for each in said.results)
        for order in said.orders:
            before = []
            for number in range(len(results)):
                ended = order[: order.index(2 * number)]
                before.append(frozenset(each // 2 for each in ended if each % 2))
            one = (results, tuple(before))
            assert one not in found[said.scenario], "it was told before"
            found[said.scenario].add(one)

    texts = [
        scenario_text(
            "ScriptTest", Scenario(tuple(tuple(Call("run", (each,)) for each in scripts) for scripts in threads))
        )
        for threads in scenarios
    ]
    with host(model).search(texts, search, seconds=300) as heard:
        for message in heard:
            if message.history is not None:
                history(message.history)
    assert all(heard.results[number].ended == "exhausted" for number in range(len(scenarios)))
    if search == "dpor":
        assert all(heard.results[number].exhaustive for number in range(len(scenarios)))
    return found


def random_scenario(dice: random.Random) -> list[list[str]]:
    letters = "llssscaxqffz" if dice.random() < 0.8 else "lsf"
    shape = dice.choice(((2, 2), (2, 1), (1, 1, 1), (2, 2), (1, 1), (3, 1)))

    def script() -> str:
        return "".join(dice.choice(letters) + dice.choice("01") for _ in range(dice.choice((0, 1, 1, 2, 2, 3))))

    return [[script() for _ in range(count)] for count in shape]


@pytest.mark.parametrize("model", ["sc", "tso"])
@pytest.mark.parametrize(("seed", "count"), SIZES)
def test_histories_match_all_interleavings(model: str, seed: int, count: int) -> None:
    dice = random.Random(f"{SEED} {seed}")
    scenarios = [random_scenario(dice) for _ in range(count)]
    for scenario, found in zip(scenarios, explored(model, scenarios), strict=True):
        assert found == script_interpreter.histories(scenario, tso=model == "tso"), scenario
