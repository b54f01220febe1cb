# SPDX-License-Identifier: Apache-2.0
"""Explanations of crash tests as text, JSON and HTML."""
