# SPDX-License-Identifier: Apache-2.0
"""Budgets, deadlines and memory limits."""
