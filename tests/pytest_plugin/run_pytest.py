# SPDX-License-Identifier: Apache-2.0
"""Test files to run pytest on, inside this process unless something prevents it."""

# Modules imported by an in-process run are forgotten after it, and an extension module must not be loaded twice.
import linpoint.pytest_plugin  # noqa: F401

STRICT = ("-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Warnings are errors, except the one about the loader of an editable install."""

OBJECTS = """
import threading

import linpoint


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        self.value = self.value + 1
        return self.value


class Locked(Counter):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def increment(self):
        with self.lock:
            return super().increment()


class Base(linpoint.ConcurrentTest):
    __test__ = False

    @linpoint.operation
    def increment(self, counter):
        return counter.increment()
"""

BROKEN = """

class TestBroken(Base):
    def setup(self):
        return Counter()
"""

RIGHT = """

class TestRight(Base):
    def setup(self):
        return Locked()
"""
