# SPDX-License-Identifier: Apache-2.0
"""Processes that run C++ targets under control, and their messages."""
