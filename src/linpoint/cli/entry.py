# SPDX-License-Identifier: Apache-2.0
"""Where the command ``linpoint`` begins: Ctrl-C counts while the rest is still being imported.

That takes some tenths of a second, and Python would answer with a traceback and an exit code of its own. What
``import linpoint`` itself takes, about half of it, is over before this module can run.
"""

from __future__ import annotations

import signal


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

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run(interrupted=pressed)
