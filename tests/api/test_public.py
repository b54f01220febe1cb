# SPDX-License-Identifier: Apache-2.0
"""The public surface: names, signatures, immutability, and the cost of importing it."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import linpoint

NAMES = [
    "Annotation",
    "Answer",
    "Atomic",
    "CertificateError",
    "ConcurrentTest",
    "Crash",
    "Explanation",
    "Finding",
    "History",
    "HistoryError",
    "KeyVerdict",
    "LinpointError",
    "Model",
    "ModelError",
    "ModelFinding",
    "ModelResult",
    "Operation",
    "Outcome",
    "PrecedenceGraph",
    "Recorder",
    "Scenario",
    "Spec",
    "SpecError",
    "Statistics",
    "Status",
    "StressResult",
    "TestError",
    "TestResult",
    "UndecidedError",
    "UsageError",
    "Verdict",
    "ViolationError",
    "Witness",
    "array",
    "assume",
    "atomic",
    "check",
    "check_model",
    "choose",
    "conformance",
    "dcas",
    "fence",
    "history",
    "load",
    "lock",
    "operation",
    "point",
    "record",
    "save",
    "sequential",
    "spec",
    "specs",
    "strategies",
    "stress",
    "test",
]

FUNCTIONS = {
    "check": (
        "(history: History | str | Iterable[Mapping[str, Any] | Operation], spec: Spec | str | Any, *, "
        "checker: str = 'auto', condition: str | None = None, budget: str | float | None = None, "
        "max_memory: str | int | None = None, jobs: int | None = None) -> Verdict"
    ),
    "conformance": (
        "(spec: Spec | str | Any, operations: Iterable[Operation | Mapping[str, Any]], *, max_states: int = 200) "
        "-> Conformance"
    ),
    "history": "(source: str | Iterable[Mapping[str, Any] | Operation | Crash | Annotation] | History) -> History",
    "load": (
        "(path: str | os.PathLike[str], *, keyed: bool | None = None, columns: Mapping[str, str] | None = None, "
        "format: str | None = None) -> History"
    ),
    "array": "(initial: Any, *, size: int) -> Array",
    "assume": "(condition: Any) -> None",
    "atomic": "(initial: Any) -> Atomic[Any]",
    "check_model": (
        "(model: type[Model], spec: Any = None, *, processes: int | Mapping[str, int] = 2, "
        "operations: int = 2, memory_model: str = 'sc', heap: str = 'gc', without: Iterable[str] = (), "
        "points: bool = False, compact: bool = False, progress: str | None = None, fairness: str = 'none', "
        "budget: str | float | None = None, max_memory: str | int | None = None, "
        "jobs: int | None = None) -> ModelResult"
    ),
    "choose": "(domain: Iterable[Any]) -> Any",
    "dcas": "(first: Any, second: Any, old1: Any, old2: Any, new1: Any, new2: Any, /) -> bool",
    "fence": "() -> None",
    "lock": "() -> Lock",
    "operation": (
        "(function: Any = None, /, *, blocking: bool = False, name: str | None = None, role: Any = None, "
        "pairs_with: Any = None, **arguments: Any) -> Any"
    ),
    "point": "() -> None",
    "record": "(**fields: Any) -> Any",
    "save": "(history: History, path: str | os.PathLike[str], *, format: str | None = None) -> None",
    "sequential": (
        "(cls: Callable[..., Any], *, methods: Iterable[str] | Mapping[str, str] | None = None, "
        "args: tuple[Any, ...] = (), name: str | None = None) -> Spec"
    ),
    "spec": (
        "(body: type | None = None, *, partition: Partition | None = None, reads: Iterable[str] = ()) "
        "-> Spec | Callable[[type], Spec]"
    ),
    "stress": (
        "(test: Any, *, calls: Mapping[str, Any] | None = None, spec: Spec | str | Any = None, "
        "scenarios: Iterable[Scenario] | None = None, threads: int = 4, operations: int = 50, "
        "budget: str | float | Budget | None = '30s', iterations: int | None = None, seed: int = 0, instances: int = 1, "
        "erratic: bool = False, patience: str | float = '5s', progress: Progress | None = None) -> StressResult"
    ),
    "test": (
        "(subject: type[ConcurrentTest] | ConcurrentTestDefinition | Callable[[], Any], calls: Operations | None = None, *, "
        "spec: Any = None, observe: Callable[[Any], Any] | None = None, threads: int | None = None, "
        "operations: int | None = None, before: int | None = None, after: int | None = None, "
        "scenarios: str | Scenario | Iterable[str | Scenario] | None = None, scenario: str | Scenario | None = None, "
        "instrument: Iterable[Any] | None = None, budget: str | float | None = None, seed: int = 0, "
        "replay: str | None = None) -> TestResult"
    ),
}

CLASSES = {
    "Annotation": "line text time until",
    "Answer": "HOLDS LINEARIZABLE UNKNOWN VIOLATION",
    "Atomic": "cas fetch_add fresh initial ll load sc store swap",
    "CertificateError": "as_dict at",
    "ConcurrentTest": "after before instrument observe operations scenarios setup spec threads",
    "Crash": "covers ends_era interrupts line of_everything of_object process time whose",
    "Explanation": (
        "as_dict as_html causes claims claims_of core culprit irreducible key minimal names needed other_initial others pattern picture "
        "precedence steps stuck subject_kind text verdict verified"
    ),
    "Finding": (
        "advice allowed evidence evidence_as kind length memory message minimal operations orders place "
        "preemptions printed refused replay replay_token replay_words scenario schedule shortest steps "
        "switches token trace verdict"
    ),
    "History": (
        "annotations by_position clock_skew columns count crashes index keyed operations place processes "
        "replace select source with_clock_skew with_operations"
    ),
    "HistoryError": "as_dict at",
    "KeyVerdict": "checker configurations key positions reached refutation status why witness",
    "LinpointError": "as_dict at",
    "Model": "setup spec with_",
    "ModelError": "as_dict at",
    "ModelFinding": (
        "advice allowed evidence evidence_as kind length memory message minimal operations orders place "
        "preemptions printed refused replay replay_token replay_words scenario schedule shortest steps "
        "switches token trace verdict"
    ),
    "ModelResult": (
        "advice answer as_json bounds condition coverage exhaustive explain explored file findings history "
        "interrupted kind models name operations outcomes raise_for_violation remedy report runs seconds spec "
        "statistics status stuck subject_kind test tested text undecided verdict warnings why"
    ),
    "Operation": "args call end key line name order outcome process result return_ times",
    "Outcome": "FAILED OK UNKNOWN",
    "PrecedenceGraph": (
        "as_dict as_dot as_svg condition contradicting contradictions crashes edges has key notes number "
        "operations reason sentence size spec verdict vertices"
    ),
    "Scenario": "after as_dict before calls describe from_dict parse size threads",
    "Recorder": "annotate crash history object_crash operation recorded wrap",
    "Spec": (
        "allows any_operation arguments changes complaint doc factory initial key_argument name outcomes partition "
        "reads step step_named steps successors twin uses_process"
    ),
    "SpecError": "as_dict at",
    "Statistics": "as_dict configurations operations peak_memory_bytes seconds",
    "Status": "HOLDS LINEARIZABLE UNKNOWN VIOLATION",
    "TestError": "as_dict at",
    "TestResult": (
        "advice answer as_json bounds condition coverage exhaustive explain explored file findings history "
        "interrupted kind models name operations outcomes raise_for_violation remedy report runs seconds spec "
        "statistics status stuck subject_kind test tested text undecided verdict warnings why"
    ),
    "StressResult": (
        "advice answer as_json bounds condition coverage exhaustive explain explored file findings history "
        "interrupted kind models name operations outcomes raise_for_violation remedy report runs seconds spec "
        "statistics status stuck subject_kind test tested text undecided verdict warnings why"
    ),
    "UndecidedError": "",
    "UsageError": "as_dict at",
    "Verdict": (
        "checker condition explain history keys merge precedence_graph raise_for_violation refutation spec "
        "statistics status subject_kind warnings why witness"
    ),
    "ViolationError": "",
    "Witness": "by_era certified eras order survivors",
}


def test_the_public_names_match_the_snapshot() -> None:
    assert linpoint.__all__ == NAMES
    assert sorted(linpoint.__all__) == linpoint.__all__
    assert all(hasattr(linpoint, name) for name in NAMES)


def test_the_tables_here_cover_every_name() -> None:
    assert set(FUNCTIONS) | set(CLASSES) | {"specs", "strategies"} == set(NAMES)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_signatures_match_the_snapshot(name: str) -> None:
    signature = str(inspect.signature(getattr(linpoint, name)))
    assert re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature) == FUNCTIONS[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_with_defaults_are_keyword_only(name: str) -> None:
    parameters = inspect.signature(getattr(linpoint, name)).parameters.values()
    others = ("body", "function", "calls", *(["spec"] if name == "check_model" else []))
    with_default = [p for p in parameters if p.default is not p.empty and p.name not in others]
    assert all(p.kind is p.KEYWORD_ONLY for p in with_default)
    assert inspect.getdoc(getattr(linpoint, name))


@pytest.mark.parametrize("name", CLASSES)
def test_class_members_match_the_snapshot(name: str) -> None:
    thing = getattr(linpoint, name)
    if issubclass(thing, enum.Enum):
        members = sorted(thing.__members__)
    else:
        inherited = dir(Exception) if issubclass(thing, BaseException) else []
        members = sorted(member for member in dir(thing) if not member.startswith("_") and member not in inherited)
    assert " ".join(members) == CLASSES[name]
    assert inspect.getdoc(thing)


def test_the_exception_tree_matches_the_snapshot() -> None:
    for name in ("HistoryError", "ModelError", "SpecError", "TestError", "UsageError", "CertificateError"):
        assert issubclass(getattr(linpoint, name), linpoint.LinpointError)
    assert issubclass(linpoint.ViolationError, AssertionError)
    assert not issubclass(linpoint.ViolationError, linpoint.LinpointError)
    assert not issubclass(linpoint.UndecidedError, AssertionError)


# Importing


def test_importing_is_quick(tmp_path: Path) -> None:
    """At most five times the import of ``asyncio``, e.g. 0.2 s for 0.04 s; both take longer on a slow or busy machine.

    Both are compiled, as any installed or previously imported module is.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}

    def once(module: str) -> float:
        source = f"import time; before = time.process_time(); import {module}; print(time.process_time() - before)"
        command = [sys.executable, "-c", source]
        return float(subprocess.run(command, capture_output=True, check=True, env=environment).stdout)

    once("asyncio, linpoint")
    pairs = [(once("asyncio"), once("linpoint")) for _ in range(7)]
    assert min(ours for _, ours in pairs) < 5 * min(theirs for theirs, _ in pairs)


