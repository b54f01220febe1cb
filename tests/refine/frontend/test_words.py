# SPDX-License-Identifier: Apache-2.0
"""The modelling primitives when run in Python, for a smoke test of a model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.refine.dsl import ModelStuckError, choosing
from tests.refine.frontend.running import load


class Treiber(linpoint.Model):
    class Node:
        value: int
        next: "Node"  # noqa: F821, UP037

    top = linpoint.atomic(Node)

    @linpoint.operation(v=range(1, 3))
    def push(self, v):
        node = self.Node(value=v)
        while True:
            top = self.top.load()
            node.next = top
            if self.top.cas(top, node):
                return

    @linpoint.operation
    def pop(self):
        while True:
            top = self.top.load()
            if top is None:
                return None
            if self.top.cas(top, top.next):
                return top.value


class Shelf(linpoint.Model):
    size = 2
    free = linpoint.atomic(size)
    flag = linpoint.atomic(False)
    slots = linpoint.array(linpoint.record(val=None, ref=0), size=size)
    owner = linpoint.record(who=None, since=0)
    marked = linpoint.atomic((None, False))
    m = linpoint.lock()
    locks = linpoint.array(linpoint.lock(), size=2)

    class Node:
        key: int = 7
        next: linpoint.Atomic[tuple["Node", bool]]  # noqa: F821, UP037
        lock = linpoint.lock()

    def setup(self):
        self.free.store(self.size * 10)

    def put(self, i, v):
        old = self.slots[i]
        return self.slots[i].cas(old, linpoint.record(val=v, ref=old.ref + 1))

    def guard(self, i):
        with self.m, self.locks[i]:
            return self.slots[i].load().val


def test_a_model_runs() -> None:
    stack = Treiber()
    stack.push(1)
    stack.push(2)
    assert (stack.pop(), stack.pop(), stack.pop()) == (2, 1, None)


def test_each_instance_has_its_own_memory() -> None:
    one, other = Treiber(), Treiber()
    one.push(1)
    assert other.pop() is None
    assert one.pop() == 1


def test_setup_runs_when_a_model_is_constructed() -> None:
    assert Shelf().free.load() == 20


def test_cells_load_swap_and_add() -> None:
    cell = linpoint.atomic(1)
    assert cell.cas(2, 3) is False
    assert cell.cas(1, 3) is True
    assert cell.swap(4) == 3
    assert cell.fetch_add(2) == 4
    assert cell.load() == 6
    assert repr(cell) == "atomic(6)"


def test_true_differs_from_1() -> None:
    cell = linpoint.atomic(1)
    assert not cell.cas(True, 2)
    pair = linpoint.atomic((None, False))
    assert not pair.cas((None, 0), (None, 1))
    assert pair.cas((None, False), (None, True))
    owner = Shelf().owner
    assert not owner.cas(linpoint.record(who=None, since=False), linpoint.record(who=1, since=0))


def test_nodes_are_equal_to_themselves_only() -> None:
    shelf = Shelf()
    one, other = shelf.Node(next=(None, False)), shelf.Node(next=(None, False))
    shelf.marked.store((one, False))
    assert not shelf.marked.cas((other, False), (None, True))
    assert shelf.marked.cas((one, False), (None, True))
    assert isinstance(one, shelf.Node)


def test_a_store_conditional_needs_an_intact_reservation() -> None:
    cell = linpoint.atomic(1)
    assert not cell.sc(2)
    assert cell.ll() == 1
    assert cell.sc(2)
    assert not cell.sc(3)
    cell.ll()
    cell.store(2)
    assert not cell.sc(3)
    cell.ll()
    cell.cas(9, 9)
    assert cell.sc(3)


def test_dcas_compares_and_swaps_two_cells() -> None:
    one, other = linpoint.atomic(1), linpoint.atomic(2)
    assert not linpoint.dcas(one, other, 1, 3, 5, 6)
    assert linpoint.dcas(one, other, 1, 2, 5, 6)
    assert (one.load(), other.load()) == (5, 6)
    with pytest.raises(linpoint.ModelError, match="LP-M008"):
        linpoint.dcas(one, one, 5, 5, 6, 6)


def test_elements_are_values_and_cells() -> None:
    shelf = Shelf()
    assert shelf.put(1, "x")
    assert shelf.slots[1] == linpoint.record(val="x", ref=1)
    assert shelf.slots[1].val == "x"
    assert shelf.guard(1) == "x"
    assert shelf.guard(0) is None
    assert len(shelf.slots) == 2
    for wrong in (-1, 2, True, "0"):
        with pytest.raises(IndexError):
            shelf.put(wrong, 1)
    with pytest.raises(linpoint.ModelError, match="LP-M008"):
        list(shelf.slots)


def test_recompiled_methods_keep_their_line_numbers() -> None:
    before = Shelf.put.__code__.co_firstlineno
    shelf = Shelf()
    assert Shelf.put.__code__.co_firstlineno == before
    shelf.slots[0] = None
    with pytest.raises(AttributeError) as caught:
        shelf.put(0, 1)
    lines = [entry.lineno for entry in caught.traceback]
    assert lines[-1] is not None
    assert (
        Path(__file__).read_text(encoding="utf-8").split("\n")[lines[1]].strip().startswith("return self.slots[i].cas")
    )


def test_records_have_fields() -> None:
    one = linpoint.record(c=1, v="x")
    assert (one.c, one.v, repr(one)) == (1, "x", "record(c=1, v='x')")
    assert one == linpoint.record(c=1, v="x")
    assert one != linpoint.record(c=2, v="x")
    assert hash(one) == hash(linpoint.record(c=1, v="x"))
    with pytest.raises(AttributeError, match="it has c, v"):
        one.d  # noqa: B018
    with pytest.raises(linpoint.ModelError, match="LP-M002"):
        one.c = 2


def test_misused_locks_raise() -> None:
    shelf = Shelf()
    with shelf.m, pytest.raises(ModelStuckError):
        shelf.m.acquire()
    with pytest.raises(RuntimeError):
        shelf.m.release()


def test_nodes_have_only_declared_fields() -> None:
    shelf = Shelf()
    node = shelf.Node(next=(None, False))
    assert node.key == 7
    assert node.next.load() == (None, False)
    node.key = 8
    with node.lock:
        assert node.key == 8
    for wrong, code in [
        (shelf.Node, "LP-M008"),
        (lambda: shelf.Node(next=(None, False), weight=1), "LP-M008"),
        (lambda: setattr(node, "next", None), "LP-M004"),
        (lambda: setattr(node, "weight", 1), "LP-M008"),
    ]:
        with pytest.raises(linpoint.ModelError, match=code):
            wrong()


def test_shared_attributes_cannot_be_replaced() -> None:
    shelf = Shelf()
    for name, remedy in [("free", "self.free.store"), ("owner", "self.owner.store"), ("other", "local variable")]:
        with pytest.raises(linpoint.ModelError, match=remedy):
            setattr(shelf, name, 1)
    with pytest.raises(linpoint.ModelError, match="LP-M004"):
        bool(shelf.flag)


def test_choose_takes_the_first_value_or_a_given_choice() -> None:
    assert linpoint.choose(range(3, 5)) == 3
    with choosing(random.Random(1).choice):
        assert {linpoint.choose((1, 2, 3)) for _ in range(50)} == {1, 2, 3}
    with choosing(max):
        assert linpoint.choose((1, 2, 3)) == 3
    with pytest.raises(ModelStuckError):
        linpoint.choose(())


def test_assumptions_are_checked_and_fences_and_points_do_nothing() -> None:
    linpoint.assume(True)
    with pytest.raises(ModelStuckError):
        linpoint.assume(None)
    assert linpoint.fence() is None
    assert linpoint.point() is None


# Changed constants


def test_changing_constants_changes_dependent_declarations() -> None:
    larger = Shelf.with_(size=4)
    shelf = larger()
    assert len(shelf.slots) == 4
    assert shelf.free.load() == 40
    assert (larger.__name__, larger.__qualname__, larger.__module__) == ("Shelf", "Shelf", __name__)
    assert issubclass(larger, linpoint.Model)
    assert len(Shelf().slots) == 2
    assert larger.with_(size=3)().free.load() == 30


def test_constants_of_base_classes_and_domains_change_too(tmp_path: Path) -> None:
    source = """
