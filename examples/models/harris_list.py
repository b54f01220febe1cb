# SPDX-License-Identifier: Apache-2.0
"""Harris's list: a sorted list as a set, without locks; a node is marked in its own next pointer, then unlinked.

Source: T. L. Harris, *A Pragmatic Implementation of Non-Blocking Linked-Lists*, DISC 2001.

It is a set. A process that encounters a marked node unlinks it, and a compare-and-swap on a marked pointer fails. A
remove that does not mark, `marks = False`, unlinks a node while another key is being added behind it; that key is lost.
"""
# Run: linpoint refine harris_list.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine harris_list.py --processes 2 --operations 2 --set marks=false
# Exit code: 1

import linpoint

LEAST, GREATEST = 0, 3


class HarrisList(linpoint.Model):
    """A set of the keys between two sentinels. ``next`` is a pointer, with a mark if its node has been removed."""

    spec = linpoint.specs.set
    marks = True

    class Node:
        key: int
        next: linpoint.Atomic[tuple["Node", bool]]

    head = linpoint.atomic(Node)

    def setup(self):
        last = self.Node(key=GREATEST, next=(None, False))
        self.head.store(self.Node(key=LEAST, next=(last, False)))

    def search(self, key):
        """Two neighbours, the second with the first key that is not below ``key``; unlinks marked nodes between."""
        while True:
            left = self.head.load()
            first, _ = left.next.load()
            node = first
            after, marked = node.next.load()
            while marked or node.key < key:
                if not marked:
                    left = node
                    first = after
                node = after
                after, marked = node.next.load()
            if first is node or left.next.cas((first, False), (node, False)):
                return left, node

    @linpoint.operation(key=range(1, 3))
    def add(self, key):
        new = self.Node(key=key, next=(None, False))
        while True:
            left, right = self.search(key)
            if right.key == key:
                return False
            new.next.store((right, False))
            if left.next.cas((right, False), (new, False)):
                return True

    @linpoint.operation(key=range(1, 3))
    def remove(self, key):
        while True:
            left, right = self.search(key)
            if right.key != key:
                return False
            after, marked = right.next.load()
            if not self.marks:
                if left.next.cas((right, False), (after, False)):
                    return True
            elif not marked and right.next.cas((after, False), (after, True)):
                if not left.next.cas((right, False), (after, False)):
                    self.search(key)
                return True

    @linpoint.operation(key=range(1, 3))
    def contains(self, key):
        _, right = self.search(key)
        return right.key == key
