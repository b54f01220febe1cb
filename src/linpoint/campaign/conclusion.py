# SPDX-License-Identifier: Apache-2.0
"""Builds the result of a campaign from the data of its session.

Guarantee: a violation has a finding that the session confirmed; a pass is the claim of a session without findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from linpoint.subjects.interface import NONDETERMINISM, Claim, Session
from linpoint.verdicts import Status
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result

_PASSES: Final = {"test": Status.LINEARIZABLE, "stress": Status.LINEARIZABLE}
"""The passing status of subjects whose histories are checked against a spec; others get HOLDS."""


def conclude(session: Session, findings: Sequence[Finding], *, replayed: bool = False) -> Claim:
    """The claim that these findings support, or the session's claim if there are none."""
    if not findings:
        return session.claim()
    repeated = any(finding.kind != NONDETERMINISM for finding in findings)
    status = Status.VIOLATION if repeated else Status.UNKNOWN
    return Claim(status, session.shown_by(findings, replayed=replayed))


def build_result(session: Session, claim: Claim, findings: Sequence[Finding]) -> Result:
    """Build the result of a claim and its findings."""
    first, others = tuple(findings[:1]), tuple(findings[1:])
    if claim.advice:
        first = tuple(replace(finding, advice=claim.advice) for finding in first)
    coverage = session.coverage(claim, findings)
    counts = {name: coverage.counts[name] + value for name, value in claim.counts.items()}
    status = _PASSES.get(session.kind, Status.HOLDS) if claim.status.passed else claim.status
    return Result(
        subject_kind=session.kind,
        name=session.name,
        file=session.file,
        status=status,
        why=claim.why,
        exhaustive=claim.exhaustive,
        findings=first + others,
        coverage=coverage.with_counts(**counts),
        models=claim.models or ({session.default_model: status} if session.default_model else {}),
        spec=session.spec_name,
        condition=session.condition,
        outcomes=session.output_counts(),
        advice=session.needless_instructions(),
        warnings=session.warnings(claim),
        remedy=claim.remedy,
        interrupted=session.interrupted,
        undecided=None if findings else session.undecided_run(),
    )
