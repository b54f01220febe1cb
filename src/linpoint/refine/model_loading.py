# SPDX-License-Identifier: Apache-2.0
"""Loads the models of a file. Loading runs the file, which the user has named explicitly."""

from __future__ import annotations

import traceback
from pathlib import Path

from linpoint.errors import LinpointError, ModelError
from linpoint.refine.dsl import Model
from linpoint.scenarios.tested_operation import mark_of, nearest
from linpoint.specs.user_modules import load_user_module


def load_models(file: str) -> dict[str, type[Model]]:
    """The models of a file or module by name, in order. Without operations, a model counts only if no other has any."""
    if not file.endswith(".py") and ("/" in file or not file.strip() or Path(file).exists()):
        remedy = "Give the path of a file whose name ends with .py, or the name of a module."
        raise ModelError("LP-M015", "this is not a Python file.", place=file, remedy=remedy)
    try:
        module = load_user_module(file)
    except LinpointError as error:
        raise ModelError("LP-M015", error.message, place=error.place or file, remedy=error.remedy) from error
    except SyntaxError as error:
        raise ModelError(
            "LP-M015",
            f"invalid Python: {error.msg}.",
            place=f"{file}:{error.lineno}" if error.lineno and (error.filename or file).endswith(file) else file,
            remedy="Correct the line.",
        ) from error
    except (Exception, SystemExit) as error:  # a module that calls sys.exit(0) must not count as a pass
        raise ModelError(
            "LP-M015",
            f"{type(error).__name__}: {error}",
            place=_where(file, error),
            remedy="Make the file import without errors; its own directory comes first on the path.",
        ) from error
    own: dict[str, type[Model]] = {}
    for name, thing in vars(module).items():
        is_model = isinstance(thing, type) and issubclass(thing, Model) and thing.__module__ == module.__name__
        if is_model and thing not in own.values():  # two names of one class are one model
            own[name] = thing
    found = {name: model for name, model in own.items() if _has_operations(model)} or own
    if not found:
        raise ModelError(
            "LP-M016",
            "the file has no models.",
            place=file,
            remedy="Write a subclass of linpoint.Model whose operations have @linpoint.operation.",
        )
    return found


def _where(file: str, error: BaseException) -> str:
    """The line of a file at which loading it failed, if that line is in the file itself."""
    here = Path(file).resolve()
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == here]
    return f"{file}:{lines[-1]}" if lines else file


def load_model(file: str, name: str) -> type[Model]:
    """One model of a file."""
    models = load_models(file)
    if name not in models:
        raise ModelError(
            "LP-M016",
            f'unknown model "{name}".',
            place=file,
            remedy=f"{nearest(name, models)}Use one of: {', '.join(models)}.",
        )
    return models[name]


def _has_operations(model: type[Model]) -> bool:
    return any(mark_of(thing) is not None for each in model.__mro__ for thing in vars(each).values())
