# SPDX-License-Identifier: Apache-2.0
"""``linpoint.test``: both forms, the effects of its options, rejected arguments, and the replay of a finding."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.scenarios import definition_of
from linpoint.verdicts import replay_token
from tests.subjects.python_object.objects import Cache, CacheTest, DicedCacheTest, LockedCache, LockedCacheTest

VIOLATION = linpoint.Status.VIOLATION
LINEARIZABLE = linpoint.Status.LINEARIZABLE
CALLS = {"get": {"key": "ab"}, "add": {"key": "ab", "value": [1, 2]}}
SMALLEST = 'add("a", 1) | add("a", 1)'


def test_a_test_class_is_run() -> None:
    result = linpoint.test(CacheTest)
    assert result.status is VIOLATION
    assert result.findings[0].scenario == SMALLEST
    assert linpoint.test(LockedCacheTest).status is LINEARIZABLE


@pytest.mark.parametrize("make", [Cache, lambda: Cache()])  # noqa: PLW0108 - a function that makes it
def test_an_object_with_its_calls_is_tested(make: Any) -> None:
    result = linpoint.test(make, CALLS, threads=2, operations=2)
    assert result.status is VIOLATION
    assert result.findings[0].scenario == SMALLEST


def test_a_correct_object_with_its_calls_passes() -> None:
    result = linpoint.test(LockedCache, CALLS, operations=1, observe=lambda cache: sorted(cache.items))
    assert result.status is LINEARIZABLE
    assert result.exhaustive
    assert result.bounds == {"threads": 2, "operations": 1}
    assert result.raise_for_violation() is None


def test_a_definition_is_run() -> None:
    assert linpoint.test(definition_of(LockedCacheTest)).name == "LockedCacheTest"


def test_a_single_scenario_is_run() -> None:
    for scenario in (SMALLEST, linpoint.Scenario.parse(SMALLEST)):
        assert linpoint.test(CacheTest, scenario=scenario).status is VIOLATION
    alone = linpoint.test(CacheTest, scenario='get("a") | get("a")')
    assert alone.status is LINEARIZABLE
    assert alone.exhaustive
    assert alone.tested.scenarios == 1


def test_arguments_override_the_settings_of_the_test() -> None:
    assert linpoint.test(CacheTest, threads=1, operations=1).bounds == {"threads": 1, "operations": 1}
    first = linpoint.test(LockedCacheTest, scenarios=[SMALLEST])
    more = linpoint.test(LockedCacheTest)
    assert first.tested.scenarios == more.tested.scenarios + 1
    wrong = linpoint.test(LockedCacheTest, spec=linpoint.sequential(list, methods={"get": "count", "add": "insert"}))
    assert wrong.status is VIOLATION


def test_the_same_seed_gives_the_same_result() -> None:
    one, other = (linpoint.test(CacheTest, seed=5) for _ in range(2))
    assert one.findings[0].scenario == other.findings[0].scenario
    assert one.findings[0].schedule == other.findings[0].schedule
    assert one.tested.scenarios == other.tested.scenarios


def test_a_finding_is_replayed_by_its_token() -> None:
    found = linpoint.test(CacheTest).findings[0]
    again = linpoint.test(CacheTest, replay=found.token)
    assert again.status is VIOLATION
    assert again.findings[0].token == found.token
    assert again.findings[0].operations == found.operations
    assert linpoint.test(LockedCacheTest, replay=found.token).status is LINEARIZABLE


def test_the_command_replays_it_from_the_same_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[3]
    monkeypatch.chdir(root)
    words = linpoint.test(CacheTest).findings[0].replay_words
    assert replay_token.decode(words[1])["file"] == "tests/subjects/python_object/objects.py"
    command = str(Path(sys.executable).with_name("linpoint"))
    done = subprocess.run([command, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("VIOLATION: CacheTest: ")


def test_the_command_rejects_a_token_that_only_python_can_replay() -> None:
    found = linpoint.test(Cache, CALLS).findings[0]
    assert found.replay_words == []
    command = str(Path(sys.executable).with_name("linpoint"))
    done = subprocess.run([command, "replay", found.token], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "LP-U004" in done.stderr
    assert "linpoint.test(..., replay=TOKEN)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "options", "code"),
    [
        ((Cache,), {}, "LP-T013"),
        ((CacheTest, CALLS), {}, "LP-T013"),
        ((3, CALLS), {}, "LP-T003"),
        ((CacheTest,), {"threads": 0}, "LP-T010"),
        ((CacheTest,), {"scenarios": [3]}, "LP-T010"),
        ((CacheTest,), {"scenario": "remove()"}, "LP-T007"),
        ((CacheTest,), {"budget": "soon"}, "LP-U001"),
        ((CacheTest,), {"budget": 0}, "LP-U001"),
        ((CacheTest,), {"replay": "lp1-x"}, "LP-U004"),
        ((CacheTest,), {"replay": replay_token.encode({"kind": "check"})}, "LP-U004"),
        ((CacheTest,), {"replay": replay_token.encode({"kind": "test"})}, "LP-U004"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: tuple[Any, ...], options: dict[str, Any], code: str) -> None:
    with pytest.raises(linpoint.LinpointError) as caught:
        linpoint.test(*arguments, **options)
    assert caught.value.code == code
    assert caught.value.remedy


def test_unknown_is_never_a_pass() -> None:
    result = linpoint.test(LockedCacheTest, threads=3, operations=3, budget=0.001)
    assert result.status is linpoint.Status.UNKNOWN
    with pytest.raises(linpoint.UndecidedError, match="budget"):
        result.raise_for_violation()
    with pytest.raises(TypeError, match="raise_for_violation"):
        bool(result)


def test_ctrl_c_raises_keyboard_interrupt() -> None:
    source = (
        "import _thread, threading, linpoint\n"
        "from tests.subjects.python_object.objects import LockedCacheTest\n"
        "threading.Timer(1, _thread.interrupt_main).start()\n"
        "try:\n"
        "    linpoint.test(LockedCacheTest, threads=4, operations=4, budget='10m')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False, cwd=root, timeout=120
    )
    assert done.stdout == "interrupted\n", done.stderr


def test_the_interpreter_is_unchanged() -> None:
    random.seed(11)
    state = random.getstate()
    real = threading.Lock, threading.RLock, time.time, time.sleep
    running = threading.active_count()
    assert linpoint.test(DicedCacheTest).status is LINEARIZABLE
    assert linpoint.test(CacheTest).status is VIOLATION
    assert random.getstate() == state
    assert (threading.Lock, threading.RLock, time.time, time.sleep) == real
    assert threading.active_count() == running
