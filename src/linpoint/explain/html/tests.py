# SPDX-License-Identifier: Apache-2.0
"""The result of a test as one HTML document: the page of its history where it has one, with the steps of its schedule.

Guarantee: as that of ``page``: no script but ours runs, and nothing of the code under test is markup.
"""

from __future__ import annotations

from string import Template
from typing import Final

from linpoint.explain.explaining import explain
from linpoint.explain.findings import explain_result
from linpoint.explain.html.escaping import escaped
from linpoint.explain.html.inlining import asset
from linpoint.explain.html.page import page
from linpoint.explain.html.traces import trace_fragment
from linpoint.verdicts.finding import Finding, TestResult

_STYLES: Final = ("base.css", "summary.css", "sections.css", "traces.css")
_LONGEST_TITLE: Final = 120
_PLAIN: Final = Template(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
<main>
<pre class="told">$text</pre>
$trace
</main>
</body>
</html>
"""
)


def page_of_test(result: TestResult, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` runs the test, ``replay`` shows its first finding again."""
    finding = result.findings[0] if result.findings else None
    if finding is None or finding.verdict is None:
        return _plain_page(result, finding)
    steps = [] if finding.trace is None else [trace_fragment(finding.trace)]
    return page(explain(finding.verdict), file=result.name, command=command, replay=replay, traces=steps)


def _plain_page(result: TestResult, finding: Finding | None) -> str:
    return _PLAIN.substitute(
        title=escaped(f"{result.status.name}: {result.name} - linpoint", _LONGEST_TITLE),
        style="\n".join(map(asset, _STYLES)),
        text=escaped(explain_result(result).text),
        trace="" if finding is None or finding.trace is None else trace_fragment(finding.trace),
    )
