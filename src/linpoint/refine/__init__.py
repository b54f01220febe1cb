# SPDX-License-Identifier: Apache-2.0
"""Models of algorithms in restricted Python, checked exhaustively by refinement."""