def test_importing_loads_neither_the_command_line_nor_a_colour_library() -> None:
    source = "import sys, linpoint; print(*sorted(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"typer", "click", "rich", "hypothesis", "pytest"}
    assert done.stderr == ""


def test_the_command_line_does_not_load_the_exploration_engines() -> None:
    source = "import sys, linpoint.cli.main; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {
        "asyncio",
        "linpoint.subjects.python_object.subject",
        "linpoint.explore.python_control.control_session",
    }


# Verdicts

GOOD = "A: |--write(1)--| |--read()->1--|"
BAD = "A: |--write(1)--| |--read()->2--|"


def undecided() -> linpoint.Verdict:
    many = [{"process": n, "op": "enqueue", "args": [n % 3], "result": None, "call": 0, "return": 9} for n in range(30)]
    wrong = [{"process": -1 - n, "op": "dequeue", "result": 0, "call": 0, "return": 9} for n in range(11)]
    return linpoint.check([*many, *wrong], "queue", checker="dfs", budget=0.05)


def test_a_linearizable_verdict() -> None:
    verdict = linpoint.check(GOOD, "register")
    assert verdict.status is linpoint.Status.LINEARIZABLE
    assert verdict.status.value == "linearizable"
    assert verdict.witness == linpoint.Witness((0, 1))
    assert verdict.refutation is None
    assert verdict.checker
    assert verdict.why
    assert verdict.condition == "linearizable"
    assert verdict.statistics.operations == 2
    assert verdict.statistics.seconds >= 0
    assert verdict.statistics.peak_memory_bytes > 2**20
    assert isinstance(verdict.explain(), linpoint.Explanation)
    assert verdict.raise_for_violation() is None


