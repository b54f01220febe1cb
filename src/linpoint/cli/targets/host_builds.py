# SPDX-License-Identifier: Apache-2.0
"""The hosts of C++ files, built once before the budget of a command begins."""

from __future__ import annotations

from collections.abc import Sequence

from linpoint.cli.output.terminal import progress
from linpoint.errors import LinpointError
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.test import TestOptions
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.host_builder import find_host


def build_hosts(options: TestOptions | CrashOptions, files: Sequence[str] = ()) -> None:
    """Build the host for the compiler of each file. Unusable flags are rejected before that."""
    sorted_flags(options.compiler_flags)
    compilers = [_compiler_of(file, options) for file in files] or [options.compiler]
    with progress() as line:
        for compiler in dict.fromkeys(compilers):
            find_host(find_compiler(compiler), report_progress=line)


def _compiler_of(file: str, options: TestOptions | CrashOptions) -> str | None:
    try:
        return options.for_file(file).compiler
    except LinpointError:  # reported when the file is tested
        return options.compiler
