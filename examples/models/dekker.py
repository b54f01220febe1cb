# SPDX-License-Identifier: Apache-2.0
"""Dekker's mutual exclusion, the first such algorithm, around a counter that two processes increase.

Source: T. J. Dekker, as described by E. W. Dijkstra, *Cooperating Sequential Processes*, 1965.

Each process announces that it wants to enter; if both do, the one whose turn it is not steps back. If both were inside
at the same time, both would draw the same number. In sequentially consistent memory that is impossible. With store
buffers (`--memory-model tso`) a process may read the other's announcement before its own becomes visible, unless a
fence follows each announcement: `fenced = True`.
"""
# Run: linpoint refine dekker.py --operations 2
# Exit code: 0
# Run: linpoint refine dekker.py --operations 1 --memory-model tso
# Exit code: 1
# Run: linpoint refine dekker.py --operations 2 --memory-model tso --set fenced=true
# Exit code: 0

import linpoint


@linpoint.spec
class Numbers:
    """Numbers to draw: 0, 1, 2, ..., by either process."""

    initial = 0

    def left(drawn):
        """Draw a number, on the left."""
        return drawn, drawn + 1

    def right(drawn):
        """Draw a number, on the right."""
        return drawn, drawn + 1


class Dekker(linpoint.Model):
    """Two processes, one on the left and one on the right, that draw numbers."""

    spec = Numbers
    fenced = False

    wants = linpoint.array(False, size=2)
    turn = linpoint.atomic(0)
    drawn = linpoint.atomic(0)

    def want(self, me):
        self.wants[me] = True
        if self.fenced:
            linpoint.fence()

    def draw(self, me, other):
        self.want(me)
        while self.wants[other]:
            if self.turn.load() == other:
                self.wants[me] = False
                while self.turn.load() == other:
                    pass
                self.want(me)
        number = self.drawn.load()
        self.drawn.store(number + 1)
        self.turn.store(other)
        self.wants[me] = False
        return number

    @linpoint.operation(role="left")
    def left(self):
        return self.draw(0, 1)

    @linpoint.operation(role="right")
    def right(self):
        return self.draw(1, 0)
