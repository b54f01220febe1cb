# SPDX-License-Identifier: Apache-2.0
"""The queue of Herlihy and Wing: an array, two atomic steps to enqueue, and a scan to dequeue.

Source: M. Herlihy and J. M. Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, TOPLAS 12, 1990.

It is a queue, although no step of enqueue is its linearization point: two enqueues may be ordered only when a dequeue
finds one of them. So nothing is marked here, and it takes sets of configurations to see that it holds. Dequeue is
partial: it scans until it finds something. One that `gives_up` and says that the queue is empty is wrong: behind its
scan an element may have come while the one before it went.
"""
# Run: linpoint refine herlihy_wing.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine herlihy_wing.py --processes 2 --operations 2 --set gives_up=true
# Exit code: 1

import linpoint


class HerlihyWing(linpoint.Model):
    """A queue in an array that is never used up."""

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
