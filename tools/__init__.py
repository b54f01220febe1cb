# SPDX-License-Identifier: Apache-2.0
"""Tools for those who work on linpoint; none of them is shipped."""
