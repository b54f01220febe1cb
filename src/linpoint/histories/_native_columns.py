# SPDX-License-Identifier: Apache-2.0
"""The native side of columns: where the layer of histories meets the core."""

from linpoint._native import Columns, LineReader, rank

__all__ = ["Columns", "LineReader", "rank"]
