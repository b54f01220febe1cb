# SPDX-License-Identifier: Apache-2.0
"""The stack of Table 1 of the PAT paper: Treiber's loop over the height of a stack, without its contents.

Source: Liu et al., *Model Checking Linearizability via Refinement*, FM 2009, where it is "stack of size S".

Push returns the new height of the stack, at most S, and pop the previous one. Its state space is finite, so that any
number of operations can be checked: `--operations 0`. The linearization points of both are marked, and with `--points`
only they are compared with the spec; the paper calls this "(points)". `blind` stores instead of comparing and swapping.
"""
# Run: linpoint refine stack_height.py --processes 2 --operations 0
# Exit code: 0
# Run: linpoint refine stack_height.py --processes 2 --operations 0 --points
# Exit code: 0
# Run: linpoint refine stack_height.py --processes 2 --operations 1 --set blind=true
# Exit code: 1

import linpoint


def heights(most):
    """The spec: a number between 0 and ``most``."""

    @linpoint.spec
    class Height:
        initial = 0

        def push(height):
            higher = min(height + 1, most)
            return higher, higher

        def pop(height):
            return height, max(height - 1, 0)

    return Height


class StackHeight(linpoint.Model):
    """The height of a stack of at most S elements."""

    S = 4
    blind = False
    spec = heights(S)

    height = linpoint.atomic(0)

    @linpoint.operation
    def push(self):
        while True:
            height = self.height.load()
            higher = height + 1 if height < self.S else height
            if self.change(height, higher):
                linpoint.point()
                return higher

    @linpoint.operation
    def pop(self):
        while True:
            height = self.height.load()
            if height == 0:
                linpoint.point()
                return 0
            if self.change(height, height - 1):
                linpoint.point()
                return height

    def change(self, before, after):
        if self.blind:
            self.height.store(after)
            return True
        return self.height.cas(before, after)
