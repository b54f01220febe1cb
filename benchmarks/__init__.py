# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: generated workloads, one process per measurement, ratios rather than absolute times."""
