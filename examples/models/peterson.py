# SPDX-License-Identifier: Apache-2.0
"""Peterson's mutual exclusion, around a counter that two processes increase: correct, but not on x86 without fences.

Source: G. L. Peterson, *Myths about the Mutual Exclusion Problem*, Information Processing Letters 12, 1981.

Each process announces that it wants to enter and gives way to the other; then it waits. If both were inside at the same
time, both would draw the same number. In sequentially consistent memory that is impossible. With store buffers
(`--memory-model tso`) a process may read the other's announcement before its own is visible without a fence (`fenced`).
"""
# Run: linpoint refine peterson.py --operations 2
# Exit code: 0
# Run: linpoint refine peterson.py --operations 1 --memory-model tso
# Exit code: 1
# Run: linpoint refine peterson.py --operations 2 --memory-model tso --set fenced=true
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


class Peterson(linpoint.Model):
    """Two processes, one on the left and one on the right, that draw numbers."""

    spec = Numbers
    fenced = False

    wants = linpoint.array(False, size=2)
    turn = linpoint.atomic(0)
    drawn = linpoint.atomic(0)

    def draw(self, me, other):
        self.wants[me] = True
        self.turn.store(other)
        if self.fenced:
            linpoint.fence()
        while self.wants[other] and self.turn.load() == other:
            pass
        number = self.drawn.load()
        self.drawn.store(number + 1)
        self.wants[me] = False
        return number

    @linpoint.operation(role="left")
    def left(self):
        return self.draw(0, 1)

    @linpoint.operation(role="right")
    def right(self):
        return self.draw(1, 0)
