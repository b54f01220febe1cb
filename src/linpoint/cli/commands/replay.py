# SPDX-License-Identifier: Apache-2.0
"""``linpoint replay``: a finding again, from its token."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import msgspec
import typer

from linpoint.campaign.worker_protocol import TestRequest
from linpoint.checkers.conditions import validate as validate_condition
from linpoint.cli import options
from linpoint.cli.check_request import CheckRequest
from linpoint.cli.commands.check import check_one_history
from linpoint.cli.output.terminal import print_json, print_text, progress
from linpoint.cli.reports import document
from linpoint.errors import HistoryError, UsageError
from linpoint.histories.history import History
from linpoint.histories.history_builder import history as build
from linpoint.verdicts import Budget, replay_token


class _Finding(msgspec.Struct):
    """The content of a token of ``check``."""

    spec: str
    condition: str
    operations: list[dict[str, Any]]
    crashes: list[dict[str, Any]]
    initial: Any = options.NO_VALUE
    clock_skew: int | float = 0
    paper_rules: bool = False


def replay(
    token: Annotated[str, typer.Argument(help="The word that a finding gave after `linpoint replay`.")],
    *,
    json: options.JsonOption = False,
) -> None:
    """Show a finding again from its token.

    A token of `check` holds the operations of the finding; nothing else is needed, except for your own spec if you used
    one. A token of `test` holds the scenario and its schedule, one of `explore` the schedule, one of `refine` the run of
    the model, one of `crash` the workload and the crash state; they need your code again: from the same folder, with the file where it was.
    """
    content = replay_token.decode(token)
    if content["kind"] in ("test", "stress"):
        raise typer.Exit(_replay_test(content, as_json=json))
    if content["kind"] == "stress-cpp":
        from linpoint.cli.stress_cpp import replay_stress_cpp  # noqa: PLC0415 - only who replays one waits for it

        raise typer.Exit(replay_stress_cpp(content, as_json=json))
    if content["kind"] == "explore":
        from linpoint.cli.commands.explore import replay_program  # noqa: PLC0415 - only who replays one waits for it

        raise typer.Exit(replay_program(content, as_json=json))
    if content["kind"] == "explore-cpp":
        from linpoint.cli.commands.explore_cpp import replay_cpp_program  # noqa: PLC0415 - as above

        raise typer.Exit(replay_cpp_program(content, as_json=json))
    if content["kind"] == "test-cpp":
        from linpoint.cli.test_cpp import replay_cpp_test  # noqa: PLC0415 - as above

        raise typer.Exit(replay_cpp_test(content, as_json=json))
    if content["kind"] == "refine":
        from linpoint.cli.refine_work import replay_model  # noqa: PLC0415 - as above

        raise typer.Exit(replay_model(content, as_json=json))
    if content["kind"] == "crash":
        from linpoint.cli.crash_work import replay_crash_finding  # noqa: PLC0415 - as above

        raise typer.Exit(replay_crash_finding(content, as_json=json))
    finding, history = _read(content)
    spec = options.find_spec(finding.spec, finding.initial)
    checker = "graph" if finding.paper_rules else "auto"
    request = CheckRequest(spec, finding.spec, finding.initial, checker, finding.condition, Budget(), None)
    request = dataclasses.replace(request, paper_rules=finding.paper_rules)
    with progress() as line:
        report, _ = check_one_history("replay", history, request, line)
    if json:
        print_json(document(report))
    elif report.explanation is not None:
        print_text(report.explanation.text)
    raise typer.Exit(report.code)


def _replay_test(content: dict[str, Any], *, as_json: bool) -> int:
    """Run the schedule of a finding again; it needs the file of the test where it was."""
    from linpoint.campaign.worker_client import run_in_worker  # noqa: PLC0415 - only who replays a test waits for it
    from linpoint.cli.output.output_formats import OutputFormats, write_report  # noqa: PLC0415 - as above
    from linpoint.cli.output.target_report import ReportList, told_of  # noqa: PLC0415 - as above

    request = stressed(content) if content["kind"] == "stress" else _scheduled(content)
    limits = Budget.starting_now(options.DEFAULT_BUDGET, None)
    outcome = run_in_worker(request, limits)
    answer = ReportList([told_of(request, outcome)])
    return write_report(answer, OutputFormats(json=as_json), limits, interrupted=outcome.interrupted)


class _StressFinding(msgspec.Struct):
    """The content of a token of ``test --stress``."""

    file: str
    test: str
    finding: str
    operations: list[dict[str, Any]]
    spec: str | None = None


def stressed(content: dict[str, Any]) -> TestRequest:
    """What a worker is to check again."""
    try:
        found = msgspec.convert(content, _StressFinding)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
    return TestRequest(
        "recheck", found.file, found.test, spec=found.spec, finding=found.finding, history=found.operations
    )


def _scheduled(content: dict[str, Any]) -> TestRequest:
    """What a worker is to run again."""
    from linpoint.subjects.python_object.code_identity import replayed_finding  # noqa: PLC0415 - as above

    found = replayed_finding(content)
    if not found.file:
        raise UsageError(
            "LP-U004",
            "the token is of a test that only your own code can make.",
            remedy="Give it to the call that made it: linpoint.test(..., replay=TOKEN).",
        )
    return TestRequest(
        "replay",
        found.file,
        found.test,
        spec=found.spec,
        scenario=found.scenario,
        schedule=found.schedule,
        finding=found.finding,
        code=found.code,
        granularity=found.granularity,
        backend=found.backend,
    )


def _read(content: dict[str, Any]) -> tuple[_Finding, History]:
    """The finding in a token and its history; everything is looked at before anything of it is used."""
    if content["kind"] != "check":
        raise UsageError(
            "LP-U004", f"this version cannot replay a {content['kind']!r}.", remedy="Use a newer linpoint."
        )
    try:
        finding = msgspec.convert(content, _Finding)
        validate_condition(finding.condition)
        return finding, build([*finding.operations, *finding.crashes]).with_clock_skew(finding.clock_skew)
    except msgspec.ValidationError as error:
        fact = str(error)
    except (UsageError, HistoryError) as error:
        fact = error.message.rstrip(".")
    raise replay_token.not_a_finding(fact)
