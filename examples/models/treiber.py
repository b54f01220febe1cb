# SPDX-License-Identifier: Apache-2.0
"""Treiber's stack: a linked list whose top changes by compare-and-swap.

Source: R. K. Treiber, *Systems Programming: Coping with Parallelism*, IBM RJ 5118, 1986.

It is a stack as long as no node is reused while another process still reads it: `--heap gc`, the default, and
`--heap counted`, which counts the changes of each pointer. With `--heap free` a popped node may return, and a pop that
is preempted between its two steps swaps in a node that has been removed: the ABA problem.

`links_late` is a bug of one line: push publishes its node first and links it to the rest afterwards.
"""
# Run: linpoint refine treiber.py --processes 2 --operations 3
# Exit code: 0
# Run: linpoint refine treiber.py --processes 2 --operations 3 --points
# Exit code: 0
# Run: linpoint refine treiber.py --processes 2 --operations 3 --heap counted
# Exit code: 0
# Run: linpoint refine treiber.py --processes 2 --operations 3 --heap free
# Exit code: 1
# Run: linpoint refine treiber.py --processes 2 --operations 2 --set links_late=true
# Exit code: 1

import linpoint


class Treiber(linpoint.Model):
    """A stack of linked nodes."""

    spec = linpoint.specs.stack
    links_late = False

    class Node:
        value: int
        next: "Node"

    top = linpoint.atomic(Node)

    @linpoint.operation(v=range(1, 3))
    def push(self, v):
        node = self.Node(value=v)
        while True:
            top = self.top.load()
            if not self.links_late:
                node.next = top
            if self.top.cas(top, node):
                linpoint.point()
                if self.links_late:
                    node.next = top
                return

    @linpoint.operation
    def pop(self):
        while True:
            top = self.top.load()
            if top is None:
                linpoint.point()
                return None
            if self.top.cas(top, top.next):
                linpoint.point()
                return top.value
