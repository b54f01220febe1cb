# SPDX-License-Identifier: Apache-2.0
"""Two threads increment a counter under a lock."""

import threading

counter = 0
lock = threading.Lock()


def increment():
    """Read and write under the lock."""
    global counter
    with lock:
        counter += 1


threads = [threading.Thread(target=increment) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2
