# SPDX-License-Identifier: Apache-2.0
"""Searches in the native core, behind adapters that speak positions."""
