# SPDX-License-Identifier: Apache-2.0
"""Calls a server of ``command_server``; ``command_client.py SOCKET ARGUMENTS`` stands in for the command ``linpoint``.

It imports little, since imports are its only cost.
"""

import json
import os
import signal
import socket
import sys


def call(address, args, folder, environment, streams):
    """Begin a call; the connection then gives the exit code, a line, negative for a signal."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    request = json.dumps({"args": args, "folder": folder, "environment": environment}).encode()
    socket.send_fds(connection, [len(request).to_bytes(8, "big")], streams)
    connection.sendall(request)
    return connection


if __name__ == "__main__":
    with call(sys.argv[1], sys.argv[2:], os.getcwd(), dict(os.environ), [0, 1, 2]) as called:  # noqa: PTH109 - pathlib is not imported
        code = int(called.makefile().readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
