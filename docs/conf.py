# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration. The build needs no network; warnings are errors (`make docs`)."""

from importlib.metadata import version as version_of
from typing import Any

from pygments.lexers.jvm import ClojureLexer
from pygments.lexers.special import TextLexer

project = "linpoint"
copyright = "linpoint contributors"  # noqa: A001 - Sphinx's name
release = version = version_of("linpoint")

extensions = ["myst_parser"]
exclude_patterns = ["_build", "internals", "README.md"]
nitpicky = True

# Directives are written with colons, so that every fence with backticks is a block that the tests run.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"linpoint {version}"
html_copy_source = False


def setup(app: Any) -> None:
    """Name the languages of our blocks that Pygments has under another name, or not at all."""
    app.add_lexer("edn", ClojureLexer)
    app.add_lexer("csv", TextLexer)
