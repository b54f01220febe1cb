# SPDX-License-Identifier: Apache-2.0
"""Deciding by precedence graphs."""
