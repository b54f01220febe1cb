# SPDX-License-Identifier: Apache-2.0
"""Checkers: decide a history against a spec, with certified evidence."""
