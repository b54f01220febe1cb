# SPDX-License-Identifier: Apache-2.0
"""Where the command ``linpoint`` begins: Ctrl-C counts while the rest is still being imported.

That takes some tenths of a second, and Python would answer with a traceback and an exit code of its own. It lies outside
of the package because importing a part of one imports the whole, which is half of it.
"""

from __future__ import annotations

import signal
import sys

_INTERRUPTED = 130


def main() -> None:
    """Import the command line and run it; a Ctrl-C that came meanwhile is told as any other."""
    pressed = False

    def press(*_: object) -> None:
        nonlocal pressed
        pressed = True

    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, press)
    from linpoint.cli.main import main as run  # noqa: PLC0415 - it is for this that the handler is there

    try:
        if heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run(interrupted=pressed)
    except KeyboardInterrupt:  # between two that listen to it
        sys.exit(_INTERRUPTED)
