# SPDX-License-Identifier: Apache-2.0
"""Walks: which modules one small run of each engine visits, in which order, and who calls whom."""
