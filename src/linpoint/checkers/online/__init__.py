# SPDX-License-Identifier: Apache-2.0
"""Checking while a log grows: decide what is certain, then forget what can no longer matter."""
