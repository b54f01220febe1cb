# SPDX-License-Identifier: Apache-2.0
"""Objects under stress on real threads."""
