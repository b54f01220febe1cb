# SPDX-License-Identifier: Apache-2.0
"""Stress tests of objects on real threads."""
