# SPDX-License-Identifier: Apache-2.0
"""Traces for people: the selection of steps, their wording, and their layout as text and HTML."""

from linpoint.explain.trace.trace_text import run_text, trace_text

__all__ = ["run_text", "trace_text"]
