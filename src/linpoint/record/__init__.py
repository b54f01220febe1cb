# SPDX-License-Identifier: Apache-2.0
"""Recording of operations on real threads."""
