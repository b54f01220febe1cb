# SPDX-License-Identifier: Apache-2.0
"""A model as source text: a class of modelling primitives, together with the class of its spec."""

from __future__ import annotations

from collections.abc import Iterator

from tests.refine.oracle import language

_INDENT = "    "


def source_of(model: language.Model, *, name: str, spec_name: str, note: str = "") -> str:
    """A whole file, to be imported or passed to the command."""
    lines = ["# SPDX-License-Identifier: Apache-2.0"]
    lines += [f"# {note}"] if note else []
    lines += ["import linpoint", "", "", "@linpoint.spec", f"class {spec_name}:"]
    lines += [_INDENT + line if line else "" for line in model.spec.strip("\n").split("\n")]
    lines += ["", "", f"class {name}(linpoint.Model):"]
    lines += [_INDENT + line if line else "" for line in _members(model)]
    return "\n".join(lines) + "\n"


def _members(model: language.Model) -> Iterator[str]:
    atomics = {(node.name, field.name): field.atomic for node in model.nodes for field in node.fields}
    for node in model.nodes:
        yield f"class {node.name}:"
        for field in node.fields:
            kind = field.kind if field.kind == "int" else f'"{field.kind}"'
            yield f"{_INDENT}{field.name}: {f'linpoint.Atomic[{kind}]' if field.atomic else kind}"
        yield ""
    for declaration in model.declarations:
        yield _declared(declaration)
    if model.setup:
        yield ""
        yield "def setup(self):"
        yield from _indented(_Printer(atomics).body(model.setup))
    for op in model.operations:
        yield ""
        yield _decorator(op)
        yield f"def {op.name}({', '.join(['self', *(name for name, _ in op.parameters)])}):"
        yield from _indented(_Printer(atomics).body(op.body))


def _declared(declaration: language.Declaration) -> str:
    match declaration:
        case language.CellDeclaration(name, language.Record() as initial):
            return f"{name} = {_Printer({}).text(initial)}"
        case language.CellDeclaration(name, initial, of):
            return f"{name} = linpoint.atomic({of or _Printer({}).text(initial)})"
        case language.ArrayDeclaration(name, initial, size):
            return f"{name} = linpoint.array({_Printer({}).text(initial)}, size={size})"
        case language.LockDeclaration(name):
            return f"{name} = linpoint.lock()"


def _decorator(op: language.Operation) -> str:
    given = [f"{name}={_domain(domain)}" for name, domain in op.parameters]
    given += [f'role="{op.role}"'] if op.role else []
    given += [f'pairs_with="{op.pairs_with}"'] if op.pairs_with else []
    return f"@linpoint.operation({', '.join(given)})" if given else "@linpoint.operation"


def _domain(values: tuple[int, ...]) -> str:
    first, last = values[0], values[-1]
    return f"range({first}, {last + 1})" if values == tuple(range(first, last + 1)) else repr(list(values))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (_INDENT + line for line in lines)


class _Printer:
    def __init__(self, atomics: dict[tuple[str, str], bool]) -> None:
        self._atomics = atomics

    def body(self, body: language.Body) -> Iterator[str]:
        if not body:
            yield "pass"
        for statement in body:
            yield from self.statement(statement)

    def statement(self, statement: language.Statement) -> Iterator[str]:
        match statement:
            case language.Let(name, value):
                yield f"{name} = {self.text(value)}"
            case language.Unpack(names, value):
                yield f"{', '.join(names)} = {self.text(value)}"
            case language.Do(language.Access("store", place, (value,), plain)) if plain or self._is_plain(place):
                yield f"{self.place(place)} = {self.text(value)}"
            case language.Do(value):
                yield self.text(value)
            case language.If(condition, then, otherwise):
                yield f"if {self.text(condition)}:"
                yield from _indented(self.body(then))
                if otherwise:
                    yield "else:"
                    yield from _indented(self.body(otherwise))
            case language.While(condition, body):
                yield f"while {self.text(condition)}:"
                yield from _indented(self.body(body))
            case language.With(lock, body):
                yield f"with self.{lock}:"
                yield from _indented(self.body(body))
            case language.Acquire(lock):
                yield f"self.{lock}.acquire()"
            case language.Release(lock):
                yield f"self.{lock}.release()"
            case language.Return(language.Const(None)):
                yield "return"
            case language.Return(language.Items(items)):
                yield f"return {', '.join(map(self.text, items))}"
            case language.Return(value):
                yield f"return {self.text(value)}"
            case language.Assert(condition):
                yield f"assert {self.text(condition)}"
            case language.Simple(word):
                yield word if word in {"break", "continue"} else f"linpoint.{word}()"

    def text(self, expression: language.Expression) -> str:
        match expression:
            case language.Const(value):
                return repr(value)
            case language.Local(name):
                return name
            case language.Binary(operator, left, right):
                return f"{self.inner(left)} {operator} {self.inner(right)}"
            case language.Not(operand):
                return f"not {self.inner(operand)}"
            case language.Both(left, right):
                return f"{self.inner(left)} and {self.inner(right)}"
            case language.Either(left, right):
                return f"{self.inner(left)} or {self.inner(right)}"
            case language.Part(of, name):
                return f"{self.inner(of)}.{name}"
            case language.Record(fields):
                return f"linpoint.record({self.named(fields)})"
            case language.Items(items):
                return f"({', '.join(map(self.text, items))})"
            case language.New(node, fields):
                return f"self.{node}({self.named(fields)})"
            case language.Access("load", place, (), plain) if plain or self._is_plain(place):
                return self.place(place)
            case language.Access(kind, place, operands):
                return f"{self.place(place)}.{kind}({', '.join(map(self.text, operands))})"
            case language.Dcas(first, second, operands):
                return (
                    f"linpoint.dcas({self.place(first)}, {self.place(second)}, {', '.join(map(self.text, operands))})"
                )

    def inner(self, expression: language.Expression) -> str:
        text = self.text(expression)
        return (
            f"({text})"
            if isinstance(expression, language.Binary | language.Not | language.Both | language.Either)
            else text
        )

    def named(self, fields: tuple[tuple[str, language.Expression], ...]) -> str:
        return ", ".join(f"{name}={self.text(value)}" for name, value in fields)

    def place(self, place: language.Place) -> str:
        match place:
            case language.Cell(name):
                return f"self.{name}"
            case language.Element(array, index):
                return f"self.{array}[{self.text(index)}]"
            case language.Field(_, node, name):
                return f"{self.inner(node)}.{name}"

    def _is_plain(self, place: language.Place) -> bool:
        return isinstance(place, language.Field) and not self._atomics[place.owner, place.name]
