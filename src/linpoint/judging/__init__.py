# SPDX-License-Identifier: Apache-2.0
"""Decides whether an observed run of an object is correct, for every engine."""
