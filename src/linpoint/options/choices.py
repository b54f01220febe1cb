# SPDX-License-Identifier: Apache-2.0
"""The names that options accept, where no lower package defines them."""

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

GRANULARITIES: Final = ("access", "line", "opcode")
"""Scheduling points of Python code: before each shared access, each line or each instruction."""
BACKENDS: Final = ("auto", "native", "ast")
"""How shared accesses of Python code are observed: in the interpreter's frames, or by rewriting the source."""

RACES: Final = ("stop", "report", "ignore")
"""A data race ends the search as its finding, is reported beside it, or plain accesses count as relaxed atomics."""
ISOLATIONS: Final = ("none", "fork")
LINEARIZABILITY: Final = "linearizability"
OUTCOMES: Final = "outcomes"
METHODS: Final = (LINEARIZABILITY, OUTCOMES)
SANITIZERS: Final = ("thread", "address", "undefined")

PERSISTENCIES: Final = ("adr", "eadr")
CRASH_TEST_KINDS: Final = ("dl1", "dl2", "c2", "dl3", "exhaustive", "recovery")
"""In the order in which the host runs them."""

MODEL_MEMORY_MODELS: Final = ("sc", "tso")
HEAPS: Final = ("gc", "free", "counted")
REDUCTIONS: Final = ("local", "fusion", "por", "symmetry", "heap")
PROGRESS_PROPERTIES: Final = ("deadlock-free", "lock-free", "obstruction-free", "returns")
FAIRNESS: Final = ("none", "weak", "strong")
