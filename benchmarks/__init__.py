# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: workloads made on the spot, run in one process each, ratios rather than absolute times."""
