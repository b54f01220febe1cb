# SPDX-License-Identifier: Apache-2.0
"""The native part of histories: the interface of this layer to the core."""

from linpoint._native import Columns, Phase, rank
from linpoint._native.readers import (
    ArrowReader,
    CsvReader,
    EdnReader,
    JsonEventReader,
    LineReader,
    OperationTable,
    TableWriter,
    TextReader,
)

__all__ = [
    "ArrowReader",
    "Columns",
    "CsvReader",
    "EdnReader",
    "JsonEventReader",
    "LineReader",
    "OperationTable",
    "Phase",
    "TableWriter",
    "TextReader",
    "rank",
]
