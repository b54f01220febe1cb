# SPDX-License-Identifier: Apache-2.0
"""What is asked of every model of ``linpoint refine``: from the options of the command, or from a replay token."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from linpoint.cli import options
from linpoint.errors import UsageError
from linpoint.refine.dsl import Model
from linpoint.refine.frontend import compile_model
from linpoint.refine.refinement_task import FAIRNESS, PROPERTIES, RefinementTask, find_spec
from linpoint.refine.state_layout import HEAPS, MEMORY_MODELS, REDUCTIONS
from linpoint.refine.state_search import MAX_BUFFERED_STORES, MAX_NODES
from linpoint.verdicts import replay_token

_SLOT_BYTES: Final = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class Choices:
    """How models are to be checked."""

    spec: str | None = None
    processes: int | tuple[tuple[str, int], ...] = 2
    operations: int = 2
    memory_model: str = "sc"
    heap: str = "gc"
    points: bool = False
    without: tuple[str, ...] = ()
    compact: bool = False
    progress: str | None = None
    fairness: str = "none"
    constants: Mapping[str, Any] = field(default_factory=dict)

    def asked(self, file: str, name: str, model: type[Model]) -> RefinementTask:
        """The question about one model of a file."""
        model = model.with_(**self.constants) if self.constants else model
        program = dataclasses.replace(compile_model(model), name=name, file=file)
        asked = RefinementTask(
            program,
            find_spec(model, self.spec) if self.progress is None else None,
            self.processes,
            self.operations,
            self.memory_model,
            self.heap,
            frozenset(self.without),
            points=self.points,
            compact=self.compact,
            progress=self.progress,
            fairness=self.fairness,
        )
        return asked.replayable(file, name, spec=self.spec, constants=self.constants)

    def bounds(self) -> dict[str, Any]:
        """What would limit what is covered."""
        roles = {} if isinstance(self.processes, int) else dict(self.processes)
        count = self.processes if isinstance(self.processes, int) else sum(roles.values())
        given = {"operations": self.operations, "memory_model": self.memory_model}
        return {"processes": count, **({"roles": roles} if roles else {}), **given}

    def words(self) -> list[str]:
        """The options that ask the same."""
        return [word for words in self._words() for word in words]

    def _words(self) -> Iterator[tuple[str, ...]]:
        default = Choices()
        if self.spec is not None:
            yield "--spec", self.spec
        if self.processes != default.processes:
            yield "--processes", _processes_told(self.processes)
        for option, value, usual in (
            ("--operations", self.operations, default.operations),
            ("--memory-model", self.memory_model, default.memory_model),
            ("--heap", self.heap, default.heap),
            ("--without", ",".join(self.without), ""),
            ("--progress", self.progress, None),
            ("--fairness", self.fairness, default.fairness),
        ):
            if value != usual:
                yield option, str(value)
        for flag, is_given in (("--points", self.points), ("--compact", self.compact)):
            if is_given:
                yield (flag,)
        for name, value in self.constants.items():
            yield "--set", f"{name}={json.dumps(value, separators=(',', ':'))}"


def choices_of(
    *, processes: str, without: Sequence[str], constants: Sequence[str], progress: str | None, **given: Any
) -> Choices:
    """What the options of the command ask for; a coded error for what they cannot mean."""
    _validate(given["memory_model"], given["heap"], without, progress, given["fairness"])
    for option, is_given in (("--spec", given["spec"]), ("--points", given["points"])):
        if is_given and progress is not None:
            raise UsageError("LP-U001", f"{option} does not go with --progress.", remedy="Leave one of them out.")
    return Choices(
        processes=parse_processes(processes),
        without=tuple(without),
        constants=parse_constants(constants),
        progress=progress,
        **given,
    )


def _validate(memory_model: str, heap: str, without: Iterable[str], progress: str | None, fairness: str) -> None:
    options.validate_name("--memory-model", memory_model, MEMORY_MODELS)
    options.validate_name("--heap", heap, HEAPS)
    for name in without:
        options.validate_name("--without", name, REDUCTIONS)
    options.validate_name("--progress", progress or PROPERTIES[0], PROPERTIES)
    options.validate_name("--fairness", fairness, FAIRNESS)


def parse_processes(text: str) -> int | tuple[tuple[str, int], ...]:
    """``--processes 3``, or ``--processes reader=2,writer=1``."""
    if text.strip().isascii() and text.strip().isdigit():
        return int(text) if len(text) < _MOST_DIGITS else 10**_MOST_DIGITS
    pairs = [each.partition("=") for each in text.split(",")]
    told = {role.strip(): number.strip() for role, _, number in pairs}
    numbers = [
        number for number in told.values() if number.isascii() and number.isdigit() and len(number) < _MOST_DIGITS
    ]
    if len(numbers) < len(pairs) or "" in told:
        raise UsageError(
            "LP-U001",
            f"--processes {text!r} is no number of processes.",
            remedy="Write --processes 3, or of each role so many: --processes reader=2,writer=1.",
        )
    return tuple((role, int(number)) for role, number in told.items())


_MOST_DIGITS: Final = 6


def _processes_told(processes: int | Sequence[tuple[str, int]]) -> str:
    return str(processes) if isinstance(processes, int) else ",".join(f"{role}={number}" for role, number in processes)


def parse_constants(texts: Sequence[str]) -> dict[str, Any]:
    """``--set repaired=true --set 'name="text"'``."""
    constants = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            constants[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            equals = ""
        if not equals or not name.strip().isidentifier():
            raise UsageError(
                "LP-U001",
                f"--set {text!r} is no NAME=JSON.",
                remedy="Write it as --set repaired=true or --set size=3; texts need quotes: --set 'mode=\"fast\"'.",
            )
    return constants


class Content(msgspec.Struct):
    """The content of a token of ``refine``."""

    file: str
    model: str
    finding: str = ""
    run: list[tuple[int, int]] | None = None
    """None where only a search shows it."""
    room: tuple[list[int], int, int] = ([], 1, 0)
    left_out: list[str] = []
    spec: str | None = None
    processes: int | dict[str, int] = 2
    operations: int = 2
    memory_model: str = "sc"
    heap: str = "gc"
    points: bool = False
    without: list[str] = []
    compact: bool = False
    progress: str | None = None
    fairness: str = "none"
    constants: dict[str, Any] = {}

    def choices(self) -> Choices:
        """How the model was checked."""
        return Choices(
            self.spec,
            self.processes if isinstance(self.processes, int) else tuple(self.processes.items()),
            self.operations,
            self.memory_model,
            self.heap,
            self.points,
            tuple(self.without),
            self.compact,
            self.progress,
            self.fairness,
            self.constants,
        )


def content_of(content: dict[str, Any]) -> Content:
    """The content of a token; everything is looked at before anything of it is used."""
    try:
        found = msgspec.convert(content, Content)
        _validate(found.memory_model, found.heap, (*found.left_out, *found.without), found.progress, found.fairness)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
    except UsageError as error:
        raise replay_token.not_a_finding(error.message.rstrip(".")) from None
    nodes, slot_bytes, stores = found.room
    fits = slot_bytes in _SLOT_BYTES and 0 <= stores <= MAX_BUFFERED_STORES
    if not fits or any(count < 0 for count in nodes) or sum(nodes) > 2 * MAX_NODES:
        raise replay_token.not_a_finding("there is no such layout of a state")
    return found