def test_a_violation() -> None:
    verdict = linpoint.check(BAD, "register")
    assert verdict.status is linpoint.Status.VIOLATION
    assert verdict.status.value == "violation"
    assert verdict.witness is None
    assert verdict.refutation is not None
    with pytest.raises(linpoint.ViolationError) as caught:
        verdict.raise_for_violation()
    assert str(caught.value) == verdict.explain().text


def test_an_unknown_verdict_never_passes_silently() -> None:
    verdict = undecided()
    assert verdict.status is linpoint.Status.UNKNOWN
    assert verdict.status.value == "unknown"
    assert verdict.witness is None
    assert verdict.refutation is None
    with pytest.raises(linpoint.UndecidedError, match="budget"):
        verdict.raise_for_violation()


@pytest.mark.parametrize(
    "make", [lambda: linpoint.check(GOOD, "register"), lambda: linpoint.check(BAD, "register"), undecided]
)
def test_a_verdict_is_not_a_bool(make: Any) -> None:
    verdict = make()
    with pytest.raises(TypeError, match="raise_for_violation"):
        bool(verdict)
    with pytest.raises(TypeError):
        assert verdict
    with pytest.raises(TypeError):
        not verdict  # noqa: B018


def test_a_verdict_names_the_algorithm_and_why() -> None:
    assert linpoint.check(GOOD, "register").checker != "auto"
    asked = linpoint.check(GOOD, "register", checker="brute-force")
    assert asked.checker == "brute-force"
    assert asked.why


