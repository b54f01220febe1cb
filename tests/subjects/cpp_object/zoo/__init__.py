# SPDX-License-Identifier: Apache-2.0
"""Concurrent objects in C++: each correct, and with flaws that must be found."""
