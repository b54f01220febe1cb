# SPDX-License-Identifier: Apache-2.0
"""Targets that Ctrl-C prevented from starting have an entry in the report, but no error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from linpoint.campaign.several_targets import CampaignTarget
from linpoint.cli.output.target_report import ReportEntry
from linpoint.cli.output.terminal import ProgressLine
from linpoint.cli.targets.cpp_stress_targets import CppStressTarget
from linpoint.cli.targets.cpp_test_targets import CppTestTarget
from linpoint.cli.targets.crash_targets import CrashTarget
from linpoint.cli.targets.model_targets import ModelTarget
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.refine import RefineOptions
from linpoint.options.commands.test import TestOptions
from linpoint.refine.dsl import Model
from linpoint.verdicts import Budget

LINE = ProgressLine()
BUILT: Any = SimpleNamespace(program=SimpleNamespace(file="a.cpp"), file="a.cpp", name="First")


@pytest.mark.parametrize(
    "target",
    [
        CppTestTarget(BUILT, TestOptions(), LINE),
        CppStressTarget(BUILT, LINE),
        CrashTarget(BUILT, CrashOptions(), LINE),
        ModelTarget("a.cpp", "First", Model, RefineOptions(), Budget(), LINE),
    ],
    ids=lambda target: type(target).__name__,
)
def test_a_skipped_target_is_unknown(target: CampaignTarget[ReportEntry]) -> None:
    entry = target.skipped()
    assert (entry.file, entry.test, entry.error) == ("a.cpp", "First", None)
    assert entry.answer.status == "unknown"
    assert "interrupted" in entry.sentence
