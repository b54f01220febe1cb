# SPDX-License-Identifier: Apache-2.0
"""The file formats of histories, one module each, detected by content. ``load`` and ``save`` are the entry points."""

from linpoint.histories.formats.load_save import FORMATS, load, save

__all__ = ["FORMATS", "load", "save"]
