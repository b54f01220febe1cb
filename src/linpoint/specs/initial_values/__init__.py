# SPDX-License-Identifier: Apache-2.0
"""The initial values that a built-in spec can have, from the operations of a history."""
