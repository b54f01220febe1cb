# SPDX-License-Identifier: Apache-2.0
"""Test definitions of users, in all accepted forms, read into one form."""

from __future__ import annotations

import collections
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import linpoint
from linpoint.scenarios import Scenario, TestedOperation, definition_of, definition_of_object
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition


class Cache(dict[str, Any]):
    """A map with the operations under test."""

    def put(self, key: str, value: Any, *, twice: bool = False) -> None:
        self[key] = [value, value] if twice else value


class CacheTest(linpoint.ConcurrentTest):
    spec = linpoint.specs.map
    threads = 3
    operations = 4
    before = 1
    after = 2
    scenarios = ('put("a", 1) | get("a")', Scenario.parse("get-all()", before="get_all()"))
    instrument = (collections,)

    def setup(self):
        return Cache()

    @linpoint.operation(key=st.sampled_from("ab"))
    def get(self, cache, key):
        return cache.get(key)

    @linpoint.operation(value=(n for n in (1, 2)), key="ab")
    def put(self, cache, key, value):
        cache.put(key, value)

    @linpoint.operation
    def get_all(self, cache):
        return sorted(cache)

    def observe(self, cache):
        return sorted(cache.items())

    def helper(self):
        raise AssertionError


def test_a_test_class_is_read() -> None:
    found = definition_of(CacheTest)
    assert found.name == "CacheTest"
    assert found.spec is linpoint.specs.map
    assert (found.threads, found.operations_per_thread, found.before, found.after) == (3, 4, 1, 2)
    assert list(found.operations) == ["get", "put", "get_all"]
    assert found.instrument == (collections,)
    assert found.file == __file__
    assert not found.is_async
    put = found.operations["put"]
    assert (put.name, put.parameters, put.blocking, put.is_async) == ("put", ("key", "value"), False, False)
    assert [tuple(source) for source in put.sources] == [("a", "b"), (1, 2)]
    assert put.place is not None
    assert put.place.endswith(f"test_concurrent_test.py:{CacheTest.put.__code__.co_firstlineno}")
    cache = found.setup()
    put.call(cache, "a", 7)
    assert found.operations["get"].call(cache, "a") == 7
    assert found.observe is not None
    assert found.observe(cache) == [("a", 7)]
    assert found.setup() is not cache


def test_fixed_scenarios_use_the_operation_names_of_the_test() -> None:
    found = definition_of(CacheTest)
    assert [each.describe() for each in found.scenarios] == [
        '2 threads: put("a", 1) | get("a")',
        "1 thread: get_all(), before: get_all()",
    ]


def test_making_a_definition_twice_gives_the_same_values() -> None:
    assert definition_of(CacheTest).operations["put"].sources == definition_of(CacheTest).operations["put"].sources


def test_both_spellings_of_a_name_are_accepted() -> None:
    operations = definition_of(CacheTest).operations
    assert operations["get-all"] is operations["get_all"]
    assert "get-all" in operations
    assert "got_all" not in operations
    assert len(operations) == 3
    assert repr(operations) == "{get(key), put(key, value), get_all()}"


def test_attributes_have_defaults() -> None:
    class Least(linpoint.ConcurrentTest):
        def setup(self):
            return []

        @linpoint.operation
        def clear(self, items):
            items.clear()

    found = definition_of(Least)
    assert found.spec is None
    assert found.observe is None
    assert (found.threads, found.operations_per_thread, found.before, found.after) == (2, 2, 0, 0)
    assert found.scenarios == found.instrument == ()


def test_a_single_scenario_or_file_is_accepted_for_a_list() -> None:
    class One(CacheTest):
        scenarios = "get_all() | get_all()"
        instrument = "cache.py"

    assert [str(each) for each in definition_of(One).scenarios] == ["get_all() | get_all()"]
    assert definition_of(One).instrument == ("cache.py",)


# Operations


def test_argument_sources_are_matched_to_parameters() -> None:
    class Odd(linpoint.ConcurrentTest):
        def setup(self):
            return []

        @linpoint.operation({"name": ["x"], "blocking": [True]}, function=[1], name="renamed", blocking=True)
        def call(self, items, name, blocking, function):
            return [name, blocking, function]

        @linpoint.operation(third=[3])
        def skipping(self, items, first=1, second=2, third=0):
            return [first, second, third]

        @linpoint.operation(only=[5], first=[4])
        def keyword(self, items, first, *, only):
            return [first, only]

        @staticmethod
        @linpoint.operation(value=[6])
        def static(items, value):
            return [value]

    found = definition_of(Odd).operations
    assert found["renamed"].parameters == ("name", "blocking", "function")
    assert found["renamed"].blocking
    assert found["renamed"].call([], "x", True, 1) == ["x", True, 1]
    assert found["skipping"].parameters == ("third",)
    assert found["skipping"].call([], 3) == [1, 2, 3]
    assert found["keyword"].parameters == ("first", "only")
    assert found["keyword"].call([], 4, 5) == [4, 5]
    assert found["static"].call([], 6) == [6]


