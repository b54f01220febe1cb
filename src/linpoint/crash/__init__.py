# SPDX-License-Identifier: Apache-2.0
"""Crash tests of structures in persistent memory: crash states, the oracle, and root causes."""
