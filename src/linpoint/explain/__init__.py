# SPDX-License-Identifier: Apache-2.0
"""Explanations of verdicts and results as text, JSON and HTML.

Importing this package registers the names of the renderers; their modules are imported at the first use.
"""

from __future__ import annotations

from typing import Final

from linpoint.verdicts.renderers import register_renderer

RENDERERS: Final = {
    ("history", "explanation"): "linpoint.explain.history.explain_verdict:explain",
    ("history", "graph"): "linpoint.explain.history.graph.graph_selection:precedence_graph",
    ("history", "text"): "linpoint.explain.history.history_text:explanation_text",
    ("history", "json"): "linpoint.explain.history.history_document:explanation_document",
    ("history", "html"): "linpoint.explain.history.history_page:history_page",
    ("test", "text"): "linpoint.explain.test.result_text:result_text",
    ("test", "json"): "linpoint.explain.test.result_document:test_document",
    ("test", "html"): "linpoint.explain.test.result_page:result_page",
    ("program", "text"): "linpoint.explain.test.program_text:program_text",
    ("program", "json"): "linpoint.explain.test.result_document:program_document",
    ("stress", "text"): "linpoint.explain.test.stress_text:stress_text",
    ("stress", "json"): "linpoint.explain.test.result_document:stress_document",
    ("model", "text"): "linpoint.explain.model.model_text:model_text",
    ("model", "json"): "linpoint.explain.model.model_document:model_document",
    ("model", "html"): "linpoint.explain.model.model_page:model_page",
    ("crash", "text"): "linpoint.explain.crash.crash_text:crash_text",
    ("crash", "json"): "linpoint.explain.crash.crash_document:crash_document",
    ("crash", "html"): "linpoint.explain.crash.crash_page:crash_page",
}
"""The functions that render each kind of subject: verdicts to explanations and graphs, explanations and results to
documents."""

for (_kind, _format), _target in RENDERERS.items():
    register_renderer(_kind, _format, _target)
