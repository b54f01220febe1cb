# SPDX-License-Identifier: Apache-2.0
"""Whole C++ programs under test."""
