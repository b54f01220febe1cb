# SPDX-License-Identifier: Apache-2.0
"""Tests interrupt the commands that they start. A shell has what it puts in the background ignore that, and so would all
that is started from there.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore_glob = ["*_linpoint.cpp"]
"""They are what tests test, and some are wrong on purpose; should our plugin be there, it leaves them alone."""