import linpoint

START = 3

class Base(linpoint.Model):
    values = 2
    pair = (1, 2)
    x = linpoint.atomic(START)
    a = linpoint.array(0, size=values * 2)

    class Node:
        value: int = values if False else 0

    @linpoint.operation(v=range(values))
    def put(self, v):
        return len(self.a) + self.values

class Derived(Base):
    more = Base.values + 1
    on = False
    b = linpoint.array(0, size=more)

    @linpoint.operation
    def get(self):
        return self.on
"""
    from linpoint.refine.frontend import compile_model

    module = load(source, tmp_path)
    made = module.Derived.with_(values=5, on=True)
    program = compile_model(made)
    assert [len(each.initial) for each in program.cells] == [1, 10, 3]  # Base is a name in the file, and stays
    assert len(program.operations[0].parameters[0].domain) == 5
    model: Any = made()
    assert (model.put(1), model.get()) == (15, True)
    assert module.Derived.with_(pair=[3, 4]).pair == (3, 4)
    assert compile_model(module.Base.with_()) is not None


def test_unknown_constants_and_invalid_values_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(linpoint.ModelError) as caught:
        Shelf.with_(sise=4)
    assert str(caught.value) == "LP-M013: Shelf has no constant sise. Did you mean size? Use one of: size."
    for wrong in ("free", "setup", "Node", "spec"):
        with pytest.raises(linpoint.ModelError, match="LP-M013"):
            Shelf.with_(**{wrong: 1})
    with pytest.raises(linpoint.ModelError, match="LP-M010"):
        Shelf.with_(size=1.5)
    with pytest.raises(linpoint.ModelError, match="LP-M010"):
        Shelf.with_(size=0)
    with pytest.raises(
        linpoint.ModelError, match=r"LP-M013: Treiber has no constant x\. Remove it; Treiber has no constants\."
    ):
        Treiber.with_(x=1)
    module = load("import linpoint\nclass A(linpoint.Model):\n    n = 2\n    m = 6 // n\n", tmp_path)
    with pytest.raises(linpoint.ModelError, match=r"LP-M013 .*:2:1: A cannot be created with n=0: ZeroDivisionError"):
        module.A.with_(n=0)


def test_a_model_without_a_source_keeps_its_constants() -> None:
    made = type("Made", (linpoint.Model,), {"n": 1, "x": linpoint.atomic(0)})
    with pytest.raises(linpoint.ModelError, match="LP-M001"):
        made.with_(n=2)


def test_a_class_in_a_function_is_a_model() -> None:
    limit = 3

    class Inner(linpoint.Model):
        size = 2
        a = linpoint.array(0, size=size)

        def put(self):
            self.a[0].store(limit)
            return self.a[0] + len(self.a)

    assert Inner().put() == 5
    assert Inner.with_(size=4)().put() == 7
