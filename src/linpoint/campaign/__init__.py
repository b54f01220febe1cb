# SPDX-License-Identifier: Apache-2.0
"""The one loop from a subject under test to a result: search, shrink, confirm, conclude."""
