# SPDX-License-Identifier: Apache-2.0
"""The specification of a model in the form that the search needs: a sequential spec, or another model.

States and results of a spec are numbered, and each of its steps is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from linpoint.errors import ModelError
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical, equal_values, format_value
from linpoint.refine._native_refine import AbstractModel, ModelSpec, ModelSpecification
from linpoint.refine.program_ir import CompiledModel, OpCode
from linpoint.refine.state_layout import LayoutSizes, ModelLayout, lay_out
from linpoint.specs.integer_automaton import state_key, step_error
from linpoint.specs.spec import Spec
from linpoint.verdicts.evidence import AllowedConfiguration

_WORDS: Final = {"mutex": {False: "free", True: "held"}}
"""Readable names of states, for specs whose states are not self-explanatory."""


class NumberedSpecification(Protocol):
    """The interface for searches and for explanations."""

    operations: list[Operation]
    """The operation for each call of the model."""

    @property
    def native(self) -> ModelSpecification:
        """The native specification that the search uses."""

    def survivor(self, configuration: Sequence[int]) -> AllowedConfiguration:
        """A configuration in readable form."""

    def result_in(self, configuration: Sequence[int], process: int) -> tuple[bool, Value]:
        """Whether the operation of a process has taken effect, and its result."""


def operations_of(assembly: ModelLayout) -> list[Operation]:
    """The calls of a model as operations."""
    return [Operation(0, call.operation.name, call.arguments, None, call=0, return_=1) for call in assembly.calls]


def returned(assembly: ModelLayout, codes: Sequence[int]) -> Value:
    """The value that an operation of a model returned; several values form a list."""
    values = [assembly.value_of(code) for code in codes]
    return values[0] if len(values) == 1 else values


class NumberedSpec:
    """Numbers for the states and results of a spec, for one laid-out model."""

    def __init__(self, spec: Spec, assembly: ModelLayout) -> None:
        self.spec = spec
        self._assembly = assembly
        self._states: list[Any] = []
        self._state_numbers: dict[Any, int] = {}
        self._results: list[Value] = []
        self._result_numbers: dict[Any, int] = {}
        self.operations = operations_of(assembly)
        for each in self.operations:
            complaint = spec.complaint(each)
            if complaint is not None:
                raise complaint
        self.native = ModelSpec(
            assembly.manner.count,
            len(assembly.calls),
            self._state_number(spec.initial),
            spec.uses_process,
            self._apply,
            self._allows,
        )

    def survivor(self, configuration: Sequence[int]) -> AllowedConfiguration:
        """A configuration in readable form."""
        state, *statuses = configuration
        pending, done = {}, {}
        for process, status in enumerate(statuses):
            invocation, result = self.native.status(status)
            if invocation >= 0 and result < 0:
                pending[process] = str(self.operations[invocation])
            elif invocation >= 0:
                done[process] = (str(self.operations[invocation]), self._results[result])
        words = _WORDS.get(self.spec.name)
        plain = _plain(self._states[state]) if words is None else words[self._states[state]]
        return AllowedConfiguration(plain, pending, done)

    def result_in(self, configuration: Sequence[int], process: int) -> tuple[bool, Value]:
        """Whether the operation of a process has taken effect, and its result."""
        _, result = self.native.status(configuration[1 + process])
        return (True, self._results[result]) if result >= 0 else (False, None)

    def _apply(self, state: int, process: int, invocation: int) -> list[tuple[int, int]]:
        op = self.operations[invocation]
        if self.spec.uses_process:
            op = replace(op, process=process)
        try:
            outcomes = self.spec.outcomes(self._states[state], op)
            return [(self._result_number(result), self._state_number(after)) for result, after in outcomes]
        except Exception as error:
            raise step_error(error, op, self.spec.name) from error

    def _allows(self, invocation: int, result: int, codes: Sequence[int]) -> bool:
        returns = self.spec.step(self.operations[invocation]).returns
        return returns.allows(returned(self._assembly, codes), self._results[result])

    def _state_number(self, state: Any) -> int:
        key = state_key(state, self.spec.name)
        number = self._state_numbers.get(key)
        if number is None:
            number = self._state_numbers[key] = len(self._states)
            self._states.append(state)
        return number

    def _result_number(self, result: Value) -> int:
        key = canonical(result)
        number = self._result_numbers.get(key)
        if number is None:
            number = self._result_numbers[key] = len(self._results)
            self._results.append(result)
        return number


class NumberedModel:
    """Another model as the specification, with the same processes."""

    def __init__(self, program: CompiledModel, assembly: ModelLayout, room: LayoutSizes | None) -> None:
        manner = replace(
            assembly.manner,
            memory_model="sc",
            heap="gc",
            points=False,
            without=frozenset(("fusion", "symmetry", "por")),  # equivalent states are already merged
        )
        self.program = program
        self.assembly = lay_out(program, manner, room or LayoutSizes.for_program(program, manner))
        self._of = assembly
        self.operations = operations_of(assembly)
        known = {(call.group, call.operation.name, call.arguments): at for at, call in enumerate(self.assembly.calls)}
        try:
            numbers = [known[call.group, call.operation.name, call.arguments] for call in assembly.calls]
        except KeyError as error:
            _, name, arguments = error.args[0]
            call = f"{name}({', '.join(map(format_value, arguments))})"
            raise ModelError(
                "LP-M021",
                f"the specification lacks the operation {call} of {assembly.program.name}.",
                place=f"{program.file}:{program.line}",
                remedy="Give both the same operations, arguments and roles.",
            ) from None
        self.native = AbstractModel(self.assembly.native, numbers, self._same)

    def _same(self, one: Sequence[int], other: Sequence[int]) -> bool:
        return equal_values(returned(self._of, one), returned(self.assembly, other))

    def survivor(self, configuration: Sequence[int]) -> AllowedConfiguration:
        """A configuration in readable form: the cells of the specification, and the positions of its processes."""
        assembly = self.assembly
        state = {
            cell.name: returned(assembly, configuration[slot : slot + cell.size * cell.width])
            for cell, slot in zip(self.program.cells, assembly.cell_slots, strict=True)
        }
        pending, done = {}, {}
        for process in range(assembly.manner.count):
            stop = configuration[assembly.process_base + process * assembly.process_slots]
            if stop == 0:
                continue
            is_done, result = self.result_in(configuration, process)
            line = self.program.code[assembly.stops[stop]].line
            if is_done:
                done[process] = (f"line {line}", result)
            else:
                pending[process] = f"line {line}"
        return AllowedConfiguration(state, pending, done)

    def result_in(self, configuration: Sequence[int], process: int) -> tuple[bool, Value]:
        """Whether the operation of a process is about to return, and its result."""
        assembly = self.assembly
        block = assembly.process_base + process * assembly.process_slots
        at = assembly.stops[configuration[block]] if configuration[block] else -1
        if at < 0 or self.program.code[at].code is not OpCode.RETURN:
            return False, None
        first = block + assembly.registers_slot
        live = [number for number in range(64) if assembly.live[at] >> number & 1]
        values = dict(zip(live, configuration[first : first + len(live)], strict=True))
        instruction = self.program.code[at]
        codes = [values[instruction.a + number] for number in range(instruction.c)]
        return True, returned(assembly, codes)


def _plain(state: Any) -> Value:
    """A state of a spec as a value; anything that is not a plain value is shown as text."""
    if state is None or isinstance(state, (bool, int, float, str)):
        return state
    if isinstance(state, (list, tuple)):
        return [_plain(each) for each in state]
    if isinstance(state, dict):
        return {str(_plain(key)): _plain(value) for key, value in state.items()}
    if isinstance(state, (set, frozenset)):
        return sorted((_plain(each) for each in state), key=format_value)
    return str(state)
