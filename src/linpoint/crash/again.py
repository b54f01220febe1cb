# SPDX-License-Identifier: Apache-2.0
"""A finding again: its workload, crashed at the same moment with the same stores lost.

If the target has changed, the state may mean something else; then crashes of the same kind are tested anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from linpoint.crash.campaign import Campaign
from linpoint.crash.crash_run import CrashRun
from linpoint.crash.replaying import CrashContent, content_of
from linpoint.crash.root_causes import group_by_cause
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.subjects.persistent_object.crash_free_failures import finding_without_crash
from linpoint.subjects.persistent_object.finding_builder import CrashFindingBuilder
from linpoint.verdicts.durability import CrashFinding, CrashResult
from linpoint.verdicts.program import Answer

_TO_TELL: Final = 10.0
_CHANGED: Final = "the target has changed since the finding was made, so the crash state may mean something else"


def replay_crash(test: BuiltCrashTest, content: CrashContent, seconds: float) -> CrashResult:
    """Show a finding again. If it is not there any more, as after a fix, the result is HOLDS, and ``why`` says so."""
    campaign = Campaign(test, seconds)
    changed = bool(content.code) and content.code != test.target.digest
    warnings = (_CHANGED,) if changed else ()
    if content.state is None:
        run = campaign.runner.trace(content.plan, min(_TO_TELL, seconds))
    else:
        run = campaign.runner.state(content.plan, content.state.text(), min(_TO_TELL, seconds))
    campaign.add(run)
    if run.heard.interrupted:
        return campaign.answer(Answer.UNKNOWN, "it was interrupted", run, [])
    if not run.sound:
        found, why = finding_without_crash(run, test, campaign.runner, campaign.places(run), 0.0)
        if found is None:
            return _with(campaign.answer(Answer.UNKNOWN, why, run, []), warnings)
        found = replace(found, minimal=True)
        return _with(campaign.answer(Answer.VIOLATION, "it goes wrong without any crash", run, [found]), warnings)
    findings = _findings(campaign, run)
    if not findings and content.state is not None:
        kinds = [content.state.kind.lower()]
        more = campaign.runner.test(content.plan, kinds, min(_TO_TELL, campaign.left()), known=run.oracle)
        campaign.add(more)
        findings = _findings(campaign, more)
        warnings = (*warnings, "the crash state itself shows nothing wrong, but others of its kind do") * bool(findings)
    if findings:
        return _with(campaign.answer(Answer.VIOLATION, "a crash shows it", run, findings), warnings)
    given_up = run.heard.died
    if given_up:
        return _with(campaign.answer(Answer.UNKNOWN, given_up, run, []), warnings)
    return _with(campaign.answer(Answer.HOLDS, "this crash shows nothing wrong (any more)", run, []), warnings)


def _findings(campaign: Campaign, run: CrashRun) -> list[CrashFinding]:
    if run.oracle is None:
        return []
    places = campaign.places(run)
    return [
        CrashFindingBuilder(run.oracle, places).finding(
            cause.shown,
            classes=cause.classes,
            count=max(1, cause.count),
            replay=content_of(campaign.test, run.plan, cause.shown),
        )
        for cause in group_by_cause([(run, places)])
    ]


def _with(result: CrashResult, warnings: tuple[str, ...]) -> CrashResult:
    return replace(result, warnings=(*warnings, *result.warnings))
