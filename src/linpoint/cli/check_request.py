# SPDX-License-Identifier: Apache-2.0
"""The request of a check, its explanation and its replay token, for complete files and for growing ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.checkers.check import check_with_progress
from linpoint.cli.output import standard_streams
from linpoint.cli.output.file_reports import FileReport
from linpoint.executors.thread_executor import peak_memory
from linpoint.explain.history.explain_verdict import EXPLANATION_S, explain, explanation_without_reasons
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.json_values import operation_dict
from linpoint.histories.history import History
from linpoint.limits.deadlines import deadline
from linpoint.limits.process_guard import LimitReachedError
from linpoint.options.commands.check import NO_VALUE, CheckOptions
from linpoint.specs.initial_values.memory_words import words_before
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.text.shell_commands import check_argv
from linpoint.verdicts import Budget, KeyVerdict, Precedence, Statistics, Status, Verdict, replay_token
from linpoint.verdicts.token_trust import allow_arguments

_MAX_TOKEN_OPERATIONS: Final = 100


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The options of a check, with the loaded spec and the running budget."""

    options: CheckOptions
    spec: Spec
    budget: Budget
    initial: Any = NO_VALUE
    """The initial value for tokens, if one is given or derived."""


def load_spec(text: str, initial: Any = NO_VALUE) -> Spec:
    """Load a spec with its initial value. The spec may be code of the user, so stdout is protected from its output."""
    standard_streams.keep_stdout()
    return find(text) if initial is NO_VALUE else find(text, initial=initial)


def explain_within_budget(verdict: Verdict, budget: Budget, seconds: float = EXPLANATION_S) -> Explanation | None:
    """Explain a verdict within the rest of the budget; None if the explanation does not finish in time."""
    left = budget.remaining()
    if left is None:
        try:
            with deadline(budget):
                return explain(verdict, seconds=seconds)
        except LimitReachedError:
            return None
    # ``seconds`` limits only minimising. In long histories the other steps take time as well, so minimising gets a part
    # of the remaining time. A violation found at the last moment may use the grace period.
    within = left + budget.grace
    try:
        with deadline(budget, grace=budget.grace):
            return explain(verdict, seconds=min(seconds, max(within / 2, within - 1)))
    except LimitReachedError:
        return None


def unknown_report(file: str, request: CheckRequest, why: str) -> FileReport:
    """The report on a file without a verdict: unknown, with the reason."""
    empty = History([], source=file, clock_skew=request.options.skew)
    key = KeyVerdict(None, Status.UNKNOWN, request.options.checker, why, ())
    condition = request.options.condition or "linearizable"
    statistics = Statistics(peak_memory_bytes=peak_memory())
    verdict = Verdict(Status.UNKNOWN, empty, request.spec, condition, request.options.checker, why, (key,), statistics)
    return FileReport(file, explanation_without_reasons(verdict))


def _first_value(explanation: Explanation, request: CheckRequest) -> tuple[Any] | None:
    """The initial value with which the operations of a contradiction show the same contradiction by themselves.

    They are a violation with any initial value, but perhaps a different one: operations outside the contradiction may
    have written the values that they observed.
    """
    verdict, found = explanation.verdict, explanation.precedence
    assert found is not None
    core = explanation.core
    first = words_before(verdict.spec, [verdict.history.operations[position] for position in core])
    if first is None:
        return None
    spec = load_spec(request.options.spec, first[0])
    again, _ = check_with_progress(
        verdict.history.select(core), spec, checker="graph", condition=verdict.condition, jobs=1
    )
    shown = again.refutation
    same = isinstance(shown, Precedence) and (shown.reason, [core[place] for place in shown.failed])
    return first if same == (found.reason, list(found.failed)) else None


def replay_argv(file: str, explanation: Explanation, request: CheckRequest) -> tuple[str, ...]:
    """The arguments that reproduce a violation: a token with its operations if they are few, else a check of the file.

    A violation that there was no time to minimise is reproduced from its file.
    """
    if explanation.verdict.status is not Status.VIOLATION:
        return ()
    from_file = check_argv(file, request.options.argv())
    history = explanation.verdict.history
    # The paper's rules may give a different verdict on a subset of the operations.
    # The order of the file decides the order of two operations of a process at the same instant.
    core = range(len(history)) if request.options.paper_rules else sorted(explanation.core)
    if len(core) > _MAX_TOKEN_OPERATIONS and file != "-":
        return from_file
    content: dict[str, Any] = {
        "kind": "check",
        "spec": request.options.spec,
        "condition": explanation.verdict.condition,
        "operations": [operation_dict(history, position) for position in core],
        "crashes": [
            {"crash": True, "time": crash.time} | ({} if crash.process is None else {"process": crash.process})
            for crash in history.crashes
        ],
    }
    if request.initial is not NO_VALUE:
        content["initial"] = request.initial
    if explanation.precedence is not None and not request.options.paper_rules:
        first = _first_value(explanation, request)
        if first is None:
            return from_file
        content["initial"] = first[0]
    if request.options.paper_rules:
        content["paper_rules"] = True
    if history.clock_skew:
        content["clock_skew"] = history.clock_skew
    try:
        return ("replay", replay_token.encode(content), *allow_arguments(content))
    except UnicodeEncodeError:  # the path of the user's spec is not UTF-8
        return from_file
