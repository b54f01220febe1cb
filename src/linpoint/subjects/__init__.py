# SPDX-License-Identifier: Apache-2.0
"""Adapters: one directory for each kind of thing under test."""
