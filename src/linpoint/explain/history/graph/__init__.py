# SPDX-License-Identifier: Apache-2.0
"""The precedence graph of a history, pruned to what matters: as data, as DOT and as a picture."""

from linpoint.explain.history.graph.precedence_graph import Edge, PrecedenceGraph, Vertex

__all__ = ["Edge", "PrecedenceGraph", "Vertex"]
