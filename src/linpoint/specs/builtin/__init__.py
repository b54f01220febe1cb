# SPDX-License-Identifier: Apache-2.0
"""The built-in specs, by their names on the command line."""

from linpoint.specs.builtin.locks_and_counters import counter, fetch_add, mutex, rw_lock, semaphore
from linpoint.specs.builtin.maps_and_sets import map_, multiset, set_
from linpoint.specs.builtin.ordered_containers import deque, log, priority_queue, queue, stack
from linpoint.specs.builtin.registers_and_mwcas import cas_register, multi_register, mwcas, register
from linpoint.specs.spec import Spec

BUILT_IN: dict[str, Spec] = {
    "register": register,
    "cas-register": cas_register,
    "multi-register": multi_register,
    "map": map_,
    "counter": counter,
    "fetch-add": fetch_add,
    "queue": queue,
    "stack": stack,
    "deque": deque,
    "priority-queue": priority_queue,
    "set": set_,
    "multiset": multiset,
    "mutex": mutex,
    "rw-lock": rw_lock,
    "semaphore": semaphore,
    "log": log,
    "mwcas": mwcas,
}

__all__ = [
    "BUILT_IN",
    "cas_register",
    "counter",
    "deque",
    "fetch_add",
    "log",
    "map_",
    "multi_register",
    "multiset",
    "mutex",
    "mwcas",
    "priority_queue",
    "queue",
    "register",
    "rw_lock",
    "semaphore",
    "set_",
    "stack",
]
