# SPDX-License-Identifier: Apache-2.0
"""Traces to look at: which steps matter, in words, in columns of text."""

from linpoint.explain.trace.trace_text import run_text, trace_text

__all__ = ["run_text", "trace_text"]
