# SPDX-License-Identifier: Apache-2.0
"""A register of K values made of K bits: the value is the lowest bit that is set.

Source: H. Attiya and J. Welch, *Distributed Computing*, section 10.2.1; example 1 of Liu et al., *Model Checking
Linearizability via Refinement*, FM 2009, which also asks about two readers.

It is a register for one writer and one reader, and, as the paper notes in a footnote, for two readers. No step of a
read is always its linearization point: that depends on what the writer does meanwhile.

A `faulty` reader returns what it finds on its way up without scanning back, so it may read a new value and then an old
one.
"""
# Run: linpoint refine register.py --operations 0
# Exit code: 0
# Run: linpoint refine register.py --operations 0 --processes reader=2,writer=1
# Exit code: 0
# Run: linpoint refine register.py --operations 0 --set faulty=true
# Exit code: 1

import linpoint


class Register(linpoint.Model):
    """One writer, any number of readers."""

    K = 3
    faulty = False
    spec = linpoint.specs.register(initial=K - 1)

    bits = linpoint.array(False, size=K)

    def setup(self):
        self.bits[self.K - 1] = True

    @linpoint.operation(v=range(K), role="writer")
    def write(self, v):
        self.bits[v] = True
        for i in range(v - 1, -1, -1):
            self.bits[i] = False

    @linpoint.operation(role="reader")
    def read(self):
        v = 0
        while not self.bits[v]:
            v += 1
        if not self.faulty:
            for i in range(v - 1, -1, -1):
                if self.bits[i]:
                    v = i
        return v
