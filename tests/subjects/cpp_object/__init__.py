# SPDX-License-Identifier: Apache-2.0
"""Tests of C++ objects: exploration, judging and reports."""
