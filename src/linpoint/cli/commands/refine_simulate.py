# SPDX-License-Identifier: Apache-2.0
"""``linpoint refine --simulate``: steps through a model interactively.

The possible next steps are numbered. The user takes one of them, undoes steps, jumps, takes random steps, or follows
the shortest failing run. Each command is a line, so that a pipe can give commands as well. Undone steps are kept until
the user takes a different step.
"""

from __future__ import annotations

import dataclasses
import math
import random
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.campaign.driver import run_campaign
from linpoint.cli.output import standard_streams
from linpoint.cli.output.terminal import print_text, progress
from linpoint.errors import ModelError
from linpoint.explain.model.model_text import configuration_text, format_model_value, refusal_lines, step_numbers
from linpoint.explain.trace import run_text
from linpoint.explain.trace.step_wording import wording_of
from linpoint.options.commands.refine import RefineOptions
from linpoint.refine._native_refine import ModelStep as NativeStep
from linpoint.refine.counterexample import FAULTY_STEP_CHOICE, ModelRun, lacks_room
from linpoint.refine.model_loading import load_model, load_models
from linpoint.refine.refinement_task import RefinementTask
from linpoint.refine.state_layout import ModelCall
from linpoint.refine.state_search import StateSearch, prepare, prepare_larger
from linpoint.refine.state_view import memory_of, process_position
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.model.finding_builder import failure_of_token, finding_of_run
from linpoint.subjects.model.subject import ModelSubject
from linpoint.text.phrases import count_noun
from linpoint.text.terminal_text import fit, wrap
from linpoint.traces.trace import FAILURES
from linpoint.verdicts import Budget

_TEXT_WIDTH: Final = 100
_ELEMENT: Final = re.compile(r"\[\d+\]$")
_MAX_RANDOM_STEPS: Final = 10_000
"""Maximum number of random steps of one `r` command."""
_HELP: Final = """\
  N      take step N of the list
  n [N]  redo N undone steps, or take N steps of the run that w found (default 1)
  u [N]  undo N steps (default 1)
  j N    jump to step N
  r [N]  take N random steps (default 1)
  w      find the shortest failing run and go to its beginning
  a      show all steps so far
  ?      show this list
  q      quit"""


def simulate_model(file: str, name: str, options: RefineOptions, budget: Budget) -> int:
    """Let the user step through a model; return the exit code."""
    standard_streams.keep_stdout()
    models = {name: load_model(file, name)} if name else load_models(file)
    if len(models) > 1:
        raise ModelError(
            "LP-M016",
            "the file has several models.",
            place=file,
            remedy=f"Name one: {', '.join(f'{file}:{each}' for each in models)}.",
        )
    ((name, model),) = models.items()
    task = RefinementTask.of(options, file, name, model)
    ModelSimulation(task, budget, options.jobs, prepare(task.program, task.run_config(), task.spec)).talk()
    return 0


