# SPDX-License-Identifier: Apache-2.0
"""SNZI, a scalable nonzero indicator: a tree of counters in which few arrivals reach the root.

Source: F. Ellen, Y. Lev, V. Luchangco and M. Moir, *SNZI: Scalable NonZero Indicators*, PODC 2007.

A process arrives at a node, and departs from the same node later. A query returns whether more have arrived than
departed. A leaf passes on only its first arrival and its last departure; its counts are doubled, so that one half is 1.
`Snzi` has a root and a leaf, and `SnziOfThree` another leaf: "size 2" and "size 3" of the PAT paper. Both are
correct. There arriving processes do not query; a separate one only queries: `WatchedSnzi`, `WatchedSnziOfThree`.

A process that finds an unannounced arrival at the root announces it too. If it relies on the first process to do so,
`announces = False`, it has arrived while the indicator shows none.
"""
# Run: linpoint refine snzi.py:Snzi --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine snzi.py:SnziOfThree --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine snzi.py:WatchedSnzi --processes client=2,watcher=1 --operations 2
# Exit code: 0
# Run: linpoint refine snzi.py:Snzi --processes 2 --operations 2 --set announces=false
# Exit code: 1

import linpoint


@linpoint.spec
class Surplus:
    """The number of arrivals minus departures, at any node."""

    initial = 0

    def arrive_root(surplus):
        return None, surplus + 1

    def depart_root(surplus):
        return None, surplus - 1

    def query(surplus):
        return surplus > 0, surplus

    arrive_left = arrive_right = arrive_root
    depart_left = depart_right = depart_root


class Snzi(linpoint.Model):
    """A root with a left leaf."""

    spec = Surplus
    announces = True

    root = linpoint.record(count=0, announce=False, version=0)
    leaves = linpoint.array(linpoint.record(count=0, version=0), size=2)
    indicator = linpoint.atomic(False)

    @linpoint.operation
    def query(self):
        return self.indicator.load()

    @linpoint.operation
    def arrive_root(self):
        self.arrive_at_root()

    @linpoint.operation(pairs_with="arrive_root")
    def depart_root(self):
        self.depart_from_root()

    @linpoint.operation
    def arrive_left(self):
        self.arrive_at_leaf(0)

    @linpoint.operation(pairs_with="arrive_left")
    def depart_left(self):
        self.depart_from_leaf(0)

    def arrive_at_root(self):
        while True:
            x = self.root.load()
            new = linpoint.record(count=x.count + 1, announce=x.announce and self.announces, version=x.version)
            if x.count == 0:
                new = linpoint.record(count=1, announce=True, version=x.version + 1)
            if self.root.cas(x, new):
                break
        if new.announce:
            self.indicator.store(True)
            self.root.cas(new, linpoint.record(count=new.count, announce=False, version=new.version))

    def depart_from_root(self):
        while True:
            x = self.root.load()
            if self.root.cas(x, linpoint.record(count=x.count - 1, announce=False, version=x.version)):
                break
        while x.count == 1:
            self.indicator.ll()
            if self.root.load().version != x.version or self.indicator.sc(False):
                return

    def arrive_at_leaf(self, leaf):
        arrived = False
        undo = 0
        while not arrived:
            x = self.leaves[leaf].load()
            if x.count >= 2:
                arrived = self.leaves[leaf].cas(x, linpoint.record(count=x.count + 2, version=x.version))
            if x.count == 0:
                half = linpoint.record(count=1, version=x.version + 1)
                if self.leaves[leaf].cas(x, half):
                    arrived = True
                    x = half
            if x.count == 1:
                self.arrive_at_root()
                if not self.leaves[leaf].cas(x, linpoint.record(count=2, version=x.version)):
                    undo += 1
        for _ in range(undo):
            self.depart_from_root()

    def depart_from_leaf(self, leaf):
        while True:
            x = self.leaves[leaf].load()
            if self.leaves[leaf].cas(x, linpoint.record(count=x.count - 2, version=x.version)):
                break
        if x.count == 2:
            self.depart_from_root()


class SnziOfThree(Snzi):
    """A root with two leaves."""

    @linpoint.operation
    def arrive_right(self):
        self.arrive_at_leaf(1)

    @linpoint.operation(pairs_with="arrive_right")
    def depart_right(self):
        self.depart_from_leaf(1)


class WatchedSnzi(Snzi):
    """A root with a left leaf, for clients and a watcher that only queries."""

    @linpoint.operation(role="watcher")
    def query(self):
        return self.indicator.load()

    @linpoint.operation(role="client")
    def arrive_root(self):
        self.arrive_at_root()

    @linpoint.operation(role="client", pairs_with="arrive_root")
    def depart_root(self):
        self.depart_from_root()

    @linpoint.operation(role="client")
    def arrive_left(self):
        self.arrive_at_leaf(0)

    @linpoint.operation(role="client", pairs_with="arrive_left")
    def depart_left(self):
        self.depart_from_leaf(0)


class WatchedSnziOfThree(WatchedSnzi):
    """The same with two leaves."""

    @linpoint.operation(role="client")
    def arrive_right(self):
        self.arrive_at_leaf(1)

    @linpoint.operation(role="client", pairs_with="arrive_right")
    def depart_right(self):
        self.depart_from_leaf(1)
