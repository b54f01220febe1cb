# SPDX-License-Identifier: Apache-2.0
"""The driver of a persistent multi-word CAS: correct algorithms pass, both bugs are found, the log fits the summary.

The machine chooses the interleavings, so each bug gets several seeds; a correct algorithm must pass with every seed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linpoint
from examples.persistent_mwcas.run import NoCompilerError, build
from linpoint import Status
from tests.docs.pages import ROOT, run_shell

FOLDER = ROOT / "examples" / "persistent_mwcas"
SEEDS = range(20)
ALGORITHMS = ["mwcas", "mwswap"]


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    try:
        return build(tmp_path_factory.mktemp("driver"))
    except NoCompilerError as error:
        pytest.skip(str(error))


def drive(program, log, *options):
    """Run the driver with its history in ``log`` and return its summary of the run."""
    command = [program, "--log", log, *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stderr)


def lines(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def status(log, condition=None):
    return linpoint.check(linpoint.load(log), "mwcas", condition=condition, budget=20).status


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_algorithms_are_linearizable(program, tmp_path, algorithm, threads):
    log = tmp_path / "history.jsonl"
    for seed in range(3):
        drive(program, log, "--algorithm", algorithm, "--threads", threads, "--operations", 100, "--seed", seed)
        assert status(log) is Status.LINEARIZABLE


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("crashes", "condition"), [(("--crashes", 4), "strict"), (("--process-crashes", 4), "recoverable")]
)
def test_the_algorithms_survive_crashes(program, tmp_path, algorithm, crashes, condition):
    log = tmp_path / "history.jsonl"
    unknown = 0
    for seed in range(3):
        said = drive(program, log, "--algorithm", algorithm, "--operations", 100, "--seed", seed, *crashes)
        unknown += said["unknown"]
        assert status(log, condition) is Status.LINEARIZABLE
        assert status(log) is Status.LINEARIZABLE
    assert unknown > 0


@pytest.mark.parametrize("form", ["at", "false", "values"])
@pytest.mark.parametrize("expected", [(), ("--unread-expected",)])
def test_every_form_of_failure_is_atomic(program, tmp_path, form, expected):
    log = tmp_path / "history.jsonl"
    said = drive(program, log, "--results", form, "--operations", 100, *expected)
    results = [line["result"] for line in lines(log) if line["op"] == "mwcas" and line["result"] is not True]
    kind = {"at": dict, "false": bool, "values": list}[form]
    assert len(results) == said["failed"] > 0
    assert all(isinstance(result, kind) for result in results)
    assert status(log) is Status.LINEARIZABLE


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--algorithm", "mwswap", "--bug", "lost-update", "--threads", 2, "--operations", 100), id="B"),
        pytest.param(("--bug", "dirty-bit", "--threads", 3), id="A"),
    ],
)
def test_the_bugs_are_found(program, tmp_path, options):
    log = tmp_path / "history.jsonl"
    for seed in SEEDS:
        drive(program, log, "--seed", seed, *options)
        if status(log) is Status.VIOLATION:
            return
    pytest.fail(f"no violation in {len(SEEDS)} runs")


@pytest.mark.parametrize("options", [("--algorithm", "mwswap", "--bug", "lost-update"), ("--bug", "dirty-bit")])
def test_a_single_thread_hides_the_bugs(program, tmp_path, options):
    log = tmp_path / "history.jsonl"
    drive(program, log, "--threads", 1, *options)
    assert status(log) is Status.LINEARIZABLE


def test_the_command_finds_the_lost_update(program, tmp_path):
    log = tmp_path / "history.jsonl"
    options = ("--algorithm", "mwswap", "--bug", "lost-update", "--threads", 2, "--operations", 100)
    command = [Path(sys.executable).with_name("linpoint"), "check", log, "--spec", "mwcas", "--budget", "3s", "--json"]
    for seed in SEEDS:
        drive(program, log, "--seed", seed, *options)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode == 1:
            assert json.loads(done.stdout)["verdict"] == "violation"
            return
        assert done.returncode == 0, done.stdout
    pytest.fail(f"no violation in {len(SEEDS)} runs")


@pytest.mark.long
@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_sanitizers_are_silent(tmp_path, sanitizer):
    flags = ["-O1", "-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    try:
        program = build(tmp_path, flags=flags)
    except NoCompilerError as error:
        pytest.skip(str(error))
    for algorithm in ALGORITHMS:
        for options in [(), ("--crashes", 20, "--process-crashes", 20), ("--results", "values", "--unread-expected")]:
            for seed in range(5):
                command = ("--algorithm", algorithm, "--threads", 4, "--operations", 3000, "--seed", seed, *options)
                assert drive(program, tmp_path / "history.jsonl", *command)["operations"] == 12_000


def test_values_are_unique_and_expected_ones_were_read_before(program, tmp_path):
    log = tmp_path / "history.jsonl"
    drive(program, log, "--crashes", 3, "--process-crashes", 3)
    operations = [line for line in lines(log) if "op" in line]
    new = [cell[2] for line in operations if line["op"] == "mwcas" for cell in line["args"][0]]
    assert len(set(new)) == len(new)
    read = {}
    for line in operations:
        if line["op"] == "read" and line["return"] is not None:
            for cell in zip(line["args"][0], line["result"], strict=True):
                read[cell] = min(line["return"], read.get(cell, line["return"]))
    for line in operations:
        if line["op"] == "mwcas":
            assert all(read[address, old] <= line["call"] for address, old, _ in line["args"][0])


def test_an_option_makes_operations_expect_unread_values(program, tmp_path):
    log = tmp_path / "history.jsonl"
    drive(program, log, "--unread-expected")
    operations = lines(log)
    read = {value for line in operations if line["op"] == "read" for value in line["result"]}
    assert {cell[1] for line in operations if line["op"] == "mwcas" for cell in line["args"][0]} - read


def test_crashes_interrupt_operations(program, tmp_path):
    log = tmp_path / "history.jsonl"
    said = drive(program, log, "--crashes", 5, "--process-crashes", 5)
    history = lines(log)
    whole = [line["time"] for line in history if "crash" in line and "process" not in line]
    single = [line for line in history if "crash" in line and "process" in line]
    unknown = [line for line in history if "op" in line and line["return"] is None]
    assert (len(whole), len(single)) == (said["crashes"], said["process_crashes"])
    assert len(unknown) == said["unknown"] >= said["process_crashes"]
    assert all("result" not in line for line in unknown)
    for line in history:
        if "op" in line and line["return"] is not None:
            assert not any(line["call"] < time < line["return"] for time in whole)


def test_a_timed_run_ends_on_time(program, tmp_path):
    log = tmp_path / "history.jsonl"
    said = drive(program, log, "--seconds", 0.05, "--crashes", 2)
    assert 0.04 < said["seconds"] < 5
    assert len([line for line in lines(log) if "op" in line]) == said["operations"] > 0


def test_the_log_goes_to_standard_output(program):
    done = subprocess.run([program, "--log", "-", "--operations", "5"], capture_output=True, text=True, check=True)
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 15


def test_nothing_is_written_without_a_log(program):
    done = subprocess.run([program, "--operations", "5"], capture_output=True, text=True, check=True)
    assert not done.stdout
    assert json.loads(done.stderr)["operations"] == 15


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--threads", "0"], "--threads is 0; it takes a number from 1 to 200"),
        (["--threads", "2x"], "--threads is 2x"),
        (["--reads", "nan"], "--reads is nan"),
        (["--bug", "typo"], "--bug is typo; it takes one of none, dirty-bit, lost-update"),
        (["--words", "5"], "--words is more than --addresses"),
        (["--bug", "lost-update"], "--bug lost-update is a bug of --algorithm mwswap"),
        (["--bug", "dirty-bit", "--algorithm", "mwswap"], "--bug dirty-bit is a bug of --algorithm mwcas"),
        (["--speed", "3"], "unknown option --speed"),
        (["--log"], "--log is unknown or lacks its value"),
    ],
)
def test_usage_errors(program, options, complaint):
    done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"driver: {complaint}")


def test_an_unwritable_log_is_an_error(program, tmp_path):
    done = subprocess.run([program, "--log", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "cannot write" in done.stderr


def test_help_names_every_option(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    names = set(re.findall(r'name == "(--[a-z-]+)"', (FOLDER / "options.hpp").read_text()))
    assert len(names) > 15
    assert not [name for name in names if name not in text]


@pytest.mark.usefixtures("program")
def test_the_runner_matches_its_header(tmp_path):
    header = re.search(
        r"^# Run: python (run\.py) (.+)\n# Exit code: (\d)", (FOLDER / "run.py").read_text(), re.MULTILINE
    )
    done = run_shell(f"python {FOLDER / header[1]} {header[2]}", tmp_path)
    assert done.returncode == int(header[3]), done.stdout


def test_the_overview_names_the_example():
    assert "`persistent_mwcas/`" in (ROOT / "examples" / "README.md").read_text()


def test_the_page_names_every_file():
    page = (FOLDER / "README.md").read_text()
    assert not [path.name for path in FOLDER.glob("*.?pp") if f"`{path.name}`" not in page]
