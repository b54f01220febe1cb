# SPDX-License-Identifier: Apache-2.0
"""Code with other purposes: the standard library computes the same under control, and nothing crashes.

The stack depth computed for its code agrees with the depth that the compiler reserved.
"""

from __future__ import annotations

import _pydecimal
import argparse
import ast
import base64
import calendar
import collections
import configparser
import contextlib
import copy
import dataclasses
import difflib
import dis
import email.parser
import enum
import fnmatch
import fractions
import functools
import graphlib
import html.parser
import inspect
import io
import ipaddress
import json.decoder
import json.encoder
import json.scanner
import pickle
import pprint
import random
import re
import shlex
import statistics
import string
import sysconfig
import textwrap
import tokenize
import types
import typing
import urllib.parse
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import bytecode_accesses, run_abort  # noqa: F401 - defines what the control raises
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.judging.scenario_run import RunEnding

LIBRARY = Path(sysconfig.get_path("stdlib"))
SOURCE = inspect.getsource(graphlib.TopologicalSorter)


def decimals() -> Any:
    with _pydecimal.localcontext() as context:
        context.prec = 12
        return str(_pydecimal.Decimal("1.5") ** 3 / _pydecimal.Decimal(7)), str(_pydecimal.Decimal(2).sqrt())


def arguments() -> Any:
    parser = argparse.ArgumentParser(prog="p")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("names", nargs="*")
    return vars(parser.parse_args(["--level", "4", "a", "b"])), parser.format_help()


def configuration() -> Any:
    parser = configparser.ConfigParser()
    parser.read_string("[a]\nx = 1\ny = %(x)s2\n[b]\nz: yes\n")
    return parser["a"]["y"], parser.getboolean("b", "z"), parser.sections()


def message() -> Any:
    parsed = email.parser.Parser().parsestr("From: a@b.c\nSubject: =?utf-8?q?h=C3=A9?=\n\nbody\n")
    return parsed["From"], parsed.get_payload(), parsed.as_string()


def graph() -> Any:
    return next(graphlib.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}}).static_order())


class Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, attrs))


def page() -> Any:
    links = Links()
    links.feed("<a href='x'>t &amp; u</a><br/><!-- c --><p class=q>")
    return links.seen


def pickled() -> Any:
    file = io.BytesIO()
    pickle._Pickler(file, 4).dump({"a": [1, (2, 3)], "b": {4.5, "x"}, "c": None})  # type: ignore[attr-defined]
    return sorted(pickle._Unpickler(io.BytesIO(file.getvalue())).load())  # type: ignore[attr-defined]


def encoded() -> Any:
    value = {"a": [1, 2.5, None, True], "b": {"c": "\u00e9\n"}}
    encoder = json.encoder.JSONEncoder(indent=1)
    text = "".join(encoder.iterencode(value))
    decoder = json.decoder.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring  # type: ignore[attr-defined]
    decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
    return text, decoder.decode(text)


def classes() -> Any:
    class Colour(enum.Flag):
        RED = 1
        BLUE = 2

    @dataclasses.dataclass(order=True)
    class Point:
        x: int
        y: list[int] = dataclasses.field(default_factory=list)

    pair = collections.namedtuple("pair", "a b")  # noqa: PYI024 - its code is what is wanted
    return (
        repr(Colour.RED | Colour.BLUE),
        sorted([Point(2), Point(1, [3])]),
        pair(1, 2)._replace(a=3),
        copy.deepcopy(Point(5)),
    )


@functools.singledispatch
def shown(value):
    return "other"


@shown.register
def _(value: int):
    return "int"


def functions() -> Any:
    @functools.lru_cache(maxsize=2)
    def twice(x):
        return x * 2

    with contextlib.suppress(KeyError), contextlib.ExitStack() as stack:
        stack.callback(twice, 4)
        raise KeyError
    return [twice(i) for i in (1, 2, 1, 3)], shown(1), shown("a"), functools.reduce(lambda a, b: a + b, [1, 2, 3])


def weak() -> Any:
    class Thing:
        pass

    things = [Thing(), Thing()]
    table = weakref.WeakValueDictionary(enumerate(things))
    names = weakref.WeakSet(things)
    del things[0]
    return sorted(table), len(names)


