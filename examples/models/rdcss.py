# SPDX-License-Identifier: Apache-2.0
"""RDCSS, a double-compare single-swap from compare-and-swap: the first half of a multi-word one.

Source: T. L. Harris, K. Fraser and I. A. Pratt, *A Practical Multi-Word Compare-and-Swap Operation*, DISC 2002.

`rdcss(control, old, new)` makes the data `new` if they are `old` and the control word is `control`, and says what they
were. It puts a descriptor in the place of the data; whoever finds one completes it, so that nobody waits. It holds.

A `naive` one looks at the control word first and swaps the data then: the control word may have changed in between.
"""
# Run: linpoint refine rdcss.py --processes 2 --operations 2
# Exit code: 0
# Run: linpoint refine rdcss.py --processes 2 --operations 2 --set naive=true
# Exit code: 1

import linpoint


@linpoint.spec
class ControlAndData:
    """Two words, both 0 at first."""

    initial = (0, 0)

    def rdcss(state, control, old, new):
        """Swap the data if both words are as given."""
        return state[1], (state[0], new) if state == (control, old) else state

    def set_control(state, v):
        """Write the first word."""
        return None, (v, state[1])

    def read(state):
        """Read the second word."""
        return state[1], state


class Rdcss(linpoint.Model):
    """A control word, and data that may be a descriptor for a while."""

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
