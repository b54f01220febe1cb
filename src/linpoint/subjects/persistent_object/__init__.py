# SPDX-License-Identifier: Apache-2.0
"""Crash tests of objects in persistent memory."""
