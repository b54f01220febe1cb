# SPDX-License-Identifier: Apache-2.0
"""Scenarios: what to run against an object, said by hand, generated from a test's definition, and made smaller."""

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
