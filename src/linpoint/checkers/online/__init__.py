# SPDX-License-Identifier: Apache-2.0
"""Checking a growing log: decide everything that is certain, and forget operations that can no longer matter."""
