# SPDX-License-Identifier: Apache-2.0
"""Explanations as HTML."""
