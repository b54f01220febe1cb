# SPDX-License-Identifier: Apache-2.0
"""Fuzzes one reader in Python with atheris: ``python -m tests.fuzz READER [options of libFuzzer] CORPUS...``."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["linpoint"], enable_loader_override=False):
    from tests.fuzz.readers import READERS, run_reader


def main() -> None:
    """Fuzz the reader in the first argument."""
    name = sys.argv.pop(1)
    if name not in READERS:
        sys.exit(f"there is no reader {name!r}; there are {', '.join(READERS)}")
    atheris.Setup(sys.argv, lambda data: (run_reader(name, data), None)[1])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
