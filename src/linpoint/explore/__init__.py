# SPDX-License-Identifier: Apache-2.0
"""Controlled scheduling: explores the interleavings of code, one after another."""
