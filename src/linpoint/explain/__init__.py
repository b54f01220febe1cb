# SPDX-License-Identifier: Apache-2.0
"""Explanations of verdicts: minimal, as data and in words."""

from linpoint.explain.explaining import explain
from linpoint.explain.explanation import Explanation
from linpoint.explain.graphs import PrecedenceGraph
from linpoint.verdicts.verdict import Verdict, register_explainer

__all__ = ["Explanation", "PrecedenceGraph", "explain", "precedence_graph"]


def precedence_graph(verdict: Verdict) -> PrecedenceGraph:
    """The precedence graph of a verdict's history, pruned to what matters."""
    from linpoint.explain.graphs import choosing  # noqa: PLC0415 - only who draws is to wait for it

    return choosing.precedence_graph(verdict)


register_explainer(explain, precedence_graph)
