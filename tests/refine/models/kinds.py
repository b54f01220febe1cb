# SPDX-License-Identifier: Apache-2.0
"""Minimal models: one for every kind of finding, and some that hold."""

# ruff: noqa: N805 - the first argument of a step is the state

import linpoint


@linpoint.spec
class Nothing:
    """Operations without constraints."""

    initial = 0

    def left(state):
        """Any result is legal."""
        return None, state

    def right(state):
        """Any result is legal."""
        return None, state


class Lost(linpoint.Model):
    """An update is lost."""

    spec = linpoint.specs.counter
    atomic = False
    n = linpoint.atomic(0)

    @linpoint.operation
    def increment(self):
        if self.atomic:
            self.n.fetch_add(1)
        else:
            self.n.store(self.n.load() + 1)

    @linpoint.operation
    def read(self):
        return self.n.load()


class Deadlock(linpoint.Model):
    """Two locks in opposite orders."""

    spec = Nothing
    a = linpoint.lock()
    b = linpoint.lock()

    @linpoint.operation
    def left(self):
        with self.a, self.b:
            pass

    @linpoint.operation
    def right(self):
        with self.b, self.a:
            pass


class Asserting(linpoint.Model):
    """Its assertion may fail."""

    spec = Nothing
    x = linpoint.atomic(0)

    @linpoint.operation
    def left(self):
        before = self.x.load()
        self.x.store(before + 1)
        assert self.x.load() == before + 1

    @linpoint.operation
    def right(self):
        self.x.store(0)


class Raising(linpoint.Model):
    """The node may be missing."""

    spec = Nothing

    class Node:
        value: int

    top = linpoint.atomic(Node)

    @linpoint.operation
    def left(self):
        self.top.store(self.Node(value=1))

    @linpoint.operation
    def right(self):
        node = self.top.load()
        self.top.store(node)
        node.value = 2


class Endless(linpoint.Model):
    """A loop in which no state changes any more."""

    spec = Nothing
    x = linpoint.atomic(0)

    @linpoint.operation
    def left(self):
        self.x.store(1)

    @linpoint.operation
    def right(self):
        x = self.x.load()
        while x == 1:
            pass


class Hostile(linpoint.Model):
    """Values that contain markup."""

    spec = linpoint.specs.register(initial="</script><script>alert(1)</script>")
    x = linpoint.atomic("</script><script>alert(1)</script>")
    y = linpoint.atomic("<img src=x onerror=alert(2)>")

    @linpoint.operation
    def read(self):
        return self.x.load()

    @linpoint.operation(v=["<b>\u202e", "\x1b[31m"])
    def write(self, v):
        self.y.store(v)
        self.x.store(self.y.load())
