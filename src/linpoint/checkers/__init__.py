# SPDX-License-Identifier: Apache-2.0
"""Checkers that decide whether a history satisfies a spec, with certified evidence."""
