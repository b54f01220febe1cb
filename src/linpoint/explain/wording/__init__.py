# SPDX-License-Identifier: Apache-2.0
"""Text that all explanations share: operations, states, lanes and timelines."""
