# SPDX-License-Identifier: Apache-2.0
"""The queue of Michael and Scott: a linked list with a dummy in front and a tail that may lag one node behind.

Source: M. M. Michael and M. L. Scott, *Nonblocking Algorithms and Preemption-Safe Locking on Multiprogrammed Shared
Memory Multiprocessors*, JPDC 51, 1998, Figure 3.

It is a queue, even if nodes are reused, provided that changes of pointers are counted (`--heap counted`); with
`--heap free` it is not. `rechecks = False` omits the second read of head and tail. That is harmless if nodes are not
reused (`--heap gc`, the default), but counters alone do not compensate for it. `plain_link` tests and stores where the
algorithm uses compare-and-swap, so that one of two elements is lost.

Enqueue takes effect when its node is linked. Only a successful dequeue has a fixed linearization point.
"""
# Run: linpoint refine michael_scott.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine michael_scott.py --processes 2 --operations 3 --heap counted
# Exit code: 0
# Run: linpoint refine michael_scott.py --processes 2 --operations 3 --heap free
# Exit code: 1
# Run: linpoint refine michael_scott.py --processes 2 --operations 2 --heap counted --set rechecks=false
# Exit code: 1
# Run: linpoint refine michael_scott.py --processes 2 --operations 2 --set plain_link=true
# Exit code: 1

import linpoint


class MichaelScott(linpoint.Model):
    """A queue of linked nodes; the one at the head is a dummy."""

    spec = linpoint.specs.queue
    rechecks = True
    plain_link = False

    class Node:
        value: int
        next: linpoint.Atomic["Node"]

    head = linpoint.atomic(Node)
    tail = linpoint.atomic(Node)

    def setup(self):
        dummy = self.Node(value=None)
        self.head.store(dummy)
        self.tail.store(dummy)

    @linpoint.operation(v=range(1, 3))
    def enqueue(self, v):
        node = self.Node(value=v)
        while True:
            tail = self.tail.load()
            after = tail.next.load()
            if self.rechecks and tail is not self.tail.load():
                continue
            if after is not None:
                self.tail.cas(tail, after)
            elif self.link(tail, after, node):
                self.tail.cas(tail, node)
                return

    def link(self, last, nothing, node):
        if self.plain_link:
            if last.next.load() is not None:
                return False
            last.next.store(node)
            return True
        linked = last.next.cas(nothing, node)  # the pointer that was loaded: a plain None would have no count
        if linked:
            linpoint.point()
        return linked

    @linpoint.operation
    def dequeue(self):
        while True:
            head = self.head.load()
            tail = self.tail.load()
            first = head.next.load()
            if self.rechecks and head is not self.head.load():
                continue
            if head is not tail:
                value = first.value
                if self.head.cas(head, first):
                    linpoint.point()
                    return value
            elif first is None:
                return None
            else:
                self.tail.cas(tail, first)
