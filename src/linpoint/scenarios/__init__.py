# SPDX-License-Identifier: Apache-2.0
"""Scenarios to run against an object: written by hand, generated from the definition of a test, and shrunk."""

from linpoint.scenarios.concurrent_test import (
    ConcurrentTest,
    ConcurrentTestDefinition,
    TestedOperation,
    definition_of,
    definition_of_object,
    operation,
)
from linpoint.scenarios.scenario import Call, Scenario

__all__ = [
    "Call",
    "ConcurrentTest",
    "ConcurrentTestDefinition",
    "Scenario",
    "TestedOperation",
    "definition_of",
    "definition_of_object",
    "operation",
]
