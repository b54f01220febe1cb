# SPDX-License-Identifier: Apache-2.0
"""A stack with elimination: a push and a pop that conflict may meet and complete each other without the stack.

Source: D. Hendler, N. Shavit and L. Yerushalmi, *A Scalable Lock-free Stack Algorithm*, SPAA 2004. Here they meet in
one exchanger, in the manner of Scherer, Lea and Scott (2005), and not in the collision array of that paper.

It is a stack. Push and pop take effect in the same step, the compare-and-swap by which one of them takes the offer of
the other. An offer that is not taken is withdrawn, also by compare-and-swap. An offer that is left behind instead,
`withdraws = False`, may be taken after its owner has returned to the stack, and so takes effect twice. Two operations
meet only after a conflict, which requires three processes.
"""
# Run: linpoint refine elimination_stack.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine elimination_stack.py --processes 3 --operations 2 --set withdraws=false
# Exit code: 1

import linpoint


class EliminationStack(linpoint.Model):
    """Treiber's stack with an exchanger."""

    spec = linpoint.specs.stack
    withdraws = True

    class Node:
        value: int
        next: "Node"

    class Offer:
        value: int
        taker: linpoint.Atomic["Offer"]

    top = linpoint.atomic(Node)
    place = linpoint.atomic(Offer)

    def meet(self, mine, is_push):
        """Whether ``mine`` has met an offer of the other kind, which is then its taker."""
        other = self.place.load()
        if other is None:
            if not self.place.cas(None, mine):
                return False
            taken = not mine.taker.cas(None, mine) if self.withdraws else mine.taker.load() is not None
            self.place.cas(mine, None)
            return taken
        met = False
        if (other.value is None) == is_push and other.taker.cas(None, mine):
            mine.taker.store(other)
            met = True
        self.place.cas(other, None)
        return met

    @linpoint.operation(v=range(1, 3))
    def push(self, v):
        node = self.Node(value=v)
        while True:
            top = self.top.load()
            node.next = top
            if self.top.cas(top, node):
                return
            if self.meet(self.Offer(value=v), True):
                return

    @linpoint.operation
    def pop(self):
        while True:
            top = self.top.load()
            if top is None:
                return None
            if self.top.cas(top, top.next):
                return top.value
            mine = self.Offer()
            if self.meet(mine, False):
                return mine.taker.load().value
