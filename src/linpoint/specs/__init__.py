# SPDX-License-Identifier: Apache-2.0
"""Sequential specifications: built-ins by name, and what users write their own with."""

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
