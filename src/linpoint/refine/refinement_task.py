# SPDX-License-Identifier: Apache-2.0
"""The task of checking a model: its spec, its number of processes, and the options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linpoint.errors import ModelError, UsageError
from linpoint.options.commands.refine import RefineOptions
from linpoint.options.token_fields import token_fields
from linpoint.refine.dsl import Model
from linpoint.refine.frontend import compile_model
from linpoint.refine.program_ir import CompiledModel
from linpoint.refine.state_layout import MAX_PROCESSES, ModelRunConfig, deal_roles
from linpoint.specs import spec_lookup
from linpoint.specs.spec import Spec
from linpoint.specs.user_modules import load_user_module


def find_spec(model: type[Model], spec: Any = None) -> Spec | CompiledModel:
    """The given spec, or else the default spec of the model; it may be another model."""
    if spec is None:
        spec = getattr(model, "spec", None)
    if spec is None:
        raise ModelError(
            "LP-M017",
            f"{model.__name__} names no spec.",
            remedy="Add --spec, or write spec = linpoint.specs.queue in the class.",
        )
    if isinstance(spec, str):
        spec = _named_model(spec) or spec
    return compiled(spec) if isinstance(spec, type) and issubclass(spec, Model) else spec_lookup.find(spec)


def compiled(model: type[Model]) -> CompiledModel:
    """A compiled model. Its file is named as in messages: relative to the current directory if it is inside."""
    program = compile_model(model)
    path, here = Path(program.file), Path.cwd()
    return replace(program, file=str(path.relative_to(here))) if path.is_relative_to(here) else program


def _named_model(text: str) -> type[Model] | None:
    """The model that ``FILE.py:Name`` names, if it does; ``spec_lookup`` reports problems with the file."""
    file, colon, name = text.rpartition(":")
    if not colon or "(" in file:
        return None
    try:
        found = getattr(load_user_module(file), name, None)
    except (Exception, SystemExit):  # noqa: BLE001 - a user's file may raise anything
        return None
    return found if isinstance(found, type) and issubclass(found, Model) else None


@dataclass(frozen=True, slots=True)
class RefinementTask:
    """A model, its spec, and the options of the check."""

    program: CompiledModel
    spec: Spec | CompiledModel | None
    options: RefineOptions = field(default_factory=RefineOptions)
    replay: Mapping[str, Any] | None = None
    """The content of a replay token, except the run."""

    @classmethod
    def of(cls, options: RefineOptions, file: str, name: str, model: type[Model]) -> RefinementTask:
        """The task of checking one model of a file."""
        model = model.with_(**options.constants) if options.constants else model
        program = replace(compile_model(model), name=name, file=file)
        spec = find_spec(model, options.spec) if options.progress is None else None
        return cls(program, spec, options).replayable(file, name)

    def replayable(self, file: str, model: str) -> RefinementTask:
        """The same with the content of a replay token; for brevity, only options that differ from their defaults."""
        return replace(self, replay={"file": file, "model": model} | token_fields(self.options))

    def run_config(self) -> ModelRunConfig:
        """The bounds for the state layout; raises a coded error for impossible ones."""
        options = self.options
        if options.fairness != "none" and options.progress != "returns":
            remedy = "Add --progress returns, or omit --fairness."
            raise UsageError("LP-U001", "--fairness requires --progress returns.", remedy=remedy)
        roles = deal_roles(self.program, options.processes)
        count = sum(number for _, number in roles)
        if not 0 < count <= MAX_PROCESSES or any(number < 0 for _, number in roles):
            raise UsageError(
                "LP-U001", f"{count} is not a valid number of processes.", remedy=f"Use 1 to {MAX_PROCESSES}."
            )
        if options.operations < 0 or options.operations > 200:  # counted in one byte
            raise UsageError(
                "LP-U001",
                f"{options.operations} is not a valid number of operations.",
                remedy="Use 1 to 200, or 0 for an unbounded number if the state space is finite.",
            )
        without = frozenset(options.without)
        if isinstance(self.spec, Spec) and self.spec.uses_process:
            without |= {"symmetry"}  # processes are not interchangeable for such a spec
        return ModelRunConfig(
            roles, options.operations, options.memory_model, options.heap, without, options.points, options.compact
        )
