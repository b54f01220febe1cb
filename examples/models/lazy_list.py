# SPDX-License-Identifier: Apache-2.0
"""The lazy list: a sorted list as a set, with a lock in each node, and `contains` without any.

Source: S. Heller, M. Herlihy, V. Luchangco, M. Moir, W. N. Scherer III and N. Shavit, *A Lazy Concurrent List-Based Set
Algorithm*, OPODIS 2005.

It is a set. Add and remove find their place without locks, lock it, and check that it is still valid; remove marks a
node before it unlinks it. The linearization point of an unsuccessful `contains` depends on concurrent operations.

A list that does not check, `validates = False`, adds a key twice, or adds it to a node that has been removed.
"""
# Run: linpoint refine lazy_list.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine lazy_list.py --processes 2 --operations 1 --set validates=false
# Exit code: 1

import linpoint

LEAST, GREATEST = 0, 3


class LazyList(linpoint.Model):
    """A set of the keys between two sentinels."""

    spec = linpoint.specs.set
    validates = True

    class Node:
        key: int
        next: "Node"
        marked: bool = False
        lock = linpoint.lock()

    head = linpoint.atomic(Node)

    def setup(self):
        self.head.store(self.Node(key=LEAST, next=self.Node(key=GREATEST)))

    def locate(self, key):
        before = self.head.load()
        node = before.next
        while node.key < key:
            before = node
            node = node.next
        return before, node

    def valid(self, before, node):
        return not self.validates or (not before.marked and not node.marked and before.next is node)

    @linpoint.operation(key=range(1, 3))
    def add(self, key):
        while True:
            before, node = self.locate(key)
            with before.lock, node.lock:
                if self.valid(before, node):
                    if node.key == key:
                        return False
                    before.next = self.Node(key=key, next=node)
                    return True

    @linpoint.operation(key=range(1, 3))
    def remove(self, key):
        while True:
            before, node = self.locate(key)
            with before.lock, node.lock:
                if self.valid(before, node):
                    if node.key != key:
                        return False
                    node.marked = True
                    before.next = node.next
                    return True

    @linpoint.operation(key=range(1, 3))
    def contains(self, key):
        _, node = self.locate(key)
        return node.key == key and not node.marked
