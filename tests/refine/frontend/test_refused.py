# SPDX-License-Identifier: Apache-2.0
"""Unsupported Python in models is rejected: with the exact column, the fact, and the code to write instead.

``refused.txt`` has bodies of the method ``run`` below, each followed by its error. Places count from the first line and
column of the body; places outside it are given by the text of their line.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

import linpoint
from linpoint.refine.frontend import compile_model
from tests.refine.frontend.running import load

MODEL = """
import functools
import logging
import time
import linpoint

LOGGER = logging.getLogger()

class Example(linpoint.Model):
    class Node:
        value: int
        next: "Node"

    class Link:
        to: linpoint.Atomic[tuple["Link", bool]]
        held = linpoint.lock()

    table = (4, 5, 6)
    logger = LOGGER
    x = linpoint.atomic(0)
    y = linpoint.atomic(0)
    flag = linpoint.atomic(False)
    head = linpoint.atomic(Node)
    pair = linpoint.atomic((None, False))
    r = linpoint.record(c=0, v=1)
    a = linpoint.array(0, size=3)
    slots = linpoint.array(linpoint.record(val=None, ref=0), size=2)
    m = linpoint.lock()

    @linpoint.operation(p=range(3), q=range(3))
    def run(self, p, q):
{body}

    def twice(self, n):
        return n * 2

    def loop(self, n):
        return self.again(n)

    def again(self, n):
        return self.loop(n)

    def sometimes(self, n):
        if n:
            return n, n

    @staticmethod
    def static(n):
        return n

    def stars(self, *n):
        return n

    @functools.cache
    def decorated(self, n):
        return n

    async def later(self, n):
        return n

    @property
    def computed(self):
        return 1
"""
GOLDEN = Path(__file__).with_name("refused.txt").read_text(encoding="utf-8")
REFUSED = re.findall(r"((?:.+\n)+?)=> (.+)\n", GOLDEN)
INDENT = 8


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("body", "expected"), REFUSED, ids=[body.split("\n")[0] for body, _ in REFUSED])
def test_unsupported_bodies_are_rejected(body: str, expected: str, tmp_path: Path) -> None:
    source = MODEL.replace("{body}", textwrap.indent(body, " " * INDENT))
    module = load(source, tmp_path)
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(module.Example)
    file, line, column = str(caught.value.place).rsplit(":", 2)
    assert file.endswith("model.py")
    within = int(line) - MODEL.split("{body}", maxsplit=1)[0].count("\n")
    is_inside = within <= body.count("\n")
    place = f"{within}:{int(column) - INDENT}" if is_inside else f"{source.split(chr(10))[int(line) - 1].strip()}"
    assert f"{place} {caught.value.code} {caught.value.message} {caught.value.remedy}" == expected


def test_there_are_enough() -> None:
    assert len(REFUSED) > 150
    assert len(GOLDEN.split("=> ")) - 1 == len(REFUSED)


@pytest.mark.parametrize(
    "code", ["LP-M002", "LP-M003", "LP-M004", "LP-M005", "LP-M006", "LP-M007", "LP-M008", "LP-M014"]
)
def test_every_error_code_of_a_body_is_covered(code: str) -> None:
    assert [expected for _, expected in REFUSED if f" {code} " in expected]


@pytest.mark.parametrize(("_", "expected"), REFUSED)
def test_each_message_states_a_fact_and_a_remedy(_: str, expected: str) -> None:
    assert re.search(r"LP-M0\d\d .+[.:] .+", expected)
