# SPDX-License-Identifier: Apache-2.0
"""Likely causes of violations, one family per module; ``likely_causes`` ranks them."""
