# SPDX-License-Identifier: Apache-2.0
"""The array queue of Shann, Huang and Chen, which loses an element, and its fix.

Source: C. H. Shann, T. L. Huang and C. Chen, *A Practical Nonblocking Queue Algorithm Using Compare-and-Swap*, ICPADS
2000. R. Colvin and L. Groves found the bug (*Formal Verification of an Array-Based Nonblocking Queue*, ICECCS 2005).

A slot holds a value and a count of its changes. A process that finds its slot filled or emptied by another process,
which has not moved on yet, helps to move `rear` or `front`. Dequeue may do so with an outdated read of the slot: it saw
an empty slot, an enqueue filled it and moved `rear`, and now dequeue moves `front` past the element.

`repaired = True` reads the slot again before it helps. This fix is ours; that of Colvin and Groves may differ in
detail.
"""
# Run: linpoint refine array_queue.py --processes 2 --operations 2
# Exit code: 1
# Run: linpoint refine array_queue.py --processes 2 --operations 2 --set repaired=true
# Exit code: 0

import linpoint


class ArrayQueue(linpoint.Model):
    """A bounded queue in a ring of L slots."""

    L = 1
    repaired = False
    spec = linpoint.specs.queue(capacity=L)

    slots = linpoint.array(linpoint.record(value=None, changes=0), size=L)
    front = linpoint.atomic(0)
    rear = linpoint.atomic(0)

    @linpoint.operation(v=range(1, 3))
    def enqueue(self, v):
        while True:
            rear = self.rear.load()
            slot = self.slots[rear % self.L].load()
            if rear != self.rear.load():
                continue
            if rear == self.front.load() + self.L:
                return False
            if slot.value is None:
                if self.slots[rear % self.L].cas(slot, linpoint.record(value=v, changes=slot.changes + 1)):
                    self.rear.cas(rear, rear + 1)
                    return True
            elif not self.repaired or self.slots[rear % self.L].load().value is not None:
                self.rear.cas(rear, rear + 1)

    @linpoint.operation
    def dequeue(self):
        while True:
            front = self.front.load()
            slot = self.slots[front % self.L].load()
            if front != self.front.load():
                continue
            if front == self.rear.load():
                return None
            if slot.value is not None:
                if self.slots[front % self.L].cas(slot, linpoint.record(value=None, changes=slot.changes + 1)):
                    self.front.cas(front, front + 1)
                    return slot.value
            elif not self.repaired or self.slots[front % self.L].load().value is None:
                self.front.cas(front, front + 1)
