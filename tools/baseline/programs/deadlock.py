# SPDX-License-Identifier: Apache-2.0
"""Two threads take two locks in opposite orders."""

import threading

a, b = threading.Lock(), threading.Lock()


def forth():
    """Take a, then b."""
    with a, b:
        pass


def back():
    """Take b, then a."""
    with b, a:
        pass


threads = [threading.Thread(target=forth), threading.Thread(target=back)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
