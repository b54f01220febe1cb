# SPDX-License-Identifier: Apache-2.0
"""Tests of C++ objects: what is explored, judged and told."""
