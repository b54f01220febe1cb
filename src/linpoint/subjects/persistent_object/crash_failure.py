# SPDX-License-Identifier: Apache-2.0
"""Failures of a persistent object for the campaign: of a crash, or of a workload that fails without one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from linpoint.crash.crash_plan import CrashState
from linpoint.crash.crash_run import CrashRun
from linpoint.crash.root_causes import RootCause
from linpoint.hosts.crash_messages import CrashViolation
from linpoint.subjects.interface import Failure
from linpoint.subjects.persistent_object.crash_free_failures import crash_free_kind
from linpoint.subjects.persistent_object.crash_token import state_of
from linpoint.subjects.persistent_object.workload_shrinking import UnchangedWorkload

DURABILITY: Final = "durability"
"""The kind of finding of a crash that the object does not survive."""


@dataclass(frozen=True, slots=True)
class ShownCrash:
    """A failing run."""

    run: CrashRun
    violation: CrashViolation | None
    """None if the workload fails without a crash."""
    cause: RootCause | None = None
    """The root cause, once the violations are grouped."""


def failures_of(run: CrashRun) -> Iterator[Failure]:
    """The violations of a run that a pristine process has confirmed."""
    return (crash_failure(run, each) for _, each in run.reply.violations if each.confirmed)


def crash_failure(run: CrashRun, violation: CrashViolation, cause: RootCause | None = None) -> Failure:
    """The failure of a crash that the object does not survive."""
    return Failure(DURABILITY, run.plan, (), 0, ShownCrash(run, violation, cause), message=violation.message)


def crash_free_failure(run: CrashRun) -> Failure | None:
    """The failure of a workload without a crash; None if it does not fail."""
    kind = crash_free_kind(run)
    return Failure(kind, run.plan, (), 0, ShownCrash(run, None), run.wrong) if kind else None


def with_healed(candidate: UnchangedWorkload) -> Failure:
    """The failure as it was found, with the stores of the other causes healed."""
    shown: ShownCrash = candidate.failure.run
    run = replace(shown.run, plan=replace(shown.run.plan, healed=candidate.healed))
    return replace(candidate.failure, case=run.plan, run=replace(shown, run=run))


def crash_state_of(failure: Failure) -> CrashState | None:
    """The crash state of a failure from a token or a search; None if there is no crash."""
    if not isinstance(failure.run, ShownCrash):
        state: CrashState | None = failure.run
        return state
    violation = failure.run.violation
    return None if violation is None else state_of(violation, violation.dl3)
