# SPDX-License-Identifier: Apache-2.0
"""The relevant part of a history's precedence graph as data, DOT and SVG."""

from linpoint.explain.history.graph.precedence_graph import Edge, PrecedenceGraph, Vertex

__all__ = ["Edge", "PrecedenceGraph", "Vertex"]
