# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the PAT paper, row by row: our verdict, states and time compared with the paper's.

Source: Liu et al., *Model Checking Linearizability via Refinement*, FM 2009. Its times are from a PC of 2009; of its
two variants, with and without partial-order reduction, the faster one is shown. States are not comparable with PAT's,
whose steps differ (see ``csp_counts``): linpoint needs fewer, because calls, returns and local steps are not separate
steps, dead variables are forgotten, and equivalent processes are sorted.

The register, the stack and the buggy queue are checked with any number of operations, as in the paper. The paper's
queue is Michael and Scott's with a bound on its size; ours makes a bounded number of operations, as many as can fill it
to that size. Its mailbox has bounded timestamps and ours has not.

The size of SNZI is the number of nodes of its tree. As in PAT's examples, each process arrives at some node and departs
from it several times, concurrently with one that only queries. The number of times is not stated, but the numbers of
states suggest it: from the first row to the second they grow by a factor of 25, and ours by 500 with the same number in
both. So it seems to be twice in the first and once in the second. Ours may also arrive twice before it departs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from examples.models.array_queue import ArrayQueue
from examples.models.mailbox import Mailbox
from examples.models.michael_scott import MichaelScott
from examples.models.register import Register
from examples.models.snzi import WatchedSnzi, WatchedSnziOfThree
from examples.models.stack_height import StackHeight
from linpoint import Model, check_model
from linpoint.verdicts.result import ModelResult
from linpoint.verdicts.status import Answer

_ONE_READER: Final = {"reader": 1, "writer": 1}


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and the parameters of our check. ``states`` and ``seconds`` are the paper's."""

    name: str
    states: int
    seconds: float
    model: type[Model]
    constants: Mapping[str, Any] = field(default_factory=dict)
    processes: int | Mapping[str, int] = 2
    operations: int = 0
    points: bool = False
    holds: bool = True

    def check(self, *, jobs: int | None = None) -> ModelResult:
        """The answer of linpoint."""
        return check_model(
            self.model.with_(**self.constants) if self.constants else self.model,
            processes=self.processes,
            operations=self.operations,
            points=self.points,
            jobs=jobs,
        )

    def is_right(self, result: ModelResult) -> bool:
        """Whether it agrees with the paper's verdict."""
        return result.answer is (Answer.HOLDS if self.holds else Answer.VIOLATION)


ROWS: Final = (
    Row("4-valued register", 43_977, 5.72, Register, {"K": 4}, _ONE_READER),
    Row("5-valued register", 349_333, 44.9, Register, {"K": 5}, _ONE_READER),
    Row("6-valued register", 2_062_437, 297, Register, {"K": 6}, _ONE_READER),
    Row("3-valued register, 2 readers", 479_859, 294, Register, {"K": 3}, {"reader": 2, "writer": 1}),
    Row("stack of size 12", 395_345, 65.9, StackHeight, {"S": 12}),
    Row("stack of size 14", 599_077, 99.4, StackHeight, {"S": 14}),
    Row("stack of size 2, 3 processes", 4_767_519, 4_321, StackHeight, {"S": 2}, 3),
    Row("stack of size 12 (points)", 9_677, 0.62, StackHeight, {"S": 12}, points=True),
    Row("stack of size 14 (points)", 12_963, 0.82, StackHeight, {"S": 14}, points=True),
    Row("stack of size 2 (points), 3 processes", 10_385, 1.14, StackHeight, {"S": 2}, 3, points=True),
    Row("stack of size 2 (points), 4 processes", 219_471, 37.6, StackHeight, {"S": 2}, 4, points=True),
    Row("queue of size 6", 343_446, 86.2, MichaelScott, operations=3),
    Row("queue of size 8", 938_542, 218, MichaelScott, operations=4),
    Row("buggy queue of size 10", 32_126, 6.87, ArrayQueue, {"L": 10}, holds=False),
    Row("buggy queue of size 20", 105_326, 41.1, ArrayQueue, {"L": 20}, holds=False),
    Row("mailbox of 3 operations", 120_166, 27.8, Mailbox, operations=3),
    Row("mailbox of 4 operations", 3_696_700, 954, Mailbox, operations=4),
    Row("SNZI of size 2", 341_845, 322, WatchedSnzi, processes={"client": 2, "watcher": 1}, operations=4),
    Row(
        "SNZI of size 3, 3 processes",
        8_451_568,
        6_214,
        WatchedSnziOfThree,
        processes={"client": 3, "watcher": 1},
        operations=2,
    ),
)


def table() -> Iterator[tuple[str, bool]]:
    """The lines in order, each with whether its answer is wrong."""
    yield f"{'Table 1':40}{'paper: states':>14}{'seconds':>10}{'ours: states':>14}{'seconds':>10}  verdict", False
    for row in ROWS:
        result = row.check()
        verdict = result.answer.value if row.is_right(result) else f"WRONG: {result.answer.value}, {result.why}"
        paper = f"{row.states:>14,}{row.seconds:>10,.2f}"
        ours = f"{result.explored.states:>14,}{result.explored.seconds:>10.2f}"
        yield f"{row.name:40}{paper}{ours}  {verdict}", not row.is_right(result)
