# SPDX-License-Identifier: Apache-2.0
"""Starting, supervising and stopping processes."""
