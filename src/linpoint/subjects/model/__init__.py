# SPDX-License-Identifier: Apache-2.0
"""Models of algorithms, checked in every state that they can reach."""
