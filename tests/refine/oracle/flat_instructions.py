# SPDX-License-Identifier: Apache-2.0
"""Operations as flat lists of instructions, each either local or one access, and the live variables at each access.

The order is Python's: operands from left to right, a place before its operands, an access after all of them. (``a[i] =
v`` computes ``v`` before ``i`` there; no model here has accesses in ``i``.) ``and`` and ``or`` are lazy. Every access
has its result in a variable of its own, so an access inside an expression is a step like any other.

A variable is live if some path of the flow graph reads it before writing it. Values are numbers, None, the constants
TRUE and FALSE (so that ``True`` is not ``1``), ``("@", n)`` for the node n, ``("t", ...)`` for tuples and
``("r", name, value, ...)`` for records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.refine.oracle import language

TRUE, FALSE = "true", "false"

Value = Any
Environment = dict[str, Value]
Compute = Callable[[Environment], Value]

ACCESSES = frozenset({"load", "store", "cas", "swap", "fetch_add", "ll", "sc", "dcas", "acquire", "release", "fence"})


def encoded(value: Any) -> Value:
    """A Python value in this encoding."""
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, tuple | list):
        return ("t", *map(encoded, value))
    return value


def decoded(value: Value) -> Any:
    """The Python value of an encoded one; nodes have none."""
    if isinstance(value, str):
        return value == TRUE
    if isinstance(value, tuple):
        assert value[0] == "t", value
        return tuple(map(decoded, value[1:]))
    return value


def truth(value: Value) -> bool:
    """Truth as in Python."""
    return value not in {None, FALSE, 0}


@dataclass(slots=True)
class Place:
    """The target of an access: a cell, an element (the operand at ``operand`` is its index) or a field of a node."""

    kind: str
    name: str
    owner: str = ""
    operand: int = -1


@dataclass(slots=True)
class Instruction:
    """One instruction.

    ``operands`` are computed when a process stops before an access; ``live`` are the variables read after it, except
    its ``target``.
    """

    kind: str
    operands: tuple[Compute, ...] = ()
    uses: frozenset[str] = frozenset()
    target: str | None = None
    places: tuple[Place, ...] = ()
    jumps: list[int] = field(default_factory=list)
    name: str = ""
    live: tuple[str, ...] = ()


@dataclass(slots=True)
class Code:
    """The instructions of one operation, from the first one on."""

    instructions: list[Instruction]


def flatten(body: language.Body) -> Code:
    """The instructions of an operation's body. A body without a return at its end returns None."""
    writer = _Writer()
    writer.body((*body, language.Return(language.Const(None))))
    _mark_live(writer.code)
    return Code(writer.code)


