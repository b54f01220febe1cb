# SPDX-License-Identifier: Apache-2.0
"""A tiny language of litmus programs: threads of loads, stores, fences, read-modify-writes, waiting loops and mutexes.

Threads are separated by ``|``, operations by ``;``; variables are x, y, z and w, all 0 at first, mutexes m and n:

    x = 1; x = r + 1; r = x; fence; r = x.exchange(1); r = x.add(1); r = x.cas(0, 1)
    await x == 1; await x != 0; await x.exchange(1) == 0; lock m; unlock m

``r + 1`` is one more than the last value that the thread has read. ``@order`` after an operation is its memory order:
relaxed by default, but seq_cst for a fence. A compare-and-swap reads whether it succeeded. Text after the ``r`` of a
register is for readers only: a result lists the values that the threads have read, in program order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

VARIABLES = "xyzw"
MUTEXES = "mn"
ORDERS = {"relaxed": "x", "acquire": "a", "release": "r", "acq_rel": "b", "seq_cst": "s"}

_FORMS = {
    "S": r"(?P<place>[xyzw]) = (?P<value>\d)",
    "I": r"(?P<place>[xyzw]) = r\d* \+ 1",
    "L": r"r\d* = (?P<place>[xyzw])",
    "F": r"fence",
    "X": r"r\d* = (?P<place>[xyzw])\.exchange\((?P<value>\d)\)",
    "A": r"r\d* = (?P<place>[xyzw])\.add\((?P<value>\d)\)",
    "C": r"r\d* = (?P<place>[xyzw])\.cas\((?P<expected>\d), (?P<value>\d)\)",
    "E": r"await (?P<place>[xyzw]) == (?P<value>\d)",
    "N": r"await (?P<place>[xyzw]) != (?P<value>\d)",
    "W": r"await (?P<place>[xyzw])\.exchange\((?P<value>\d)\) == (?P<expected>\d)",
    "M": r"lock (?P<place>[mn])",
    "U": r"unlock (?P<place>[mn])",
}


@dataclass(frozen=True)
class Op:
    """``kind`` is a key of the forms above, ``place`` the number of a variable or of a mutex."""

    kind: str
    place: int = 0
    value: int = 0
    expected: int = 0
    order: str = "relaxed"

    @property
    def code(self) -> str:
        """For the interpreter."""
        return f"{self.kind}{self.place}{self.value}{self.expected}{ORDERS[self.order]}"


Program = tuple[tuple[Op, ...], ...]


def parse(text: str) -> Program:
    """The program in a text."""
    return tuple(tuple(_op(each.strip()) for each in thread.split(";")) for thread in text.split("|"))


def _op(text: str) -> Op:
    what, _, order = (part.strip() for part in text.partition("@"))
    for kind, form in _FORMS.items():
        found = re.fullmatch(form, what)
        if found is not None:
            parts = found.groupdict()
            names = MUTEXES if kind in "MU" else VARIABLES
            place = names.index(parts["place"]) if "place" in parts else 0
            order = order or ("seq_cst" if kind == "F" else "relaxed")
            return Op(kind, place, int(parts.get("value") or 0), int(parts.get("expected") or 0), order)
    raise ValueError(f"no operation of a litmus program: {text}")


def code(program: Program) -> str:
    """The argument of the interpreter."""
    return "|".join("".join(op.code for op in thread) for thread in program)


def printed(results: tuple[tuple[int, ...], ...], memory: tuple[int, ...]) -> str:
    """The output of the interpreter."""
    read = "".join("".join(f"{value} " for value in thread) + "| " for thread in results)
    return read + "".join(f"{value} " for value in memory) + "\n"
