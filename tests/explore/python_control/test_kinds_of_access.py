# SPDX-License-Identifier: Apache-2.0
"""The reduction sees every way in which code reads what another thread writes.

Each case is a class of two methods, made from three lines of source: the shared state, the steps that change it, and
the read. The oracles do not use accesses: all schedules if feasible, otherwise all those with few preemptions; and
schedules that switch before each instruction, up to two preemptions.
"""

from __future__ import annotations

import collections  # noqa: F401 - as others here, used by the cases
import copy  # noqa: F401
import dataclasses
import functools  # noqa: F401
import heapq  # noqa: F401
import itertools  # noqa: F401
import json  # noqa: F401
import linecache
import operator  # noqa: F401
import os  # noqa: F401
import pickle  # noqa: F401
import queue  # noqa: F401
import types
from typing import Any, ClassVar

import pytest

from linpoint.explore import _native_control as native
from linpoint.subjects.python_object.scenario_runner import result_value
from tests.explore.python_control.outcomes import Explored, explore

_MOST_RUNS = 1_500
_PATIENCE = 120.0


class Cell:
    def __init__(self, n=0):
        self.n = n
        self.m = 0

    def __lt__(self, other):
        return self.n < other.n


@dataclasses.dataclass
class Data:
    a: int = 0
    b: int = 0
    l: list[int] = dataclasses.field(default_factory=list)


class Borg:
    shared: ClassVar[dict[str, Any]] = {}

    def __init__(self):
        self.__dict__ = self.shared


class Replaced:
    kind: Any = int

    def first(self):
        return 1

    def second(self):
        return 2


class Overflowing(dict[str, int]):
    def __missing__(self, key):
        return len(self)


def function() -> None:
    pass


a_module = types.ModuleType("a_module")

SOURCE = """
number = 0

def look():
    return number

class Case:
    def __init__(self):
        {there}

    def change(self):
        {changes}

    def look(self):
        {looks}
"""

_TWO = "self.n = 1; self.m = 1"
_LIST = "self.l = [1, 2]"
_APPEND = "self.l.append(3); self.l.append(4)"
_DICT = "self.d = {'a': 0, 'b': 0}"
_PUT = "self.d['a'] = 1; self.d['b'] = 1; self.d['c'] = 1"
_NESTED = "self.i = [0]; self.j = [0]; self.l = [self.i, self.j]; self.t = (self.i, self.j)"
_GROW = "self.i.append(1); self.j.append(1); self.i.append(2)"
_CELLS = "self.c = [Cell(2), Cell(1)]"
_CHANGE = "self.c[0].n = 0; self.c[1].n = 3; self.c.append(Cell(9))"
_DATA = "self.d = Data()"
_SET = "self.d.a = 1; self.d.l.append(1); self.d.b = 1"
_NUMBERS = "self.n = 0; self.m = 0"

