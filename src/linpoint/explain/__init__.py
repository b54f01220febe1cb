# SPDX-License-Identifier: Apache-2.0
"""Explanations of verdicts: minimal, as data and in words."""

from linpoint.explain.explaining import explain
from linpoint.explain.explanation import Explanation
from linpoint.explain.graphs import PrecedenceGraph, precedence_graph
from linpoint.verdicts.verdict import register_explainer

__all__ = ["Explanation", "PrecedenceGraph", "explain", "precedence_graph"]

register_explainer(explain, precedence_graph)
