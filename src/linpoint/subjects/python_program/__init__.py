# SPDX-License-Identifier: Apache-2.0
"""Whole programs with threads and assertions under every schedule."""
