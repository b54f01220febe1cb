# SPDX-License-Identifier: Apache-2.0
"""The behaviour of a model, one step at a time, under SC and TSO: the successors of each state (see :mod:`memory`).

Fused, a call happens with the first step, a return with the last; otherwise each is a transition of its own.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from tests.refine.oracle import language
from tests.refine.oracle.flat_instructions import ACCESSES, Instruction, Value, encoded, truth
from tests.refine.oracle.layout import Layout
from tests.refine.oracle.memory import IDLE, RETURNING, Event, State, Work
from tests.refine.oracle.rules import Local, ModelError, Rules


class Edge(NamedTuple):
    """A transition. The actor is a process, or (the number of processes + p) for the buffer of p."""

    actor: int
    cost: int
    events: tuple[Event, ...]
    target: State


class Machine:
    """A model with its processes."""

    def __init__(
        self,
        model: language.Model,
        *,
        processes: int,
        operations: int,
        memory_model: str = "sc",
        fused: bool = False,
        local: Local = Local.FREE,
        rules: Rules | None = None,
    ) -> None:
        """``operations`` is the number per process; 0 means unlimited."""
        self.layout = Layout(
            model,
            processes=processes,
            operations=operations,
            memory_model=memory_model,
            local=local,
            rules=rules or Rules(),
        )
        self.model, self.processes, self.fused = model, processes, fused

    # -- the graph

    def initial(self) -> State:
        """The state before any call, after `setup` has run."""
        work = Work(self.layout, (tuple(self.layout.shared), (), ()))
        env: dict[str, Value] = {}
        position: int | None = self.layout.starts[-1]
        while position is not None:
            position = self._setup_step(work, position, env)
        left = self.layout.operations or -1
        work.blocks = [(IDLE, (), left, (0,) * len(self.layout.paired), (), ())] * self.processes
        return work.state()

    def successors(self, state: State) -> list[Edge]:
        """All transitions of a state."""
        edges: list[Edge] = []
        for p, (position, _, left, credit, _, buffer) in enumerate(state[2]):
            if position == IDLE and left:
                for number in self.layout.allowed[p]:
                    op = self.model.operations[number]
                    if op.pairs_with and not credit[self.layout.paired.index(op.name)]:
                        continue
                    for args in itertools.product(*(domain for _, domain in op.parameters)):
                        self._call(state, p, number, args, edges)
            elif position == RETURNING:
                work = Work(self.layout, state)
                edges.append(Edge(p, 0, (work.come_back(p),), work.state()))
            elif position != IDLE:
                self._step(Work(self.layout, state), p, (), edges)
            if buffer:
                work = Work(self.layout, state)
                work.flush(p)
                edges.append(Edge(self.processes + p, self.layout.rules.flush_cost, (), work.state()))
        return edges

    def _call(self, state: State, p: int, number: int, args: tuple[Any, ...], edges: list[Edge]) -> None:
        op = self.model.operations[number]
        work = Work(self.layout, state)
        _, _, left, credit, _, buffer = work.blocks[p]
        if op.pairs_with:
            at = self.layout.paired.index(op.name)
            credit = (*credit[:at], credit[at] - 1, *credit[at + 1 :])
        work.blocks[p] = (IDLE, (), left - 1 if left > 0 else left, credit, (), buffer)
        event = ("call", p, op.name, args)
        env = {name: encoded(value) for (name, _), value in zip(op.parameters, args, strict=True)}
        more = self._run(work, p, self.layout.starts[number], env)
        failed = any(each[0] == "fail" for each in more)
        if not self.fused or failed:
            edges.append(Edge(p, 0, (event, *more), work.state()))
        elif work.blocks[p][0] == RETURNING:
            edges.append(Edge(p, 0, (event, *more, work.come_back(p)), work.state()))
        else:  # a point after a local access happens with the call
            self._step(work, p, (event, *more), edges)

    def _step(self, work: Work, p: int, before: tuple[Event, ...], edges: list[Edge]) -> None:
        """The next access of a process, unless it has to wait, and the local computation after it."""
        position, values, *_ = work.blocks[p]
        instruction = self.layout.code[position]
        operands = values[: len(instruction.operands)]
        cost = self.layout.rules.fence_cost if instruction.kind == "fence" else 1
        if work.is_local(instruction, operands):
            cost = 0
        if not work.ready(p, instruction):
            return
        env = dict(zip(instruction.live, values[len(operands) :], strict=True))
        result = work.perform(p, instruction, operands)
        if instruction.target is not None:
            env[instruction.target] = result
        events = before + self._run(work, p, position + 1, env)
        if self.fused and work.blocks[p][0] == RETURNING:
            events += (work.come_back(p),)
        edges.append(Edge(p, cost, events, work.state()))

    def _run(self, work: Work, p: int, position: int, env: dict[str, Value]) -> tuple[Event, ...]:
        """Local computation up to the next access or the return; the points on the way."""
        events: tuple[Event, ...] = ()
        op = self.layout.owner[position]
        for _ in range(1000):
            instruction = self.layout.code[position]
            if instruction.kind in ACCESSES:
                operands = tuple(operand(env) for operand in instruction.operands)
                if self.layout.local is Local.COMPRESSED and work.is_local(instruction, operands):
                    result = work.perform(p, instruction, operands)
                    if instruction.target is not None:
                        env[instruction.target] = result
                    position += 1
                    continue
                work.rest(p, position, (*operands, *(env.get(name) for name in instruction.live)))
                return events
            if instruction.kind == "return":
                work.rest(p, RETURNING, (op, instruction.operands[0](env)))
                return events
            if instruction.kind == "point":
                events += (("point", p),)
            elif instruction.kind == "assert" and not truth(instruction.operands[0](env)):
                work.rest(p, RETURNING, (op, None))
                return (*events, ("fail", p))
            position = self._local(work, instruction, position, env)
        raise ModelError("local computation without end")

    def _local(self, work: Work, instruction: Instruction, position: int, env: dict[str, Value]) -> int:
        if instruction.kind == "let":
            assert instruction.target is not None
            env[instruction.target] = instruction.operands[0](env)
        elif instruction.kind == "new":
            assert instruction.target is not None
            env[instruction.target] = work.allocate(instruction, env)
        elif instruction.kind == "jump":
            return instruction.jumps[0]
        elif instruction.kind == "branch":
            return instruction.jumps[0 if truth(instruction.operands[0](env)) else 1]
        return position + 1

    def _setup_step(self, work: Work, position: int, env: dict[str, Value]) -> int | None:
        instruction = self.layout.code[position]
        if instruction.kind == "return":
            return None
        if instruction.kind not in ACCESSES:
            return self._local(work, instruction, position, env)
        place = work.located(instruction, 0, tuple(operand(env) for operand in instruction.operands))
        assert instruction.kind == "store", "setup only stores"
        work.write(place, instruction.operands[-1](env))
        return position + 1

    # -- symmetry

    def permuted(self, state: State, order: tuple[int, ...]) -> State:
        """The state in which process i has the state of ``order[i]``."""
        work = Work(self.layout, state)
        work.blocks = [state[2][p] for p in order]
        return work.state()

    def symmetries(self) -> list[tuple[int, ...]]:
        """All permutations of the processes that keep their roles."""
        return [
            order
            for order in itertools.permutations(range(self.processes))
            if all(self.model.role_of(p) == self.model.role_of(q) for p, q in enumerate(order))
        ]
