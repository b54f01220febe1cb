# SPDX-License-Identifier: Apache-2.0
"""The options classes of all commands."""

from __future__ import annotations

from linpoint.options.commands.check import CheckOptions
from linpoint.options.commands.convert import ConvertOptions
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.explore import ExploreOptions
from linpoint.options.commands.refine import RefineOptions
from linpoint.options.commands.replay import ReplayOptions
from linpoint.options.commands.report import ReportOptions
from linpoint.options.commands.specs import DemoOptions, SpecsOptions
from linpoint.options.commands.test import TestOptions
from linpoint.options.options_base import Options


def options_classes() -> dict[str, type[Options]]:
    """The options classes by the name of the command."""
    return {
        "check": CheckOptions,
        "convert": ConvertOptions,
        "test": TestOptions,
        "explore": ExploreOptions,
        "refine": RefineOptions,
        "crash": CrashOptions,
        "specs": SpecsOptions,
        "demo": DemoOptions,
        "replay": ReplayOptions,
        "report": ReportOptions,
    }