def test_operations_of_base_classes_come_first_and_stay_operations() -> None:
    class Extended(CacheTest):
        scenarios = ()
        get_all = None

        def get(self, cache, key):
            return [cache.get(key)]

        @linpoint.operation(key="a")
        @linpoint.operation(key="b")
        def drop(self, cache, key):
            return cache.pop(key, None)

    found = definition_of(Extended)
    assert list(found.operations) == ["get", "put", "drop"]
    assert found.operations["get"].call({"a": 1}, "a") == [1]
    assert tuple(found.operations["drop"].sources[0]) == ("a",)


def test_asynchronous_operations_are_detected() -> None:
    class Waiting(linpoint.ConcurrentTest):
        def setup(self):
            return []

        @linpoint.operation(value=[1])
        async def put(self, items, value):
            items.append(value)

        @linpoint.operation(blocking=True)
        def get(self, items):
            return items.pop()

    found = definition_of(Waiting)
    assert found.is_async
    assert found.operations["put"].is_async
    assert not found.operations["get"].is_async
    assert found.operations["get"].blocking


def test_a_decorated_method_is_still_a_method() -> None:
    assert CacheTest().get({"a": 1}, "a") == 1


def test_an_operation_constructed_directly_accepts_any_source() -> None:
    made = TestedOperation("push", list.append, ("value",), ([1, 2],))
    assert tuple(made.sources[0]) == (1, 2)
    assert ConcurrentTestDefinition("list", list, {"push": made}).accept("push(1)")


# The function form


def test_methods_of_a_class_are_given_by_name() -> None:
    found = definition_of_object(
        Cache, {"put": {"value": [1, 2], "key": "ab"}, "get": {"key": "ab"}, "clear": None}, spec="map", threads=3
    )
    assert found.name == "Cache"
    assert found.spec == "map"
    assert found.threads == 3
    assert found.file == __file__
    cache = found.setup()
    found.operations["put"].call(cache, *(source[0] for source in found.operations["put"].sources))
    assert cache == {"a": 1}
    assert found.operations["get"].call(cache, "a") == 1


def test_keyword_parameters_of_a_method_are_passed() -> None:
    found = definition_of_object(Cache, {"put": {"twice": [True], "key": "a", "value": [1]}})
    cache = found.setup()
    assert found.operations["put"].parameters == ("key", "value", "twice")
    found.operations["put"].call(cache, "a", 1, True)
    assert cache == {"a": [1, 1]}


def test_a_factory_function_gets_arguments_in_order() -> None:
    found = definition_of_object(lambda: Cache(a=0), {"put": {"key": "ab", "value": [1, 2]}}, name="warm cache")
    assert found.name == "warm cache"
    cache = found.setup()
    found.operations["put"].call(cache, "b", 2)
    assert cache == {"a": 0, "b": 2}


def test_methods_written_in_c_are_accepted() -> None:
    found = definition_of_object(collections.deque, {"append": {"value": [1]}, "popleft": None})
    items = found.setup()
    found.operations["append"].call(items, 5)
    assert found.operations["popleft"].call(items) == 5


def test_operations_are_given_as_names_or_functions() -> None:
    @linpoint.operation(key="ab")
    def take(cache, key):
        return cache.pop(key, None)

    found = definition_of_object(Cache, ["clear", take])
    assert list(found.operations) == ["clear", "take"]
    assert list(definition_of_object(Cache, "clear").operations) == ["clear"]
    assert found.operations["take"].call({"a": 1}, "a") == 1
    found = definition_of_object(Cache, {"size": len, "get-it": linpoint.operation(key="ab")(lambda c, key: c[key])})
    assert found.operations["get_it"].call({"a": 1}, "a") == 1
    assert found.operations["size"].call({"a": 1}) == 1


def test_a_name_with_hyphens_calls_the_method_with_underscores() -> None:
    for setup in (collections.OrderedDict, lambda: collections.OrderedDict(a=1, b=2)):
        found = definition_of_object(setup, {"move-to-end": {"key": "a"}})
        items = collections.OrderedDict(a=1, b=2)
        found.operations["move-to-end"].call(items, "a")
        assert list(items) == ["b", "a"]


def test_a_definition_can_be_a_key() -> None:
    found = definition_of(CacheTest)
    assert {found: 1}[found] == 1
    assert found != definition_of(CacheTest)


# Accepting scenarios


def test_accept_accepts_texts_and_scenarios() -> None:
    found = definition_of(CacheTest)
    assert found.accept("get-all()") == Scenario.parse("get_all()")
    assert found.accept(Scenario.parse('get("z")')) == Scenario.parse('get("z")')


# pytest


def test_pytest_without_the_plugin_collects_nothing_without_warnings(tmp_path: Path) -> None:
    source = """
        import linpoint
        from linpoint import ConcurrentTest, TestError
        from linpoint.scenarios import TestedOperation
        from linpoint.scenarios.tested_operation import *

        class TestStack(ConcurrentTest):
            def setup(self): raise AssertionError
            @linpoint.operation
            def pop(self, stack): raise AssertionError

        def test_it(): assert TestStack.__test__ and not ConcurrentTest.__test__
    """
    (tmp_path / "test_stack.py").write_text(textwrap.dedent(source))
    # For an editable install, pytest warns that it cannot rewrite its own loader.
    options = ["-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, "-p", "no:linpoint", "test_stack.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_a_subclass_may_opt_out() -> None:
    class Base(linpoint.ConcurrentTest):
        __test__ = False

    assert not Base.__test__
