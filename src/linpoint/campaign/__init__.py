# SPDX-License-Identifier: Apache-2.0
"""Drives a subject under test from search to result: search, shrink, confirm, conclude."""
