# SPDX-License-Identifier: Apache-2.0
"""Explanations of histories: the minimal core, the argument, likely causes, and their text, JSON and HTML."""
