# SPDX-License-Identifier: Apache-2.0
"""Notes on stderr about code that ``pyproject.toml`` causes a command to run and that the command line does not name.

A user who checks a history in a cloned repository may not expect the command to load a spec of that repository.
"""

from __future__ import annotations

from collections.abc import Iterator

from linpoint.options.options_base import Options
from linpoint.options.schema import Surface
from linpoint.text.code_names import split_user_spec
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts.token_trust import is_plain_compiler


def project_notes(options: Options) -> Iterator[str]:
    """One note for a user's spec, and one for a compiler that is not a plain name."""
    for name in ("spec", "compiler"):
        given = [layer.surface for layer in options.layers if layer.values.get(name) is not None]
        if not given or any(surface is not Surface.TOML for surface in given):
            continue
        value = str(getattr(options, name))
        if name == "spec" and split_user_spec(value) is not None:
            yield f"pyproject.toml names the spec {shell_command([value])}: loading it runs its code."
        elif name == "compiler" and not is_plain_compiler(value):
            yield f"pyproject.toml names the compiler {shell_command([value])}, and linpoint runs it."
