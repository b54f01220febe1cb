# SPDX-License-Identifier: Apache-2.0
"""A spin lock."""

import linpoint


class Spinning(linpoint.Model):
    """A process that wants the lock tries again and again."""

    spec = linpoint.specs.mutex
    held = linpoint.atomic(False)

    @linpoint.operation
    def acquire(self):
        while not self.held.cas(False, True):
            pass

    @linpoint.operation(pairs_with="acquire")
    def release(self):
        self.held.store(False)
