# SPDX-License-Identifier: Apache-2.0
"""What is asked of a model: against which spec, with how many processes, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from linpoint.errors import ModelError, UsageError
from linpoint.options.choices import FAIRNESS, HEAPS, MODEL_MEMORY_MODELS, PROGRESS_PROPERTIES, REDUCTIONS
from linpoint.options.commands.refine import RefineOptions
from linpoint.refine.dsl import Model
from linpoint.refine.frontend import compile_model
from linpoint.refine.program_ir import CompiledModel
from linpoint.refine.state_layout import MAX_PROCESSES, ModelRunConfig, deal_roles
from linpoint.specs import spec_lookup
from linpoint.specs.spec import Spec
from linpoint.specs.user_modules import load_user_module

_DEFAULT_PROCESS_COUNT: Final = 2
_TOLD: Final = frozenset(
    ("operations", "memory_model", "heap", "without", "points", "compact", "progress", "fairness"),
)


def find_spec(model: type[Model], spec: Any = None) -> Spec | CompiledModel:
    """The spec that was named, or else the model's own; a model can be one, too."""
    if spec is None:
        spec = getattr(model, "spec", None)
    if spec is None:
        raise ModelError(
            "LP-M017",
            f"{model.__name__} says nothing of its spec.",
            remedy="Name one with --spec, or write spec = linpoint.specs.queue in the class.",
        )
    if isinstance(spec, str):
        spec = _named_model(spec) or spec
    return compiled(spec) if isinstance(spec, type) and issubclass(spec, Model) else spec_lookup.find(spec)


def compiled(model: type[Model]) -> CompiledModel:
    """A model as a program whose file is called as messages call it: relative to the current folder where it is inside."""
    program = compile_model(model)
    path, here = Path(program.file), Path.cwd()
    return replace(program, file=str(path.relative_to(here))) if path.is_relative_to(here) else program


def _named_model(text: str) -> type[Model] | None:
    """The model that ``FILE.py:Name`` stands for, if it is one; what is wrong with the file is said by ``spec_lookup``."""
    file, colon, name = text.rpartition(":")
    if not colon or "(" in file:
        return None
    try:
        found = getattr(load_user_module(file), name, None)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever a user's file does
        return None
    return found if isinstance(found, type) and issubclass(found, Model) else None


@dataclass(frozen=True, slots=True)
class RefinementTask:
    """A model, its spec, and how it is to be checked."""

    program: CompiledModel
    spec: Spec | CompiledModel | None
    processes: int | Sequence[tuple[str, int]] = 2
    operations: int = 2
    memory_model: str = "sc"
    heap: str = "gc"
    without: frozenset[str] = frozenset()
    points: bool = False
    compact: bool = False
    progress: str | None = None
    """A property of runs that go on for ever, one of ``PROGRESS_PROPERTIES``; then the spec is not asked."""
    fairness: str = "none"
    replay: Mapping[str, Any] | None = None
    """What a replay token holds beside the run."""

    @classmethod
    def of(cls, options: RefineOptions, file: str, name: str, model: type[Model]) -> RefinementTask:
        """The task of checking one model of a file."""
        constants = options.constants or {}
        model = model.with_(**constants) if constants else model
        task = cls(
            replace(compile_model(model), name=name, file=file),
            find_spec(model, options.spec) if options.progress is None else None,
            options.processes,
            options.operations,
            options.memory_model,
            options.heap,
            frozenset(options.without),
            options.points,
            options.compact,
            options.progress,
            options.fairness,
        )
        return task.replayable(file, name, spec=options.spec, constants=constants)

    def replayable(
        self, file: str, model: str, *, spec: str | None = None, constants: Mapping[str, Any] | None = None
    ) -> RefinementTask:
        """The same, with what a replay token needs to ask it again; only what differs from the default, to be short."""
        content: dict[str, Any] = {"file": file, "model": model}
        content |= {} if spec is None else {"spec": spec}
        content |= {"constants": dict(constants)} if constants else {}
        if self.processes != _DEFAULT_PROCESS_COUNT:
            content["processes"] = self.processes if isinstance(self.processes, int) else dict(self.processes)
        for each in fields(self):
            if each.name in _TOLD and getattr(self, each.name) != each.default:
                value = getattr(self, each.name)
                content[each.name] = sorted(value) if isinstance(value, frozenset) else value
        return replace(self, replay=content)

    def manner(self) -> ModelRunConfig:
        """The same for the assembler; raises a coded error for what cannot be."""
        for option, given, known in (
            ("--memory-model", self.memory_model, MODEL_MEMORY_MODELS),
            ("--heap", self.heap, HEAPS),
            *(("--without", each, REDUCTIONS) for each in sorted(self.without)),
        ):
            if given not in known:
                raise UsageError("LP-U001", f"{option} {given!r} is none.", remedy=f"Use {', '.join(known)}.")
        if self.progress is not None and self.progress not in PROGRESS_PROPERTIES:
            raise UsageError(
                "LP-U001", f"--progress {self.progress!r} is none.", remedy=f"Use {', '.join(PROGRESS_PROPERTIES)}."
            )
        if self.fairness not in FAIRNESS:
            raise UsageError("LP-U001", f"--fairness {self.fairness!r} is none.", remedy=f"Use {', '.join(FAIRNESS)}.")
        if self.fairness != "none" and self.progress != "returns":
            remedy = "Add --progress returns, or leave it out."
            raise UsageError("LP-U001", "--fairness is for --progress returns alone.", remedy=remedy)
        roles = deal_roles(self.program, self.processes)
        count = sum(number for _, number in roles)
        if not 0 < count <= MAX_PROCESSES or any(number < 0 for _, number in roles):
            raise UsageError(
                "LP-U001", f"{count} is no number of processes.", remedy=f"Use 1 to {MAX_PROCESSES}, 2 or 3 mostly."
            )
        if self.operations < 0 or self.operations > 200:  # counted in one byte
            raise UsageError(
                "LP-U001",
                f"{self.operations} is no number of operations.",
                remedy="Use 1 to 200, or 0 for any number where the states of the model are bounded.",
            )
        without = self.without
        if isinstance(self.spec, Spec) and self.spec.uses_process:
            without |= {"symmetry"}  # processes are not alike for such a spec
        return ModelRunConfig(roles, self.operations, self.memory_model, self.heap, without, self.points, self.compact)
