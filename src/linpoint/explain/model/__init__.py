# SPDX-License-Identifier: Apache-2.0
"""Explanations of models as text, JSON and HTML."""
