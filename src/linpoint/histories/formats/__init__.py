# SPDX-License-Identifier: Apache-2.0
"""The file formats of histories: a module each, recognised by content. ``load`` and ``save`` are the doors."""

from linpoint.histories.formats.load_save import FORMATS, load, save

__all__ = ["FORMATS", "load", "save"]
