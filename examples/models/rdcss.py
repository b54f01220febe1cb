# SPDX-License-Identifier: Apache-2.0
"""RDCSS, a double-compare single-swap built from compare-and-swap: the first half of a multi-word one.

Source: T. L. Harris, K. Fraser and I. A. Pratt, *A Practical Multi-Word Compare-and-Swap Operation*, DISC 2002.

`rdcss(control, old, new)` sets the data to `new` if they are `old` and the control word is `control`, and returns the
previous data. It puts a descriptor in place of the data; a process that finds one completes it, so none waits.

A `naive` one reads the control word first and swaps the data then: the control word may have changed in between.
"""
# Run: linpoint refine rdcss.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine rdcss.py --processes 2 --operations 2 --set naive=true
# Exit code: 1

import linpoint


@linpoint.spec
class ControlAndData:
    """Two words, both initially 0."""

    initial = (0, 0)

    def rdcss(state, control, old, new):
        """Swap the data if both words have the given values."""
        return state[1], (state[0], new) if state == (control, old) else state

    def set_control(state, v):
        """Write the first word."""
        return None, (v, state[1])

    def read(state):
        """Read the second word."""
        return state[1], state


class Rdcss(linpoint.Model):
    """A control word, and data that may temporarily be a descriptor."""

    spec = ControlAndData
    naive = False

    class Descriptor:
        control: int
        old: int
        new: int

    control = linpoint.atomic(0)
    data = linpoint.atomic(0)

    @linpoint.operation(control=[0], old=range(2), new=range(2))
    def rdcss(self, control, old, new):
        if self.naive and self.control.load() != control:
            return self.read_data()
        mine = self.Descriptor(control=control, old=old, new=new)
        while True:
            found = self.read_data()
            if found != old:
                return found
            if self.naive:
                if self.data.cas(old, new):
                    return old
            elif self.data.cas(old, mine):
                self.complete(mine)
                return old

    def complete(self, descriptor):
        if self.control.load() == descriptor.control:
            self.data.cas(descriptor, descriptor.new)
        else:
            self.data.cas(descriptor, descriptor.old)

    def read_data(self):
        while True:
            found = self.data.load()
            if not isinstance(found, self.Descriptor):
                return found
            self.complete(found)

    @linpoint.operation(v=range(2))
    def set_control(self, v):
        self.control.store(v)

    @linpoint.operation
    def read(self):
        return self.read_data()
