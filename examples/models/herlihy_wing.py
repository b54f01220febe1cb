# SPDX-License-Identifier: Apache-2.0
"""The queue of Herlihy and Wing: an array, two atomic steps to enqueue, and a scan to dequeue.

Source: M. Herlihy and J. M. Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, TOPLAS 12, 1990.

It is a queue, although no step of enqueue is its linearization point: the order of two enqueues may be decided only
when a dequeue finds one of them. So no points are marked here, and the check needs sets of configurations. Dequeue is
partial: it scans until it finds an element. A dequeue that `gives_up` and reports an empty queue is wrong: an element
may have been added behind its scan while an earlier one was removed.
"""
# Run: linpoint refine herlihy_wing.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine herlihy_wing.py --processes 2 --operations 2 --set gives_up=true
# Exit code: 1

import linpoint


class HerlihyWing(linpoint.Model):
    """A queue in an array that never runs out of space."""

    spec = linpoint.specs.queue
    gives_up = False

    items = linpoint.array(None, size=8)
    back = linpoint.atomic(0)

    @linpoint.operation(v=range(1, 3))
    def enqueue(self, v):
        i = self.back.fetch_add(1)
        self.items[i].store(v)

    @linpoint.operation
    def dequeue(self):
        while True:
            back = self.back.load()
            for i in range(back):
                value = self.items[i].swap(None)
                if value is not None:
                    return value
            if self.gives_up:
                return None
