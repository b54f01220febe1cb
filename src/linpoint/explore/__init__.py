# SPDX-License-Identifier: Apache-2.0
"""Controlled scheduling: every interleaving of code, one after another."""
