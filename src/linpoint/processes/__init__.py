# SPDX-License-Identifier: Apache-2.0
"""Processes that are started, watched and stopped."""
