# SPDX-License-Identifier: Apache-2.0
"""Histories that are read while they grow."""
