# SPDX-License-Identifier: Apache-2.0
"""``linpoint specs``: the built-in specs and their operations."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from linpoint.cli import options
from linpoint.cli.output.terminal import print_json, print_table, print_text
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec


def specs(
    name: Annotated[
        str | None, typer.Argument(metavar="[SPEC]", help="A spec to describe; without it, all built-ins.")
    ] = None,
    *,
    json: options.JsonOption = False,
) -> None:
    """List the built-in specs with their operations, or describe one.

    Examples:
      linpoint specs

      linpoint specs queue

      linpoint specs myspec.py:Queue
    """
    chosen = BUILT_IN if name is None else {name: options.find_spec(name)}
    if json:
        print_json({"specs": [_document(title, spec) for title, spec in chosen.items()]})
    elif name is None:
        rows = [[title, ", ".join(spec.steps), _parameters(spec)] for title, spec in BUILT_IN.items()]
        print_table(["spec", "operations", "parameters"], rows)
        print_text("\nMore on one: linpoint specs NAME. Your own: --spec FILE.py:Name, see @linpoint.spec.")
    else:
        spec = chosen[name]
        print_text(f"{spec.name}: {spec.doc}")
        for step in spec.steps.values():
            print_text(f"  {step.signature()}")


def _parameters(spec: Spec) -> str:
    """The parameters of a built-in, as its factory has them."""
    return ", ".join(inspect.signature(spec.factory).parameters) if spec.factory else ""


def _document(title: str, spec: Spec) -> dict[str, object]:
    return {
        "name": title,
        "doc": spec.doc,
        "parameters": _parameters(spec).split(", ") if spec.factory else [],
        "operations": [{"name": step.name, "signature": step.signature()} for step in spec.steps.values()],
    }
