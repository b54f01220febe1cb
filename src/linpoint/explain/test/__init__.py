# SPDX-License-Identifier: Apache-2.0
"""Explanations of tests of objects and programs as text, JSON and HTML."""
