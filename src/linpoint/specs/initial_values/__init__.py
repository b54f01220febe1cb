# SPDX-License-Identifier: Apache-2.0
"""Derives possible initial values of a built-in spec from the operations of a history."""
