# SPDX-License-Identifier: Apache-2.0
"""Loads the tests of a file. Modules are loaded under control, so that the locks they create are controlled too."""

from __future__ import annotations

import difflib
import sys
import types
from pathlib import Path
from typing import Any

from linpoint.errors import LinpointError, TestError
from linpoint.explore.python_control import stdlib_patches
from linpoint.explore.python_control.controlled_threads import membership
from linpoint.explore.python_control.run_abort import BlockedForever
from linpoint.scenarios.concurrent_test import ConcurrentTest, ConcurrentTestDefinition, definition_of
from linpoint.specs.user_modules import load_user_module


def load_tests(file: str) -> dict[str, type[ConcurrentTest]]:
    """The tests of a file or a module by name, in source order."""
    module = _load(file)
    found = {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, ConcurrentTest) and _collected(thing, module)
    }
    if not found:
        raise TestError(
            "LP-T016",
            "the file has no tests.",
            place=file,
            remedy="Write a subclass of linpoint.ConcurrentTest with setup and operations.",
        )
    return found


def load_test(file: str, name: str) -> ConcurrentTestDefinition:
    """One test of a file."""
    tests = load_tests(file)
    if name not in tests:
        near = difflib.get_close_matches(name, tests, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise TestError(
            "LP-T016", f'unknown test "{name}".', place=file, remedy=f"{hint}Use one of: {', '.join(tests)}."
        )
    return definition_of(tests[name])


def _collected(test: type[ConcurrentTest], module: types.ModuleType) -> bool:
    return bool(test.__test__) and test is not ConcurrentTest and test.__module__ == module.__name__


def _load(file: str) -> Any:
    if file.endswith(".py"):
        sys.path.insert(0, str(Path(file).resolve().parent))  # operations may import later
    try:
        with stdlib_patches.replaced(), membership():
            return load_user_module(file)
    except LinpointError as error:
        raise TestError("LP-T015", error.message, place=error.place or file, remedy=error.remedy) from error
    except KeyboardInterrupt:
        raise
    except BlockedForever as error:
        raise TestError(
            "LP-T015",
            "its import waits for a thread, but threads do not run yet.",
            place=file,
            remedy='Start threads in setup or in operations, or under if __name__ == "__main__".',
        ) from error
    except BaseException as error:
        raise TestError(
            "LP-T015",
            f"{type(error).__name__}: {error}",
            place=file,
            remedy="Make the file import without errors; its own directory comes first on the path.",
        ) from error
