# SPDX-License-Identifier: Apache-2.0
"""Tests of whole Python programs with threads and assertions."""