def test_positions_in_a_keyed_history_refer_to_the_whole_history() -> None:
    lines = [
        {"process": n, "op": "write", "args": [n], "result": None, "call": n, "return": n, "key": "ab"[n % 2]}
        for n in range(4)
    ]
    verdict = linpoint.check(lines, "register")
    assert {key.key: key.positions for key in verdict.keys} == {"a": (0, 2), "b": (1, 3)}
    assert verdict.witness == linpoint.Witness((0, 1, 2, 3))


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"checker": "magic"}, "LP-U002"),
        ({"condition": "perfect"}, "LP-U003"),
        ({"budget": 0}, "LP-U001"),
        ({"budget": -1.5}, "LP-U001"),
        ({"budget": float("nan")}, "LP-U001"),
        ({"budget": "soon"}, "LP-U001"),
        ({"max_memory": 0}, "LP-U001"),
        ({"max_memory": "much"}, "LP-U001"),
        ({"jobs": 0}, "LP-U001"),
    ],
)
def test_bad_options_are_rejected(options: dict[str, Any], code: str) -> None:
    with pytest.raises(linpoint.UsageError) as caught:
        linpoint.check(GOOD, "register", **options)
    assert caught.value.code == code
    assert caught.value.remedy


@pytest.mark.parametrize(
    "options",
    [
        {"budget": 60},
        {"budget": "60"},
        {"budget": "1.5h"},
        {"max_memory": "2G"},
        {"max_memory": "2GiB"},
        {"max_memory": 2**31},
        {"jobs": 1},
    ],
)
def test_good_options_are_accepted(options: dict[str, Any]) -> None:
    assert linpoint.check(GOOD, "register", **options).status is linpoint.Status.LINEARIZABLE


