# SPDX-License-Identifier: Apache-2.0
"""Two threads empty a list that one of them finds empty."""

import threading

jobs = ["only"]


def work():
    """Look, then take."""
    if jobs:
        jobs.pop()


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
