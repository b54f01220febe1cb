# SPDX-License-Identifier: Apache-2.0
"""Tools for contributors to linpoint; none of them is shipped."""