WORK = [
    (decimals, [_pydecimal]),
    (arguments, [argparse, "gettext"]),
    (configuration, [configparser]),
    (message, [email]),
    (graph, [graphlib]),
    (page, [html]),
    (pickled, [pickle]),
    (encoded, [json]),
    (classes, [enum, dataclasses, collections, copy]),
    (functions, [functools, contextlib]),
    (weak, [weakref]),
    (lambda: textwrap.wrap("a few words that are long enough " * 3, 20), [textwrap]),
    (lambda: list(difflib.unified_diff(list("abcd"), list("axcde"), lineterm="")), [difflib]),
    (lambda: string.Template("$a ${b} $$").substitute(a=1, b=2), [string]),
    (lambda: string.Formatter().format("{0:>{1}} {x!r}", 3, 5, x="y"), [string]),
    (lambda: str(fractions.Fraction("3/7") ** 2 + fractions.Fraction(1.25)), [fractions]),
    (lambda: (statistics.stdev([1, 2, 4, 9]), statistics.quantiles(range(20), n=4)), [statistics]),
    (lambda: ast.unparse(ast.parse(SOURCE)), [ast]),
    (lambda: [t.string for t in tokenize.generate_tokens(io.StringIO(SOURCE).readline)], [tokenize]),
    (lambda: shlex.split('a \'b c\' "d\\"e" f#g'), [shlex]),
    (lambda: pprint.pformat({"a": list(range(30)), "b": {"c": ("d" * 30, "e" * 50)}}), [pprint]),
    (lambda: urllib.parse.urlsplit("http://u:p@h:8/p;q?a=b#c").hostname, [urllib]),
    (lambda: urllib.parse.urlencode({"a": ["b c", "d"]}, doseq=True), [urllib]),
    (lambda: re.compile(r"(?P<a>x+)[^y-z]{2,}(?:q|r(?=s))").pattern, [re]),
    (lambda: ipaddress.ip_network("10.0.0.0/30").num_addresses, [ipaddress]),
    (lambda: list(map(str, ipaddress.ip_network("2001:db8::/126"))), [ipaddress]),
    (lambda: calendar.TextCalendar().formatmonth(2024, 2), [calendar]),
    (lambda: random.Random(5).sample(range(50), 8), [random]),
    (lambda: fnmatch.translate("a[!b]*?.py"), [fnmatch]),
    (lambda: base64.b85decode(base64.b85encode(b"some bytes")), [base64]),
    (lambda: str(inspect.signature(textwrap.wrap)), [inspect]),
    (lambda: [str(each) for each in dis.get_instructions(textwrap.dedent)][:20], [dis]),
    (lambda: typing.get_type_hints(Links.handle_starttag), [typing]),
]


def modules(given: list[Any]) -> list[Any]:
    return [__import__(each) if isinstance(each, str) else each for each in given]


def noting(work: Callable[[], Any], got: list[str]) -> Callable[[], None]:
    return lambda: got.append(repr(work()))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"granularity": "opcode"},
        {"gil": True},
        {"backend": "ast"},
        pytest.param({"backend": "ast", "granularity": "line"}, marks=pytest.mark.long),
        {"backend": "ast", "gil": True},
    ],
    ids=str,
)
def test_library_functions_compute_the_same_under_control(options):
    for work, given in WORK:
        re.purge()
        expected = repr(work())
        re.purge()
        explorer = native.explore_again([])
        with ControlSession(instrument=modules(given), most_steps=10**9, patience=600, **options) as session:
            assert explorer.begin()
            session.prepare()
            got: list[str] = []
            assert session.run(explorer, [noting(work, got)]) is RunEnding.COMPLETE
            assert native.control_steps() > 1
        assert got == [expected]


def code_objects(code: types.CodeType) -> list[types.CodeType]:
    found = [code]
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            found += code_objects(each)
    return found


def check_depths(path: Path) -> int:
    try:
        module = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return 0
    codes = code_objects(module)
    for code in codes:
        depths = bytecode_accesses.stack_depths(code)
        assert min(depths.values()) >= 0, code
        assert max(depths.values()) <= code.co_stacksize, code
        for one in dis.get_instructions(code):
            if one.offset in depths and one.opname in ("RETURN_VALUE", "RETURN_CONST"):
                assert depths[one.offset] >= (one.opname == "RETURN_VALUE"), (code, one)
        for row in bytecode_accesses.table(code):
            needed = {
                bytecode_accesses.AccessAction.CALL: row.operand + 2,
                bytecode_accesses.AccessAction.READ_BOTH: 2,
            }.get(row.action, 0)
            assert row.depth >= needed, (code, row)
    return len(codes)


def test_the_computed_stack_depth_matches_the_reserved_one():
    files = sorted(LIBRARY.glob("*.py"))[::4]
    assert sum(check_depths(path) for path in files) > 1_000


@pytest.mark.long
def test_the_computed_stack_depth_matches_in_the_whole_standard_library():
    files = [path for path in LIBRARY.rglob("*.py") if "site-packages" not in path.parts]
    assert sum(check_depths(path) for path in files) > 20_000
