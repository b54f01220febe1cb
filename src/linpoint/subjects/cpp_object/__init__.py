# SPDX-License-Identifier: Apache-2.0
"""Tests of C++ objects: scenarios of operations, explored in the host and judged by specs."""