@dataclass(slots=True)
class ModelSimulation:
    """The run of the user. ``ahead`` holds all known steps; the first ``at`` of them have been taken."""

    task: RefinementTask
    limits: Budget
    jobs: int | None
    searched: StateSearch
    ahead: list[NativeStep] = field(default_factory=list)
    at: int = 0
    run: ModelRun | None = None
    taken: list[NativeStep] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - the random steps are reproducible

    def talk(self) -> None:
        """Read and execute commands until the end."""
        program = self.task.program
        print_text(f"Stepping through {program.name} of {program.file}. Type ? for help.")
        self._show()
        while (line := self._read()) is not None:
            words = line.split()
            if words in (["q"], ["quit"], ["exit"]):
                return
            if words:
                self._do(words)

    def _read(self) -> str | None:
        if sys.stdin.isatty():
            sys.stderr.write("> ")
            sys.stderr.flush()
        line = sys.stdin.readline()
        if line and not sys.stdin.isatty():
            print_text(f"\n> {line.rstrip()}")
        return line or None

    def _do(self, words: list[str]) -> None:
        command, *rest = words
        number = int(rest[0]) if len(rest) == 1 and rest[0].isascii() and rest[0].isdigit() else None
        if len(rest) > 1 or (rest and number is None):
            print_text(f"{' '.join(words)!r} is not a command; ? lists the commands")
        elif command.isascii() and command.isdigit() and not rest:
            self._choose(int(command))
        elif command in ("u", "undo"):
            self._jump(self.at - (1 if number is None else number))
        elif command in ("n", "next"):
            self._jump(self.at + (1 if number is None else number))
        elif command in ("j", "jump") and number is not None:
            self._jump(number)
        elif command in ("r", "random"):
            self._wander(min(1 if number is None else number, _MAX_RANDOM_STEPS))
        elif command in ("w", "wrong"):
            self._find_wrong()
        elif command in ("a", "all"):
            self._show_all()
        elif command in ("?", "h", "help"):
            print_text(_HELP)
        else:
            print_text(f"{' '.join(words)!r} is not a command; ? lists the commands")

    # Moving.

    def _run(self) -> ModelRun:
        """The run so far; extends the previous run where that is possible."""
        run = self.run
        taken = [] if run is None else self.taken
        if (
            run is None
            or run.searched is not self.searched
            or taken != self.ahead[: len(taken)]
            or len(taken) > self.at
        ):
            run, taken = ModelRun.begin(self.searched), []
        for step in self.ahead[len(taken) : self.at]:
            run.take(step)
        self.run, self.taken = run, self.ahead[: self.at]
        return run

    def _next(self) -> list[NativeStep]:
        """The possible next steps, with a state layout large enough for them."""
        while True:
            run = self._run()
            found = [] if run.last is not None else run.choices()
            lacking = [step.events[-1] for step in found if lacks_room(step)]
            if not lacking:
                return found
            larger = prepare_larger(self.searched, self.task.spec, lacking[0].number, lacking[0].instruction)
            if isinstance(larger, str):
                print_text(f"bound reached: {larger}; steps beyond it are omitted")
                return [each for each in found if not lacks_room(each)]
            self._follow(larger, [_choice(step) for step in self.ahead])

    def _follow(self, searched: StateSearch, choices: Sequence[tuple[int, int]]) -> None:
        """Continue in another layout, in which choices have the same numbers."""
        self.searched = searched
        run = ModelRun.begin(searched)
        self.ahead = []
        for choice in choices:
            step = run.find(*choice)
            if step is None:
                break
            self.ahead.append(step)
            run.take(step)
        self.at = min(self.at, len(self.ahead))

    def _choose(self, number: int) -> None:
        found = self._next()
        if not 1 <= number <= len(found):
            print_text(f"there is no step {number}" + (f"; choose a step from 1 to {len(found)}" if found else ""))
            return
        self._take(found[number - 1])
        self._show()

    def _take(self, step: NativeStep) -> None:
        if [_choice(each) for each in self.ahead[self.at : self.at + 1]] != [_choice(step)]:
            self.ahead = [*self.ahead[: self.at], step]
        self.at += 1

    def _jump(self, to: int) -> None:
        if not 0 <= to <= len(self.ahead):
            print_text(f"there is no step {to}; the known steps are 0 to {len(self.ahead)}")
            return
        self.at = to
        self._show()

    def _wander(self, count: int) -> None:
        for _ in range(count):
            found = self._next()
            if not found:
                break
            self._take(self.chance.choice(found))
        self._show()

    def _find_wrong(self) -> None:
        with progress() as line:

            def watch(reached: CampaignProgress) -> None:
                line(f"{reached.executions:,} states, depth {reached.depth:,}")

            seconds = self.limits.remaining()
            subject = ModelSubject(self.task, self.jobs, self.limits.max_memory)
            result = run_campaign(subject, math.inf if seconds is None else seconds, watch)
        if not result.findings:
            print_text(f"{result.answer.name}: {result.why}.")
            return
        finding = result.findings[0]
        failure = failure_of_token(finding.replay)
        searched = failure.run.prepare(self.task)
        self.at = 0
        self._follow(searched, failure.schedule)
        steps = count_noun(len(self.ahead), "step")
        print_text(f"{result.answer.name}: {finding.message}. It takes {steps}; n takes the next one.")
        self._show()

    # Showing.

    def _show(self) -> None:
        found = self._next()
        run = self._run()
        more = f" of {len(self.ahead)}" if len(self.ahead) > self.at else ""
        print_text(
            "\n".join(["", f"Step {self.at}{more}", *self._memory(run), *self._processes(run), *self._spec(run)])
        )
        if run.last is not None or not found:
            self._show_end(run)
            return
        print_text("Next:")
        for number, step in enumerate(found, 1):
            print_text(f"  {number:>2}  {fit(self._words(run, step), _TEXT_WIDTH)}")

    def _memory(self, run: ModelRun) -> list[str]:
        memory = run.steps[-1].memory if run.steps else memory_of(run.places, run.state)
        shown: dict[str, list[str]] = {}
        for name, value in memory:  # groups the elements of an array
            shown.setdefault(_ELEMENT.sub("", name), []).append(format_model_value(value))
        arrays = {_ELEMENT.sub("", name) for name, _ in memory if _ELEMENT.search(name)}
        cells = [
            f"{name} = [{', '.join(values)}]" if name in arrays else f"{name} = {values[0]}"
            for name, values in shown.items()
        ]
        return [f"  {line}" for line in wrap("   ".join(cells), _TEXT_WIDTH, most=20)] if cells else []

    def _processes(self, run: ModelRun) -> list[str]:
        lines = []
        for process in range(run.assembly.manner.count):
            where = process_position(run.places, run.calls, run.state, process)
            number = run.calls.get(process)
            call = "" if number is None else _call_text(run.assembly.calls[number])
            text = f"in {call}, before line {where.line}" if where.line else "between two operations"
            text += "".join(f", {name} = {format_model_value(value)}" for name, value in where.variables)
            if where.waiting:
                text += (
                    f"; waiting: {', '.join(f'{name} = {format_model_value(value)}' for name, value in where.waiting)}"
                )
            lines += [f"  {line}" for line in wrap(f"{run.name_of(process)}: {text}", _TEXT_WIDTH, most=6)]
        return lines

    def _spec(self, run: ModelRun) -> list[str]:
        """The possible states of the spec."""
        names: dict[int | str, int | str] = {each: run.name_of(each) for each in range(run.assembly.manner.count)}
        survivors, more = run.survivors(run.state[0])
        texts = [configuration_text(each, names) for each in survivors] + (
            [f"... or {count_noun(more, 'other')}"] if more else []
        )
        lines = [line for each in texts for line in wrap(f"spec: {each}", _TEXT_WIDTH)]
        return [f"  {line}" for line in lines]

    def _words(self, run: ModelRun, step: NativeStep) -> str:
        """The text of a possible next step."""
        tried = dataclasses.replace(
            run,
            trace=[*run.trace],
            steps=[*run.steps],
            called_last={**run.called_last},
            calls={**run.calls},
            waiting={**run.waiting},
        )
        tried.take(step)
        trace = tried.finish(None)
        wording = wording_of(trace, longest=_TEXT_WIDTH, of_model=True)
        parts = trace.steps[len(run.trace) :]
        lines = [part.place.line for part in parts if part.place is not None]
        where = f"line {lines[-1]}: " if lines else ""
        wrong = "  <- fails" if step.wrong else ""
        return f"{run.name_of(step.process)}, {where}{'; '.join(map(wording.step, parts))}{wrong}"

    def _show_end(self, run: ModelRun) -> None:
        """Print why there is no next step."""
        count = self.task.options.operations
        done = [
            process_position(run.places, run.calls, run.state, each).calls == count
            for each in range(run.assembly.manner.count)
        ]
        if run.last is None and not run.calls and count and all(done):
            print_text(f"The run has ended: every process has called {count_noun(count, 'operation')}.")
            return
        finding = finding_of_run(self.searched, tuple(_choice(step) for step in self.ahead[: self.at]), None)
        print_text("\n".join([f"{FAILURES[finding.kind]}: {finding.message}.", *refusal_lines(finding)]))

    def _show_all(self) -> None:
        run = self._run()
        if not run.steps:
            print_text("There are no steps yet.")
            return
        trace = run.finish(None)
        print_text(
            run_text(trace, step_numbers(run.steps, len(trace.steps)), width=_TEXT_WIDTH, most=_MAX_RANDOM_STEPS)
        )


def _call_text(call: ModelCall) -> str:
    return f"{call.operation.name}({', '.join(map(format_model_value, call.arguments))})"


def _choice(step: NativeStep) -> tuple[int, int]:
    """The numbers that identify a step in a run."""
    return step.process, FAULTY_STEP_CHOICE if step.wrong else step.successor
