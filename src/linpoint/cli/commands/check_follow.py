# SPDX-License-Identifier: Apache-2.0
"""``linpoint check --follow``: checks a log while it grows.

Guarantee: a violation is reported within a second of the line that completes it, unless deciding it takes longer. A
pass covers every line. If the command is stopped early, the verdict is unknown and states which operations fit the
spec.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from dataclasses import dataclass
from typing import Any, Final

from linpoint.checkers.online.online_checker import OnlineCheckAbandonedError, OnlineChecker
from linpoint.cli.check_request import CheckRequest, explain_within_budget, load_spec, replay_argv
from linpoint.cli.output.file_reports import FileReport
from linpoint.cli.output.terminal import ProgressLine, print_error, progress
from linpoint.errors import LinpointError, SpecError, UsageError
from linpoint.executors.thread_executor import resident_memory
from linpoint.explain.history.explain_verdict import explanation_without_reasons
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import explanation_text
from linpoint.histories.formats.event_values import works_on_words
from linpoint.histories.formats.file_format import cannot_follow
from linpoint.histories.operation import Outcome
from linpoint.histories.streams.event_stream import LogStream
from linpoint.histories.streams.tail_reader import TailReader
from linpoint.histories.values import canonical, thaw
from linpoint.limits.budget import seconds as parse_seconds
from linpoint.limits.deadlines import deadline, uninterrupted
from linpoint.limits.process_guard import LimitReachedError
from linpoint.specs.spec import Spec
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status, Verdict

_DECISION_INTERVAL_S: Final = 0.2
"""Seconds between two decisions, if there are new operations."""
_MAX_WAITING_OPERATIONS: Final = 4000
"""Number of new operations after which the next decision does not wait for the interval."""
_MISSING_WATERMARK_S: Final = 5.0
"""Seconds without a watermark after which operation lines cause a warning."""
_MAX_LISTED_OBJECTS: Final = 10_000
_EXPLANATION_S: Final = 0.3
"""Seconds for finding the conflicting operations: the user is waiting for the violation."""
_UNMINIMISED_OPERATIONS: Final = 48
"""Number of operations that are explained without minimising them."""

_OF_SHOWN_OPERATIONS: Final = ("by-themselves", "irreducible", "needed", "legal-order", "cannot-follow", "reason")
"""Claims that depend only on the operations in the explanation."""

_NO_WATERMARK: Final = (
    'operation lines without watermarks are decided only at the end: write {"watermark": t} from time to time, '
    "when every operation called before t has its line"
)


@dataclass(slots=True)
class _State:
    """The progress of following one file."""

    follower: OnlineChecker
    log: LogStream
    decided_lines: int = 0
    most_held: int = 0
    ended: str = ""
    warnings: tuple[str, ...] = ()
    line: int | None = None
    """The line that completes the violation."""

    def as_dict(self) -> dict[str, Any]:
        """The coverage, for JSON."""
        follower = self.follower
        covered = {"lines": self.log.lines, "operations": follower.operations, "decided": follower.decided}
        covered |= {"unknown": follower.lost_operations, "open": follower.open_calls, "most_kept": self.most_held}
        return covered | {"ended": self.ended, "line": self.line}


def follow_files(files: list[str], request: CheckRequest, until_idle: str | None) -> tuple[FileReport, dict[str, Any]]:
    """Follow one file; return its report and further fields of the JSON document.

    An empty ``until_idle`` means that ``--until-idle`` was given without ``--follow``.
    """
    _validate(files, request, until_idle)
    idle = parse_seconds(until_idle)
    file = files[0]
    with progress() as line:
        report, covered = _follow(file, request, idle, line)
    return report, {} if report.error else {"followed": covered.as_dict()}


def _validate(files: list[str], request: CheckRequest, until_idle: str | None) -> None:
    if until_idle == "":
        raise UsageError("LP-U001", "--until-idle requires --follow.", remedy="Add --follow, or omit --until-idle.")
    if len(files) != 1:
        raise UsageError(
            "LP-U001", f"--follow requires one file, not {len(files)}.", remedy="Follow each file separately."
        )
    if request.options.condition not in (None, "linearizable"):
        message = f"the condition {request.options.condition} requires the finished file."
        raise cannot_follow(message, None, "Check the finished file, or omit --condition.")
    if request.options.checker not in ("auto", "linear"):
        message = f"the checker {request.options.checker} requires the finished file."
        raise cannot_follow(message, None, "Use --checker auto or --checker linear.")
    if request.options.skew:
        raise cannot_follow(
            "--clock-skew requires the finished file.", None, "Omit --clock-skew, or check the finished file."
        )


def _follow(file: str, request: CheckRequest, idle: float | None, line: ProgressLine) -> tuple[FileReport, _State]:
    follower = OnlineChecker(request.spec, source=file, checker=request.options.checker, jobs=request.options.jobs)
    words = works_on_words(request.spec.steps)
    log = LogStream(follower, source=file, format=request.options.format, keyed=request.options.is_keyed, words=words)
    state = _State(follower, log)
    verdict: Verdict | None = None
    why = ""
    try:
        with deadline(request.budget, grace=request.budget.grace), TailReader(file) as tail:
            verdict = _loop(tail, state, request, idle, line)
            why = state.ended
    except KeyboardInterrupt:
        why = "the run was interrupted"
    except LimitReachedError as reached:
        why = reached.why
    except OnlineCheckAbandonedError as error:
        why = str(error)
    except LinpointError as error:
        return FileReport(file, error=error), state
    state.ended = why
    if verdict is not None:
        return _violation(file, verdict, request, state, line), state
    with uninterrupted():
        return FileReport(file, _passed(request.spec, state)), state


_END: Final = "the end of the input"


def _loop(
    tail: TailReader, state: _State, request: CheckRequest, idle: float | None, line: ProgressLine
) -> Verdict | None:
    """Alternate between reading and deciding until a violation or the end; ``state.ended`` describes the end."""
    follower, log = state.follower, state.log
    began = last_line = time.monotonic()
    not_before = ready = 0.0
    while True:
        now = time.monotonic()
        if request.budget.remaining() == 0.0:
            state.ended = "the time budget ran out"
            return None
        lines = tail.lines(max(0.0, min(_DECISION_INTERVAL_S, ready - now)) or _DECISION_INTERVAL_S)
        try:
            log.feed(lines)
        except LinpointError:  # the lines before the bad line still count
            verdict = _decide(state, request)
            if verdict is None:
                raise
            return verdict
        now = time.monotonic()
        last_line = now if lines else last_line
        if tail.ended or (idle is not None and now - last_line >= idle):
            log.feed(tail.rest())
            log.end()
            state.ended = _END if tail.ended else f"{idle:g} s without a new line"
            return _decide(state, request, last=True)
        _warn(state, now - began)
        new = follower.operations - follower.decided
        if new and now >= not_before and (now >= ready or new >= _MAX_WAITING_OPERATIONS):
            verdict = _decide(state, request)
            spent = time.monotonic() - now
            not_before = time.monotonic() + spent
            ready = max(not_before, time.monotonic() + _DECISION_INTERVAL_S)
            if verdict is not None or state.ended:
                return verdict
        elif not new:
            ready = now + _DECISION_INTERVAL_S if lines else ready
        rate = follower.operations / max(0.001, now - began)
        line(
            f"following {tail.path}: {follower.operations:,} operations ({rate:,.0f}/s), "
            f"{follower.open_calls:,} open, at most {state.most_held:,} operations and states in memory"
        )


def _decide(state: _State, request: CheckRequest, *, last: bool = False) -> Verdict | None:
    follower, lines = state.follower, state.log.lines
    if follower.objects <= _MAX_LISTED_OBJECTS:
        state.most_held = max(state.most_held, follower.held())
    verdict = follower.decide(request.budget, last=last)
    if follower.interrupted:
        raise KeyboardInterrupt
    if verdict is None and last and follower.undecided:
        state.ended = follower.undecided
    if not follower.undecided:
        state.decided_lines = lines
    limit = request.budget.max_memory
    if verdict is None and limit is not None and resident_memory() > limit:
        raise OnlineCheckAbandonedError("the memory budget ran out")
    return verdict


def _warn(state: _State, elapsed: float) -> None:
    if (
        not state.warnings
        and elapsed >= _MISSING_WATERMARK_S
        and state.log.unpromised
        and not state.follower.operations
    ):
        state.warnings = (_NO_WATERMARK,)
        print_error(f"warning: {_NO_WATERMARK}")


def _passed(spec: Spec, state: _State) -> Explanation:
    """The answer without a violation: a pass at the end of the log, else unknown with the part that fits the spec."""
    follower = state.follower
    whole = follower.decided == follower.operations and state.ended.startswith((_END, *"0123456789"))
    fine = f"{count_noun(follower.decided, 'operation')} fit the spec {spec.name}"
    left = f"{count_noun(follower.open_calls, 'call')} {'was' if follower.open_calls == 1 else 'were'} still open"
    if follower.lost_operations:
        left += f", and {count_noun(follower.lost_operations, 'outcome')} will remain unknown"
    if whole:
        why = f"followed until {state.ended}; {left}"
        sentence = f"LINEARIZABLE: {fine}, {why}."
    else:
        why = f"{state.ended}; the {fine} up to line {state.decided_lines:,}, and {left}"
        sentence = f"UNKNOWN: {why}."
    status = Status.LINEARIZABLE if whole else Status.UNKNOWN
    warnings = state.warnings
    if whole and not follower.operations:
        warnings = (*warnings, "no operation returned: nothing was tested")
    verdict = follower.verdict(status, why, warnings)
    checker, reason = follower.why()
    numbers = (
        f"{count_noun(state.log.lines, 'line')}, {verdict.statistics.seconds:.3f} s to decide, at most "
        f"{state.most_held:,} operations and states in memory; checked by {checker} ({reason})."
    )
    lines = [sentence, *(f"Warning: {warning}." for warning in warnings), "", numbers]
    return dataclasses.replace(explanation_without_reasons(verdict), text="\n".join(lines))


def _violation(file: str, verdict: Verdict, request: CheckRequest, state: _State, line: ProgressLine) -> FileReport:
    explanation: Explanation | None = None
    everything = verdict
    with contextlib.suppress(KeyboardInterrupt):  # ends the explanation; the violation stays a violation
        line(f"explaining {file}", at_once=True)
        if verdict.refutation is not None:
            verdict = everything = state.follower.first(verdict, seconds=_EXPLANATION_S)
            if len(verdict.history) > _UNMINIMISED_OPERATIONS:
                verdict = state.follower.narrowed(verdict, seconds=_EXPLANATION_S)
            explanation = explain_within_budget(verdict, request.budget, _EXPLANATION_S)
    with uninterrupted():
        explanation = explanation_without_reasons(verdict) if explanation is None else explanation
        explanation = _honest(explanation, whole=verdict is everything and not state.follower.forgot)
        core = [verdict.history.operations[position] for position in explanation.core]
        by_position = state.log.by_position
        ends = [op.return_ if by_position else op.line for op in core if op.outcome is Outcome.OK]
        state.line = max((int(end) for end in ends if end is not None), default=None)
        where = "" if state.line is None else f" The violation is complete with line {state.line:,}."
        operations = count_noun(state.follower.operations, "operation")
        covered = f"Followed {count_noun(state.log.lines, 'line')}, {operations}.{where}"
        state.ended = "a violation"
        explanation = dataclasses.replace(explanation, text=f"{explanation.text}\n{covered}")
        return FileReport(file, explanation, _shown_again(file, explanation, request))


def _honest(explanation: Explanation, *, whole: bool) -> Explanation:
    """Remove claims that hold only if the operations that were examined are all operations of the log."""
    if whole:
        return explanation
    culprit = explanation.culprit
    if culprit is not None:
        culprit = dataclasses.replace(culprit, allowed=(), complete=False, at_return=False)
    # A claim about all operations of the object was evaluated only on the remaining ones.
    claims = tuple(claim for claim in explanation.claims if claim.kind in _OF_SHOWN_OPERATIONS)
    explanation = dataclasses.replace(explanation, other_initial=None, culprit=culprit, claims=claims, causes=())
    return dataclasses.replace(explanation, text=explanation_text(explanation))


def _shown_again(file: str, explanation: Explanation, request: CheckRequest) -> tuple[str, ...]:
    """The arguments that reproduce the violation.

    Forgotten operations become the initial value where one expresses them.
    """
    from_file = ("check", file, *request.options.argv())
    if not explanation.core:
        return from_file
    spec, initial = explanation.verdict.spec, request.initial
    if spec is not request.spec and canonical(spec.initial) != canonical(request.spec.initial):
        initial = thaw(spec.initial)
        try:
            again = load_spec(request.options.spec, initial)
        except (SpecError, UsageError):
            return from_file
        if canonical(again.initial) != canonical(spec.initial):
            return from_file
    return replay_argv(file, explanation, dataclasses.replace(request, initial=initial))
