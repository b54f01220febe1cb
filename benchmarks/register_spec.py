# SPDX-License-Identifier: Apache-2.0
"""A CAS register as a user would write it, in pure Python: the cost of a user-defined spec."""

from __future__ import annotations

import linpoint


@linpoint.spec
class CasRegister:
    """One value that is read, written, and swapped if it is as expected."""

    initial = None

    @staticmethod
    def read(value: object) -> tuple[object, object]:
        """Return the value."""
        return value, value

    @staticmethod
    def write(_value: object, new: object) -> tuple[object, object]:
        """Replace the value."""
        return None, new

    @staticmethod
    def cas(value: object, old: object, new: object) -> tuple[object, object]:
        """Replace the value if it is ``old``."""
        return (True, new) if value == old else (False, value)
