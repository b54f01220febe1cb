# SPDX-License-Identifier: Apache-2.0
"""Explanations of verdicts: minimal, as data and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linpoint.explain.explanation import Explanation
from linpoint.explain.graphs import PrecedenceGraph
from linpoint.verdicts.durability import CrashResult, register_crash_explainer
from linpoint.verdicts.finding import TestResult, register_result_explainer
from linpoint.verdicts.model import ModelResult, register_model_explainer
from linpoint.verdicts.verdict import Verdict, register_explainer

if TYPE_CHECKING:
    from linpoint.explain.crashes import CrashText
    from linpoint.explain.findings import ResultText
    from linpoint.explain.models import ModelText

__all__ = [
    "Explanation",
    "PrecedenceGraph",
    "explain",
    "explain_crash",
    "explain_model",
    "explain_result",
    "precedence_graph",
]


def explain(verdict: Verdict) -> Explanation:
    """Explain a verdict: what conspires, in words, and how to see it again."""
    from linpoint.explain import explaining  # noqa: PLC0415 - only who asks why is to wait for it

    return explaining.explain(verdict)


def precedence_graph(verdict: Verdict) -> PrecedenceGraph:
    """The precedence graph of a verdict's history, pruned to what matters."""
    from linpoint.explain.graphs import choosing  # noqa: PLC0415 - only who draws is to wait for it

    return choosing.precedence_graph(verdict)


def explain_result(result: TestResult) -> ResultText:
    """Explain the result of a test."""
    from linpoint.explain import findings  # noqa: PLC0415 - as above

    return findings.explain_result(result)


def explain_model(result: ModelResult) -> ModelText:
    """Explain the result for a model."""
    from linpoint.explain import models  # noqa: PLC0415 - as above

    return models.explain_model(result)


def explain_crash(result: CrashResult) -> CrashText:
    """Explain the result of testing crashes."""
    from linpoint.explain import crashes  # noqa: PLC0415 - as above

    return crashes.explain_crash(result)


register_explainer(explain, precedence_graph)
register_result_explainer(explain_result)
register_model_explainer(explain_model)
register_crash_explainer(explain_crash)
