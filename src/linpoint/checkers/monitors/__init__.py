# SPDX-License-Identifier: Apache-2.0
"""Exact quasi-linear procedures for common objects: which of them apply, and what they say."""
