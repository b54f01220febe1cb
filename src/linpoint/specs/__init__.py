# SPDX-License-Identifier: Apache-2.0
"""Sequential specifications: the built-in specs, and tools for writing specs of your own.

``BUILT_IN`` maps the names on the command line to the specs.
"""

from linpoint.specs.builtin import (
    BUILT_IN,
    cas_register,
    counter,
    deque,
    fetch_add,
    log,
    multi_register,
    multiset,
    mutex,
    mwcas,
    priority_queue,
    queue,
    register,
    rw_lock,
    semaphore,
    stack,
)
from linpoint.specs.builtin import map_ as map  # noqa: A004 - the name on the command line
from linpoint.specs.builtin import set_ as set  # noqa: A004 - the name on the command line

__all__ = [
    "BUILT_IN",
    "cas_register",
    "counter",
    "deque",
    "fetch_add",
    "log",
    "map",
    "multi_register",
    "multiset",
    "mutex",
    "mwcas",
    "priority_queue",
    "queue",
    "register",
    "rw_lock",
    "semaphore",
    "set",
    "stack",
]