# Histories


def history() -> linpoint.History:
    return linpoint.history(
        [{"process": 0, "op": "write", "args": [{"a": [1]}], "result": {"b": [2]}, "call": 1, "return": 2}]
    )


def test_a_history_is_a_sequence() -> None:
    found = linpoint.history(GOOD)
    assert len(found) == 2
    assert found[0].name == "write"
    assert found[-1].result == 1
    assert [op.name for op in found] == ["write", "read"]
    assert [op.name for op in found[1:]] == ["read"]
    assert found[0] in found
    assert found == linpoint.history(GOOD)
    assert hash(found) == hash(linpoint.history(GOOD))
    assert found != linpoint.history(BAD)


@pytest.mark.parametrize("name", ["operations", "crashes", "annotations", "source", "clock_skew", "by_position"])
def test_a_history_cannot_be_changed(name: str) -> None:
    found = history()
    with pytest.raises(AttributeError):
        setattr(found, name, ())
    with pytest.raises(AttributeError):
        delattr(found, name)
    with pytest.raises((AttributeError, TypeError)):
        found.another = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        found[0] = found[0]  # type: ignore[index]


def test_an_operation_cannot_be_changed() -> None:
    (op,) = history()
    for field in dataclasses.fields(op):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(op, field.name, None)
    assert isinstance(op.args, tuple)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(b=1),
        lambda value: value.__setitem__("b", 1),
        lambda value: value.__delitem__("b"),
        lambda value: value.clear(),
        lambda value: value.pop("b"),
        lambda value: value.popitem(),
        lambda value: value.setdefault("c", 1),
        lambda value: value.__ior__({"c": 1}),
        lambda value: value["b"].append(1),
    ],
)
def test_the_values_of_an_operation_cannot_be_changed(change: Any) -> None:
    (op,) = history()
    with pytest.raises((TypeError, AttributeError)):
        change(op.result)
    assert op.result == {"b": (2,)}


def test_changing_the_input_does_not_change_the_history() -> None:
    args: list[Any] = [{"a": [1]}]
    line = {"process": 0, "op": "write", "args": args, "result": None, "call": 1, "return": 2}
    found = linpoint.history([line])
    args[0]["a"].append(2)
    args.append(3)
    assert found[0].args == ({"a": (1,)},)


def test_operations_accept_plain_lists() -> None:
    """As in operation lines: lists and objects are legal values."""
    op = linpoint.Operation(0, "mwcas", ([["x", 0, 1]],), True, 0, 1)
    assert linpoint.check([op], "mwcas").status is linpoint.Status.LINEARIZABLE
    written = linpoint.Operation(0, "write", ([1, {"a": [2]}],), None, 0, 1)
    read = linpoint.Operation(0, "read", (), [1, {"a": [2]}], 2, 3)
    assert linpoint.check([written, read], "register").status is linpoint.Status.LINEARIZABLE
    hash(linpoint.history([written, read]))


def test_check_accepts_every_form_of_history() -> None:
    lines = [{"process": 0, "op": "read", "result": None, "call": 1, "return": 2}]
    made = linpoint.history(lines)
    for source in (lines, iter(lines), made, list(made), "0: |--read()--|"):
        assert linpoint.check(source, "register").status is linpoint.Status.LINEARIZABLE
    assert linpoint.history(made) is made


def test_saving_and_loading(tmp_path: Path) -> None:
    made = linpoint.history(GOOD)
    linpoint.save(made, tmp_path / "h.jsonl")
    loaded = linpoint.load(tmp_path / "h.jsonl")
    assert [dataclasses.replace(op, line=None) for op in loaded] == [dataclasses.replace(op, line=None) for op in made]
    assert linpoint.load(str(tmp_path / "h.jsonl")) == loaded
