# SPDX-License-Identifier: Apache-2.0
"""Where the command ``linpoint`` begins: Ctrl-C ends it with its own message and exit code while the rest is imported.

That takes some tenths of a second, and Python would answer with a traceback and an exit code of its own; from within an
import even with 1, which says "violation". It lies outside of the package because importing a part of one imports the
whole, which is half of it. Cost: it imports nothing that Python itself has not.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import NoReturn

_INTERRUPTED = 3
_DOCUMENT = (
    b'{"verdict":"unknown","exhaustive":false,"why":"the run was interrupted","statistics":'
    b'{"seconds":0.0,"peak_memory_bytes":0,"operations":0,"configurations":0},"findings":[]}\n'
)


def listen() -> None:
    """Let Ctrl-C end the process at once from now on, unless the shell has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    # The launcher has held it back until somebody listens.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def main() -> None:
    """Import the command line and run it."""
    began = time.monotonic()
    listen()
    from linpoint.cli.main import main as run  # noqa: PLC0415 - it is for this that the handler is there

    run(began=began)


def _end(*_: object) -> NoReturn:
    """Report the interrupt and end. No exception: within an import it could be lost, or printed with a traceback."""
    words = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    for descriptor, text in ((2, b"error: interrupted\n"), (1, _DOCUMENT if "--json" in words else b"")):
        try:
            os.write(descriptor, text)
        except OSError:  # nobody reads it
            continue
    os._exit(_INTERRUPTED)