class _Writer:
    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self._names = 0
        self._loops: list[tuple[int, list[Instruction], int]] = []
        self._held: list[str] = []

    # -- statements

    def body(self, body: language.Body) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: language.Statement) -> None:
        match statement:
            case language.Let(name, value):
                self.emit("let", value, target=name)
            case language.Unpack(names, value):
                whole = self.into_variable(value)
                for i, name in enumerate(names):
                    self.emit_pure("let", [_item(whole, i)], {whole}, target=name)
            case language.Do(value):
                self.expression(value)
            case language.If(condition, then, otherwise):
                yes, no = self.condition(condition)
                self.land(yes)
                self.body(then)
                over = self.jump()
                self.land(no)
                self.body(otherwise)
                self.land([over])
            case language.While(condition, body):
                self.loop(condition, body)
            case language.With(lock, body):
                self.lock("acquire", lock)
                self._held.append(lock)
                self.body(body)
                self._held.pop()
                self.lock("release", lock)
            case language.Acquire(lock):
                self.lock("acquire", lock)
            case language.Release(lock):
                self.lock("release", lock)
            case language.Return(value):
                result = self.into_variable(value) if self._held else None
                for lock in reversed(self._held):
                    self.lock("release", lock)
                self.emit("return", language.Local(result) if result else value)
            case language.Assert(condition):
                self.emit("assert", condition)
            case language.Simple(word):
                self.simple(word)

    def loop(self, condition: language.Expression, body: language.Body) -> None:
        start = len(self.code)
        always = condition == language.Const(value=True)
        yes, no = ([], []) if always else self.condition(condition)
        self.land(yes)
        ends: list[Instruction] = []
        self._loops.append((start, ends, len(self._held)))
        self.body(body)
        self._loops.pop()
        self.jump().jumps = [start]
        self.land(no)
        self.land(ends)

    def simple(self, word: str) -> None:
        if word in {"fence", "point"}:
            self.emit_pure(word, [], set())
            return
        start, ends, held = self._loops[-1]
        for lock in reversed(self._held[held:]):
            self.lock("release", lock)
        if word == "continue":
            self.jump().jumps = [start]
        else:
            ends.append(self.jump())

    def lock(self, kind: str, name: str) -> None:
        self.code.append(Instruction(kind, places=(Place("cell", name),)))

    # -- expressions

    def expression(self, expression: language.Expression) -> tuple[Compute, set[str]]:
        """Emit the accesses of an expression; the remaining expression uses only variables."""
        match expression:
            case language.Const(value):
                constant = encoded(value)
                return lambda _: constant, set()
            case language.Local(name):
                return lambda env: env[name], {name}
            case language.Binary(operator, left, right):
                return self.combined(_OPERATORS[operator], [left, right])
            case language.Not(operand):
                return self.combined(lambda value: FALSE if truth(value) else TRUE, [operand])
            case language.Part(of, name):
                return self.combined(lambda value: value[value.index(name) + 1], [of])
            case language.Record(fields):
                names = [name for name, _ in fields]
                return self.combined(
                    lambda *values: ("r", *(x for pair in zip(names, values, strict=True) for x in pair)),
                    [value for _, value in fields],
                )
            case language.Items(items):
                return self.combined(lambda *values: ("t", *values), list(items))
            case language.New(node, fields):
                computes, uses = self.all([value for _, value in fields])
                target = self.fresh()
                self.emit_pure("new", computes, uses, target=target)
                self.code[-1].name = " ".join([node, *(name for name, _ in fields)])
                return lambda env: env[target], {target}
            case language.Access(kind, place, operands):
                return self.access(kind, (place,), operands)
            case language.Dcas(first, second, operands):
                return self.access("dcas", (first, second), operands)
            case language.Both() | language.Either():
                raise NotImplementedError("and, or outside a condition")

    def access(
        self, kind: str, places: tuple[language.Place, ...], operands: tuple[language.Expression, ...]
    ) -> tuple[Compute, set[str]]:
        wanted: list[language.Expression] = []
        resolved = []
        for place in places:
            match place:
                case language.Cell(name):
                    resolved.append(Place("cell", name))
                case language.Element(array, index):
                    resolved.append(Place("element", array, operand=len(wanted)))
                    wanted.append(index)
                case language.Field(owner, node, name):
                    resolved.append(Place("field", name, owner, operand=len(wanted)))
                    wanted.append(node)
        computes, uses = self.all([*wanted, *operands])
        target = None if kind == "store" else self.fresh()
        self.code.append(Instruction(kind, tuple(computes), frozenset(uses), target, tuple(resolved)))
        if target is None:
            return lambda _: None, set()
        return lambda env: env[target], {target}

    def all(self, expressions: list[language.Expression]) -> tuple[list[Compute], set[str]]:
        computes, uses = [], set()
        for expression in expressions:
            compute, used = self.expression(expression)
            computes.append(compute)
            uses |= used
        return computes, uses

    def combined(
        self, function: Callable[..., Value], expressions: list[language.Expression]
    ) -> tuple[Compute, set[str]]:
        computes, uses = self.all(expressions)
        if len(computes) == 2:
            left, right = computes
            return lambda env: function(left(env), right(env)), uses
        return lambda env: function(*[compute(env) for compute in computes]), uses

    def condition(self, condition: language.Expression) -> tuple[list[Instruction], list[Instruction]]:
        """Emit a condition; return the jumps taken if it holds, and those taken if it does not."""
        match condition:
            case language.Both(left, right):
                yes, no = self.condition(left)
                self.land(yes)
                then, also_no = self.condition(right)
                return then, no + also_no
            case language.Either(left, right):
                yes, no = self.condition(left)
                self.land(no)
                also_yes, otherwise = self.condition(right)
                return yes + also_yes, otherwise
            case language.Not(operand):
                yes, no = self.condition(operand)
                return no, yes
        self.emit("branch", condition)
        branch = self.code[-1]
        yes_jump, no_jump = self.jump(), self.jump()
        branch.jumps = [len(self.code) - 2, len(self.code) - 1]
        return [yes_jump], [no_jump]

    # -- writing

    def emit(self, kind: str, value: language.Expression, *, target: str | None = None) -> None:
        compute, uses = self.expression(value)
        self.emit_pure(kind, [compute], uses, target=target)

    def emit_pure(self, kind: str, operands: list[Compute], uses: set[str], *, target: str | None = None) -> None:
        self.code.append(Instruction(kind, tuple(operands), frozenset(uses), target))

    def into_variable(self, value: language.Expression) -> str:
        target = self.fresh()
        self.emit("let", value, target=target)
        return target

    def fresh(self) -> str:
        self._names += 1
        return f"%{self._names}"

    def jump(self) -> Instruction:
        self.code.append(Instruction("jump"))
        return self.code[-1]

    def land(self, jumps: list[Instruction]) -> None:
        for jump in jumps:
            jump.jumps = [len(self.code)]


def _mark_live(code: list[Instruction]) -> None:
    after: list[set[str]] = [set() for _ in code]
    before: list[set[str]] = [set() for _ in code]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(code))):
            instruction = code[i]
            out: set[str] = set()
            for follower in _followers(code, i):
                out |= before[follower]
            into = (out - {instruction.target}) | instruction.uses
            changed |= into != before[i]
            after[i], before[i] = out, into
    for i, instruction in enumerate(code):
        instruction.live = tuple(sorted(name for name in after[i] if name != instruction.target))


def _followers(code: list[Instruction], i: int) -> list[int]:
    if code[i].kind in {"jump", "branch"}:
        return code[i].jumps
    return [] if code[i].kind == "return" else [i + 1]


def _item(name: str, i: int) -> Compute:
    return lambda env: env[name][i + 1]


def _comparison(test: Callable[[Value, Value], bool]) -> Callable[[Value, Value], Value]:
    return lambda left, right: TRUE if test(left, right) else FALSE


_OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "==": _comparison(lambda left, right: left == right),
    "!=": _comparison(lambda left, right: left != right),
    "is": _comparison(lambda left, right: left == right),
    "is not": _comparison(lambda left, right: left != right),
    "<": _comparison(lambda left, right: left < right),
    "<=": _comparison(lambda left, right: left <= right),
    ">": _comparison(lambda left, right: left > right),
    ">=": _comparison(lambda left, right: left >= right),
}
