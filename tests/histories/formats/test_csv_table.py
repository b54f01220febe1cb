# SPDX-License-Identifier: Apache-2.0
"""CSV: JSON in the cells, plain text where a cell is not JSON, and columns with other names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from linpoint.errors import LinpointError
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome

Reader = Callable[..., History]


def test_cells_are_json_or_plain_text(read: Reader) -> None:
    history = read('''\
process,op,args,result,call,return,outcome,key,node
0,write,[3],null,10,25,,k,n1
client-1,read,,3,12,30.5,ok,7,n2
"2",enqueue,"[""a, b""]",,5,,failed,"""7""",

3,"dequeue",,,6,,,true
''')
    assert history.operations == (
        Operation(0, "write", (3,), None, 10, 25, key="k", line=2),
        Operation("client-1", "read", (), 3, 12, 30.5, key=7, line=3),
        Operation(2, "enqueue", ("a, b",), None, 5, None, Outcome.FAILED, key="7", line=4),
        Operation(3, "dequeue", (), None, 6, None, Outcome.UNKNOWN, key=True, line=6),
    )


def test_order_columns_are_read(read: Reader) -> None:
    history = read(
        "process,op,call,return,result,order\n0,read,1,2,5,17\n1,read,1,2,5,\n2,read,1,2,5,2.5\n3,read,1,2,5,null\n"
    )
    assert [op.order for op in history] == [17, None, 2.5, None]


def test_columns_may_have_other_names(read: Reader) -> None:
    text = "client,f,start,end,value\nc1,read,1,2,5\n"
    columns = {"process": "client", "op": "f", "call": "start", "return": "end", "result": "value"}
    assert read(text, columns=columns).operations == (Operation("c1", "read", (), 5, 1, 2, line=2),)


def test_crashes_and_annotations_are_read(read: Reader) -> None:
    history = read(
        "process,op,call,return,result,crash,annotation,time,until\n0,read,1,2,5\n,,,,,true,,3\n,,,,,,kill n1,3,4\n,,,,,object,,7\n"
        ',,,,,"""object""",,8\n'
    )
    expected = (Crash(3, line=3), Crash(7, line=5, of_object=True), Crash(8, line=6, of_object=True))
    assert (len(history), history.crashes) == (1, expected)
    assert history.annotations == (Annotation("kill n1", 3, 4, line=4),)


def test_a_cell_may_span_two_lines(read: Reader) -> None:
    history = read('process,op,call,args,result,return\n0,f,1,"[1,\n2]",0,2\n0,f,2,[],0,3\n')
    assert [(op.args, op.line) for op in history] == [((1, 2), 2), ((), 4)]


@pytest.mark.parametrize(
    ("columns", "code"), [({"start": "call"}, "LP-U001"), ({"call": "start"}, "LP-H006")], ids=["field", "column"]
)
def test_an_invalid_column_mapping_is_rejected(read: Reader, columns: dict[str, str], code: str) -> None:
    with pytest.raises(LinpointError) as caught:
        read("process,op,call\n0,read,1\n", columns=columns)
    assert caught.value.code == code
    assert caught.value.remedy
