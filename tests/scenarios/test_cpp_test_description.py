# SPDX-License-Identifier: Apache-2.0
"""Descriptions of tests in a C++ file, without a compiler."""

from __future__ import annotations

from typing import Any

import pytest

from linpoint.errors import TestError
from linpoint.scenarios.cpp_test_description import object_tests


def described(*names: str) -> dict[str, Any]:
    operations = [{"name": name, "parameters": [], "result": {"kind": "null"}} for name in names]
    return {"tests": [{"name": "StackTest", "operations": operations}]}


@pytest.mark.parametrize("names", [("push", "push"), ("pop_item", "pop-item")])
def test_two_operations_of_one_name_are_rejected(names: tuple[str, str]) -> None:
    with pytest.raises(TestError) as raised:
        object_tests(described(*names), "stack_test.cpp")
    error = raised.value.as_dict()
    assert (error["code"], error["place"]) == ("LP-T012", "stack_test.cpp")
    assert "LINPOINT_TEST" in error["remedy"]
    assert "name=" not in error["remedy"]
