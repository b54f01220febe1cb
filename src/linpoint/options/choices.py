# SPDX-License-Identifier: Apache-2.0
"""The names that options accept, where no lower package defines them.

Tests compare the names of formats with the formats that exist.
"""

from __future__ import annotations

from typing import Final

CHECKERS: Final = (
    "auto",
    "wing-gong",
    "dfs",
    "linear",
    "linear-dfs",
    "competition",
    "monitor",
    "frontier",
    "graph",
    "eras",
    "brute-force",
)
CONDITIONS: Final = ("linearizable", "strict", "recoverable", "durable", "buffered-durable", "sequential")

FORMAT_NAMES: Final = ("operations", "jepsen-edn", "jepsen-json", "jepsen-text", "porcupine", "csv", "parquet", "arrow")
"""Formats that linpoint reads."""
WRITABLE_FORMAT_NAMES: Final = ("operations", "jepsen-edn", "jepsen-json", "csv", "parquet", "arrow")

GRANULARITIES: Final = ("access", "line", "opcode")
"""Scheduling points of Python code: before each shared access, each line or each bytecode instruction."""
BACKENDS: Final = ("auto", "native", "ast")
"""Ways to detect shared accesses of Python code: in the interpreter's frames, or by rewriting the source."""

RACES: Final = ("stop", "report", "ignore")
"""Reactions to a data race: end the search, report it and continue, or treat plain accesses as relaxed atomics."""
ISOLATIONS: Final = ("none", "fork")
LINEARIZABILITY: Final = "linearizability"
OUTCOMES: Final = "outcomes"
METHODS: Final = (LINEARIZABILITY, OUTCOMES)
SANITIZERS: Final = ("thread", "address", "undefined")

PERSISTENCIES: Final = ("adr", "eadr")
CRASH_TEST_KINDS: Final = ("dl1", "dl2", "c2", "dl3", "exhaustive", "recovery")
"""Kinds of crash tests, in the order in which the host runs them."""

MODEL_MEMORY_MODELS: Final = ("sc", "tso")
HEAPS: Final = ("gc", "free", "counted")
REDUCTIONS: Final = ("local", "fusion", "por", "symmetry", "heap")
PROGRESS_PROPERTIES: Final = ("deadlock-free", "lock-free", "obstruction-free", "returns")
FAIRNESS: Final = ("none", "weak", "strong")
