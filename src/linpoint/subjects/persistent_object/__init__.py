# SPDX-License-Identifier: Apache-2.0
"""Objects in persistent memory under test."""
