# SPDX-License-Identifier: Apache-2.0
"""Three threads change a list under a lock: many schedules, none of them wrong."""

import threading

values = []
lock = threading.Lock()


def append(value):
    """Add a value twice."""
    for _ in range(2):
        with lock:
            values.append(value)


threads = [threading.Thread(target=append, args=(number,)) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(values) == [0, 0, 1, 1, 2, 2]
