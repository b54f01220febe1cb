# SPDX-License-Identifier: Apache-2.0
"""Libraries and objects that were linked into a target without hooks: their effects are neither observed nor undone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from linpoint.processes.command_runner import run_commands

TRACE: Final = "-Wl,--trace"
"""Makes a linker list the files that it reads."""

_OF_SYSTEM: Final = re.compile(
    r"(?:crt\w*\.o|lib(?:gcc\w*|stdc\+\+|c\+\+|c\+\+abi|unwind|c|c_nonshared|m|mvec|pthread|dl|rt)\.(?:a|so)|ld-linux.*)"
    r"(?:\.\d+)*"
)
_IN_BRACKETS: Final = re.compile(r"\(([^()]+)\)")


def unhooked_libraries(linker_output: str, own: Sequence[Path]) -> tuple[str, ...]:
    """The files without hooks among those in the output of a linker; ``own`` are the target's objects."""
    ours = {str(path) for path in own}
    found: dict[str, None] = {}
    for line in linker_output.splitlines():
        brackets = _IN_BRACKETS.search(line)
        path = brackets[1] if brackets else line.strip()
        if path not in ours and Path(path).is_file() and not _OF_SYSTEM.fullmatch(Path(path).name):
            found[path] = None
    paths = list(found)
    looked = run_commands([["nm", *(("-D",) if ".so" in Path(path).name else ()), "--", path] for path in paths])
    return tuple(path for path, done in zip(paths, looked, strict=True) if not done.code and "__tsan_" not in done.text)
