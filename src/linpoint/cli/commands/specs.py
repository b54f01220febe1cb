# SPDX-License-Identifier: Apache-2.0
"""``linpoint specs``: lists the built-in specs and describes a spec."""

from __future__ import annotations

import inspect

from linpoint.cli.check_request import load_spec
from linpoint.cli.output.terminal import print_json, print_table, print_text
from linpoint.options.commands.specs import SpecsOptions
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec


def run(options: SpecsOptions) -> int:
    """Print the specs; return the exit code."""
    name = options.name
    chosen = BUILT_IN if name is None else {name: load_spec(name)}
    if options.json:
        print_json({"specs": [_document(title, spec) for title, spec in chosen.items()]})
    elif name is None:
        rows = [[title, ", ".join(spec.steps), _parameters(spec)] for title, spec in BUILT_IN.items()]
        print_table(["spec", "operations", "parameters"], rows)
        print_text("\nDescribe one: linpoint specs NAME. Use your own: --spec FILE.py:Name, see linpoint.spec.")
    else:
        spec = chosen[name]
        print_text(f"{spec.name}: {spec.doc}")
        for step in spec.steps.values():
            print_text(f"  {step.signature()}")
    return 0


def _parameters(spec: Spec) -> str:
    """The parameters of a built-in spec."""
    return ", ".join(inspect.signature(spec.factory).parameters) if spec.factory else ""


def _document(title: str, spec: Spec) -> dict[str, object]:
    return {
        "name": title,
        "doc": spec.doc,
        "parameters": _parameters(spec).split(", ") if spec.factory else [],
        "operations": [{"name": step.name, "signature": step.signature()} for step in spec.steps.values()],
    }
