# SPDX-License-Identifier: Apache-2.0
"""``linpoint replay``: reproduces a finding from its replay token."""

from __future__ import annotations

from typing import Any

import msgspec

from linpoint.campaign.worker_protocol import TestRequest, recheck_request
from linpoint.cli.check_request import CheckRequest, load_spec
from linpoint.cli.commands.check import check_one_history
from linpoint.cli.output.file_reports import document
from linpoint.cli.output.terminal import print_json, print_text, progress
from linpoint.cli.token_check import refuse_foreign_token
from linpoint.errors import HistoryError, UsageError
from linpoint.histories.history import History
from linpoint.histories.history_builder import history as build
from linpoint.options.commands.check import NO_VALUE, CheckOptions
from linpoint.options.commands.replay import ReplayOptions
from linpoint.options.commands.shared_options import DEFAULT_BUDGET
from linpoint.options.commands.test import TestOptions
from linpoint.options.schema import Surface
from linpoint.options.token_fields import options_from_token
from linpoint.verdicts import Budget, replay_token


class CheckFinding(msgspec.Struct):
    """The content of a token of ``check``. The types of the options check the options in it."""

    spec: str
    condition: str
    operations: list[dict[str, Any]]
    crashes: list[dict[str, Any]]
    initial: Any = NO_VALUE
    clock_skew: int | float = 0


def run(options: ReplayOptions) -> int:
    """Replay the finding; return the exit code of the new verdict."""
    as_json = options.json
    content = replay_token.decode(options.token)
    refuse_foreign_token(content, options.allow)
    if content["kind"] in ("test", "stress"):
        return _replay_test(content, as_json=as_json)
    if content["kind"] == "stress-cpp":
        from linpoint.cli.targets.cpp_stress_targets import replay_stress_cpp  # noqa: PLC0415 - only what the token needs is imported

        return replay_stress_cpp(content, as_json=as_json)
    if content["kind"] == "explore":
        from linpoint.cli.commands.explore import replay_program  # noqa: PLC0415 - only what the token needs is imported

        return replay_program(content, as_json=as_json)
    if content["kind"] == "explore-cpp":
        from linpoint.cli.commands.explore_cpp import replay_cpp_program  # noqa: PLC0415 - as above

        return replay_cpp_program(content, as_json=as_json)
    if content["kind"] == "test-cpp":
        from linpoint.cli.targets.cpp_test_targets import replay_cpp_test  # noqa: PLC0415 - as above

        return replay_cpp_test(content, as_json=as_json)
    if content["kind"] == "refine":
        from linpoint.cli.targets.model_targets import replay_model  # noqa: PLC0415 - as above

        return replay_model(content, as_json=as_json)
    if content["kind"] == "crash":
        from linpoint.cli.targets.crash_targets import replay_crash_finding  # noqa: PLC0415 - as above

        return replay_crash_finding(content, as_json=as_json)
    finding, history = read_check_token(content)
    checked = options_from_token(CheckOptions, content)
    if checked.paper_rules:
        checked = checked.with_values(Surface.TOKEN, checker="graph")
    spec = load_spec(checked.spec, finding.initial)
    request = CheckRequest(checked, spec, Budget(), finding.initial)
    with progress() as line:
        report, _ = check_one_history("replay", history, request, line)
    if as_json:
        print_json(document(report))
    elif report.explanation is not None:
        print_text(report.explanation.text)
    return report.code


def _replay_test(content: dict[str, Any], *, as_json: bool) -> int:
    """Replay the schedule of a finding, with the file of the test in the same place as before."""
    from linpoint.campaign.worker_client import run_in_worker  # noqa: PLC0415 - only tokens of tests need it
    from linpoint.cli.output.output_formats import OutputFormats, write_report  # noqa: PLC0415 - as above
    from linpoint.cli.output.target_report import ReportList, told_of  # noqa: PLC0415 - as above

    request = recheck_request(content) if content["kind"] == "stress" else _scheduled(content)
    limits = Budget.starting_now(DEFAULT_BUDGET, None)
    outcome = run_in_worker(request, limits)
    answer = ReportList([told_of(request, outcome)])
    return write_report(answer, OutputFormats(json=as_json), limits, interrupted=outcome.interrupted)


def _scheduled(content: dict[str, Any]) -> TestRequest:
    """The request for a worker that replays the schedule of a token."""
    from linpoint.subjects.python_object.code_identity import replayed_finding  # noqa: PLC0415 - as above

    found = replayed_finding(content)
    if not found.file:
        raise UsageError(
            "LP-U004",
            "the token belongs to a test that only your own code can create.",
            remedy="Pass it to the call that created it: linpoint.test(..., replay=TOKEN).",
        )
    return TestRequest(
        file=found.file,
        test=found.test,
        options=options_from_token(TestOptions, content).as_json(),
        scenario=found.scenario,
        schedule=found.schedule,
        finding=found.finding,
        code=found.code,
    )


def read_check_token(content: dict[str, Any]) -> tuple[CheckFinding, History]:
    """Read the finding in a token and its history. The whole content is validated before any of it is used."""
    if content["kind"] != "check":
        raise UsageError(
            "LP-U004", f"this version cannot replay tokens of kind {content['kind']!r}.", remedy="Use a newer linpoint."
        )
    try:
        finding = msgspec.convert(content, CheckFinding)
        return finding, build([*finding.operations, *finding.crashes]).with_clock_skew(finding.clock_skew)
    except msgspec.ValidationError as error:
        fact = str(error)
    except (UsageError, HistoryError) as error:
        fact = error.message.rstrip(".")
    raise replay_token.not_a_finding(fact)