CASES: dict[str, tuple[str, str, str]] = {
    # --- attributes, without a dot
    "the dict of an object is read": (_NUMBERS, _TWO, "self.__dict__['m'], self.__dict__['n']"),
    "the dict of an object is written": (
        _NUMBERS,
        "self.__dict__['n'] = 5; self.__dict__['m'] = 5",
        "self.n, self.m",
    ),
    "the dict of an object is updated": (_NUMBERS, "self.__dict__.update(n=5, m=5)", "self.n, self.m"),
    "vars": (_NUMBERS, "v = vars(self); v['n'] += 1", "self.n += 1; return self.n"),
    "a dict that two objects share": (
        "Borg.shared = {'n': 0, 'm': 0}; self.x = Borg(); self.y = Borg()",
        "self.x.n = 1; self.x.m = 1",
        "self.y.n, self.y.m",
    ),
    "getattr and setattr": (_NUMBERS, "setattr(self, 'n', 1); setattr(self, 'm', 1)", "getattr(self, 'm'), self.n"),
    "an attribute getter": (_NUMBERS, _TWO, "operator.attrgetter('m')(self), operator.attrgetter('n')(self)"),
    "a getter of two attributes": (_NUMBERS, _TWO, "operator.attrgetter('m', 'n')(self)"),
    "a getter of an attribute of an attribute": (
        "self.c = Cell()",
        "self.c.n = 1; self.c.m = 1",
        "operator.attrgetter('c.m')(self), self.c.n",
    ),
    "a namespace": (
        "self.s = types.SimpleNamespace(n=0, m=0)",
        "s = self.s; s.n = 1; s.m = 1",
        "s = self.s; return s.m, s.n",
    ),
    "attributes of a function": (
        "function.n = 0",
        "function.n += 1; return function.n",
        "function.n += 1; return function.n",
    ),
    "an attribute of a partial": (
        "self.p = functools.partial(len); self.p.n = 0",
        "self.p.n = 1; self.p.n = 2",
        "p = self.p; return p.n, p.n",
    ),
    "a method that is replaced": (
        "self.r = Replaced()",
        "self.r.first = self.r.second",
        "self.r.first(), self.r.first()",
    ),
    "a private method that is replaced": (
        "Case.__f = lambda self: 1",
        "self.__f = lambda: 2",
        "self.__f(), self.__f()",
    ),
    "a class that is replaced": ("self.r = Replaced()", "self.r.kind = str", "self.r.kind, self.r.kind"),
    "a class attribute that is replaced": (
        "Replaced.kind = int; self.r = Replaced()",
        "Replaced.kind = str",
        "Replaced.kind, self.r.kind",
    ),
    "names of a module": (
        "a_module.n = 0; a_module.m = 0",
        "a_module.n = 1; a_module.m = 1",
        "a_module.__dict__['m'], a_module.n",
    ),
    "a function of a module": (
        "a_module.f = len",
        "a_module.f = str",
        "a_module.f('x'), a_module.f('x')",
    ),
    "global names as a dict": (
        "globals()['number'] = 0",
        "globals()['number'] += 1; globals()['number'] += 1",
        "number, look()",
    ),
    "a class as a mapping": (
        "Replaced.kind = 0",
        "Replaced.kind = 1; Replaced.kind = 2",
        "vars(Replaced)['kind'], Replaced.kind",
    ),
    # --- closures
    "a variable of the enclosing function": (
        "self.f = None",
        "x = 0; f = lambda: x; self.f = f; x = 1; x = 2",
        "f = self.f; return f and (f(), f())",
    ),
    # --- iterators around containers
    "enumerate": (_LIST, _APPEND, "[x for _, x in enumerate(self.l)]"),
    "zip": (_LIST, _APPEND, "[x for x, _ in zip(self.l, self.l)]"),
    "map": (_LIST, _APPEND, "[x for x in map(abs, self.l)]"),
    "filter": (_LIST, _APPEND, "[x for x in filter(None, self.l)]"),
    "reversed": (_LIST, _APPEND, "r = reversed(self.l); return tuple(r), len(self.l)"),
    "chain": (_LIST, _APPEND, "[x for x in itertools.chain(self.l, self.l)]"),
    "chain of the contents of a list": (_LIST, _APPEND, "list(itertools.chain.from_iterable([self.l, self.l]))"),
    "islice": (_LIST, _APPEND, "[x for x in itertools.islice(self.l, 3)]"),
    "accumulate": (_LIST, _APPEND, "a = itertools.accumulate(self.l); return list(a)"),
    "groupby": (_LIST, _APPEND, "[k for k, _ in itertools.groupby(self.l)]"),
    "an iterator that is kept": (_LIST + "; self.k = enumerate(self.l)", _APPEND, "list(self.k)"),
    "next": (_LIST, _APPEND, "e = enumerate(self.l); return [next(e, None) for _ in range(3)]"),
    "enumerated items": (_DICT, _PUT, "[x for _, x in enumerate(self.d.items())]"),
    "keys and values": (_DICT, _PUT, "list(zip(self.d, self.d.values()))"),
    "a view that is kept": (_DICT + "; self.v = self.d.values()", _PUT, "list(self.v), len(self.v)"),
    "a method of a dict, mapped": (_DICT, _PUT, "list(map(self.d.get, 'cba'))"),
    "a method of a dict, as a key": (_DICT, _PUT, "sorted(self.d, key=self.d.__getitem__)"),
    "the items of a mapping in Python": (
        "self.d = collections.UserDict(a=0)",
        "self.d['b'] = 1; self.d['c'] = 1",
        "dict(self.d), list(self.d.values())",
    ),
    # --- objects inside an object that is read
    "repr": (_NESTED, _GROW, "repr(self.l)"),
    "str of a tuple": (_NESTED, _GROW, "str(self.t)"),
    "formatted": (_NESTED, _GROW, "f'{self.l} {self.t}'"),
    "formatted by a method": (_NESTED, _GROW, "'{}'.format(self.t)"),
    "formatted by an operator": (_NESTED, _GROW, "'%s %s' % self.t"),
    "compared": (_NESTED, _GROW, "self.l == [[0, 1], [0]], self.t == ([0, 1], [0, 1])"),
    "ordered": (_NESTED, _GROW, "self.l < [[0, 1], [0, 0]], self.t < ([0, 1], [0, 0])"),
    "a member": (_NESTED, _GROW, "[0, 1] in self.l, [0, 1] in self.t"),
    "counted": (_NESTED, _GROW, "self.l.count([0, 1]), self.t.count([0, 1])"),
    "the largest": (_NESTED, _GROW, "len(max(self.l))"),
    "added up": (_NESTED, _GROW, "sum(self.l, [])"),
    "copied": (_NESTED, _GROW, "copy.deepcopy(self.l)"),
    "as JSON": (_NESTED, _GROW, "json.dumps(self.l), json.dumps(self.t)"),
    "pickled": (_NESTED, _GROW, "pickle.loads(pickle.dumps(self.l))"),
    "text of each": (_NESTED, _GROW, "''.join(map(str, self.l))"),
    "the length of each": (_NESTED, _GROW, "list(map(len, self.l))"),
    "returned": (_NESTED, _GROW, "self.l"),
    "returned in something new": (_NESTED, _GROW, "x = self.i; return {'a': x, 'b': (self.j,)}"),
    "in an exception": (_NESTED, _GROW, "repr(ValueError(self.l))"),
    # --- objects read by uninstrumented code, or by code written in C
    "a data class as a dict": (_DATA, _SET, "dataclasses.asdict(self.d)"),
    "a data class with one change": (_DATA, _SET, "dataclasses.replace(self.d, a=7).b"),
    "a data class, compared": (_DATA, _SET, "self.d == Data(1, 0, []), self.d == Data(1, 0, [1])"),
    "a copy of an object": (_DATA, _SET, "c = copy.copy(self.d); return c.a, c.b"),
    "a pickled object": (_DATA, _SET, "c = pickle.loads(pickle.dumps(self.d)); return c.a, c.b"),
    "the variables of an object": (_DATA, _SET, "repr(sorted(vars(self.d).items(), key=str))"),
    "the environment": (
        "os.environ['LINPOINT_A'] = os.environ['LINPOINT_B'] = '0'",
        "os.environ['LINPOINT_A'] = '1'; os.environ['LINPOINT_B'] = '1'",
        "os.getenv('LINPOINT_B'), os.environ['LINPOINT_A']",
    ),
    # --- code written in C that calls Python functions
    "the largest by a function": (_CELLS, _CHANGE, "max(self.c, key=lambda each: each.n).n"),
    "sorted by an attribute": (_CELLS, _CHANGE, "[each.n for each in sorted(self.c, key=operator.attrgetter('n'))]"),
    "mapped to an attribute": (_CELLS, _CHANGE, "list(map(operator.attrgetter('n'), self.c))"),
    "reduced": (_CELLS, _CHANGE, "functools.reduce(lambda total, each: 10 * total + each.n, self.c, 0)"),
    "grouped": (_CELLS, _CHANGE, "[k for k, _ in itertools.groupby(self.c, key=lambda each: each.n > 1)]"),
    "sorted in place": (_CELLS, "self.c[0].n = 0; self.c.append(Cell(9))", "self.c.sort(); return len(self.c)"),
    "empty while it is sorted": ("self.l = [2, 1]", "self.l.sort(key=lambda each: -each)", "len(self.l), sum(self.l)"),
    "a cached function": (
        "self.n = 0; self.f = functools.lru_cache(lambda: self.n)",
        "self.n = 1; self.f.cache_clear()",
        "self.f(), self.f.cache_info().misses",
    ),
    "a cached function without accesses": (
        "self.f = functools.lru_cache(maxsize=1)(lambda k: 2 * k)",
        "self.f(1); return self.f.cache_info().misses",
        "self.f(1); return self.f.cache_info().misses",
    ),
    "a default from a factory": (
        "self.d = collections.defaultdict(list)",
        "self.d['a'].append(1); self.d['b'].append(1)",
        "len(self.d), 'a' in self.d, 'b' in self.d",
    ),
    "a default from a Python factory": (
        "self.n = 0; self.d = collections.defaultdict(lambda: self.n)",
        "self.n = 1; self.n = 2",
        "self.d['a'], self.d['a'], self.n",
    ),
    "a missing item": ("self.d = Overflowing()", "self.d['a'] = 7; self.d['b'] = 8", "self.d['c'], self.d['a']"),
    # --- callables that wrap others
    "a partial of a method": (
        _LIST,
        "functools.partial(self.l.append, 3)(); self.l.append(4)",
        "tuple(self.l), len(self.l)",
    ),
    "a partial of a function": (
        "self.h = [3]",
        "functools.partial(heapq.heappush, self.h)(1); heapq.heappush(self.h, 0)",
        "self.h[0], len(self.h)",
    ),
    "a method caller": (
        _LIST,
        "operator.methodcaller('append', 3)(self.l); self.l.append(4)",
        "tuple(self.l), len(self.l)",
    ),
    "an item getter": (_DICT, _PUT, "operator.itemgetter('b')(self.d), operator.itemgetter('a')(self.d)"),
    # --- buffers
    "a view of bytes is written": (
        "self.b = bytearray(2); self.v = memoryview(self.b)",
        "self.v[0] = 1; self.v[1] = 1",
        "self.b[1], self.b[0]",
    ),
    "two views of bytes": (
        "self.b = bytearray(2); self.v = memoryview(self.b)",
        "self.v[0] = 1; self.v[1] = 1",
        "w = memoryview(self.b); return w[1], w[0]",
    ),
    "the size of a simple queue": (
        "self.q = queue.SimpleQueue()",
        "self.q.put(1); self.q.put(2)",
        "self.q.qsize(), self.q.empty()",
    ),
}


def made(name: str) -> Any:
    """The class of a case."""
    there, changes, looks = CASES[name]
    source = SOURCE.format(there=there, changes=changes, looks=looks if "return" in looks else f"return {looks}")
    file = f"<a way to touch: {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(globals())
    exec(compile(source, file, "exec"), names)
    return names["Case"]


def shown(make: Any, explorer: native.Explorer | None, **options: Any) -> Explored:
    return explore(
        make,
        [[("change",)], [("look",)]],
        explorer=explorer,
        most_runs=_MOST_RUNS,
        patience=_PATIENCE,
        result=result_value,
        **options,
    )


@pytest.mark.parametrize("name", CASES)
def test_no_schedule_is_lost(name: str) -> None:
    make = made(name)
    reduced = shown(make, None)
    assert reduced.exhaustive
    everything = shown(make, native.explore_bounded(1_000))
    assert everything.outcomes <= reduced.outcomes
    assert everything.outcomes == reduced.outcomes or not everything.exhaustive
    fine = shown(make, native.explore_bounded(2), granularity="opcode")
    assert fine.results <= reduced.results
