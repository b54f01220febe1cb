# SPDX-License-Identifier: Apache-2.0
"""Explanations of verdicts: minimal, as data and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.graph import PrecedenceGraph
from linpoint.verdicts.durability import CrashResult, register_crash_explainer
from linpoint.verdicts.finding import TestResult, register_result_explainer
from linpoint.verdicts.model import ModelResult, register_model_explainer
from linpoint.verdicts.verdict import Verdict, register_explainer

if TYPE_CHECKING:
    from linpoint.explain.crash.crash_text import CrashText
    from linpoint.explain.model.model_text import ModelText
    from linpoint.explain.test.result_text import ResultText

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
    from linpoint.explain.history import explain_verdict  # noqa: PLC0415 - loaded when something is explained

    return explain_verdict.explain(verdict)


def precedence_graph(verdict: Verdict) -> PrecedenceGraph:
    """The precedence graph of a verdict's history, pruned to what matters."""
    from linpoint.explain.history.graph import graph_selection  # noqa: PLC0415 - loaded when something is explained

    return graph_selection.precedence_graph(verdict)


def explain_result(result: TestResult) -> ResultText:
    """Explain the result of a test."""
    from linpoint.explain.test import result_text  # noqa: PLC0415 - loaded when something is explained

    return result_text.explain_result(result)


def explain_model(result: ModelResult) -> ModelText:
    """Explain the result for a model."""
    from linpoint.explain.model import model_text  # noqa: PLC0415 - loaded when something is explained

    return model_text.explain_model(result)


def explain_crash(result: CrashResult) -> CrashText:
    """Explain the result of testing crashes."""
    from linpoint.explain.crash import crash_text  # noqa: PLC0415 - loaded when something is explained

    return crash_text.explain_crash(result)


register_explainer(explain, precedence_graph)
register_result_explainer(explain_result)
register_model_explainer(explain_model)
register_crash_explainer(explain_crash)
