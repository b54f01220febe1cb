# SPDX-License-Identifier: Apache-2.0
"""Structures in persistent memory."""
