# SPDX-License-Identifier: Apache-2.0
"""Snark, a published deque based on double compare-and-swap that has two bugs.

Source: D. Detlefs et al., *Even Better DCAS-Based Concurrent Deques*, DISC 2000; the bugs were found by
S. Doherty et al., *DCAS is not a Silver Bullet for Nonblocking Algorithm Design*, SPAA 2004.

A popped node points to itself, on the side that was its inner one, and so does the dummy: a process that finds this
takes the deque for empty. First bug: the node under a hat was popped at the other end, and others were added meanwhile;
yet the pop reports an empty deque. `looks_again = True` fixes that by a second read of the hat. The second bug remains:
both ends pop the same node. It requires three processes and initial elements: `preloaded` elements 1, 2, ... are
present from the start.
"""
# Run: linpoint refine snark.py --processes 2 --operations 2
# Exit code: 1
# Run: linpoint refine snark.py --processes 2 --operations 3 --set looks_again=true
# Exit code: 0
# Run: linpoint refine snark.py --processes 3 --operations 2 --set looks_again=true --set preloaded=1
# Exit code: 1

import linpoint


class Snark(linpoint.Model):
    """A deque of linked nodes between two hats."""

    preloaded = 0
    looks_again = False
    spec = linpoint.specs.deque(initial=list(range(1, preloaded + 1)))

    class Node:
        left: linpoint.Atomic["Node"]
        right: linpoint.Atomic["Node"]
        value: int

    dummy = linpoint.atomic(Node)
    left_hat = linpoint.atomic(Node)
    right_hat = linpoint.atomic(Node)

    def setup(self):
        dummy = self.Node(value=None)
        dummy.left.store(dummy)
        dummy.right.store(dummy)
        self.dummy.store(dummy)
        self.left_hat.store(dummy)
        self.right_hat.store(dummy)
        for v in range(1, self.preloaded + 1):
            self.push_back(v)

    @linpoint.operation(v=range(3, 4))
    def push_back(self, v):
        dummy = self.dummy.load()
        node = self.Node(value=v, right=dummy)
        while True:
            hat = self.right_hat.load()
            after = hat.right.load()
            if after is hat:
                node.left.store(dummy)
                left_hat = self.left_hat.load()
                if linpoint.dcas(self.right_hat, self.left_hat, hat, left_hat, node, node):
                    return
            else:
                node.left.store(hat)
                if linpoint.dcas(self.right_hat, hat.right, hat, after, node, node):
                    return

    @linpoint.operation
    def pop_back(self):
        dummy = self.dummy.load()
        while True:
            hat = self.right_hat.load()
            left_hat = self.left_hat.load()
            if hat.right.load() is hat:
                if not self.looks_again or hat is self.right_hat.load():
                    return None
                continue
            if hat is left_hat:
                if linpoint.dcas(self.right_hat, self.left_hat, hat, left_hat, dummy, dummy):
                    return hat.value
            else:
                before = hat.left.load()
                if linpoint.dcas(self.right_hat, hat.left, hat, before, before, hat):
                    hat.right.store(dummy)
                    return hat.value

    @linpoint.operation(v=range(4, 5))
    def push_front(self, v):
        dummy = self.dummy.load()
        node = self.Node(value=v, left=dummy)
        while True:
            hat = self.left_hat.load()
            before = hat.left.load()
            if before is hat:
                node.right.store(dummy)
                right_hat = self.right_hat.load()
                if linpoint.dcas(self.left_hat, self.right_hat, hat, right_hat, node, node):
                    return
            else:
                node.right.store(hat)
                if linpoint.dcas(self.left_hat, hat.left, hat, before, node, node):
                    return

    @linpoint.operation
    def pop_front(self):
        dummy = self.dummy.load()
        while True:
            hat = self.left_hat.load()
            right_hat = self.right_hat.load()
            if hat.left.load() is hat:
                if not self.looks_again or hat is self.left_hat.load():
                    return None
                continue
            if hat is right_hat:
                if linpoint.dcas(self.left_hat, self.right_hat, hat, right_hat, dummy, dummy):
                    return hat.value
            else:
                after = hat.right.load()
                if linpoint.dcas(self.left_hat, hat.right, hat, after, after, hat):
                    hat.left.store(dummy)
                    return hat.value
