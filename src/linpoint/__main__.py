# SPDX-License-Identifier: Apache-2.0
"""``python -m linpoint``: runs the command."""

from _linpoint_command import main

if __name__ == "__main__":
    main()
