# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration. The build needs no network; warnings are errors (`make docs`)."""

import re
from importlib.metadata import version as version_of
from typing import Any

from docutils import nodes
from pygments.lexers.jvm import ClojureLexer
from pygments.lexers.special import TextLexer
from sphinx import addnodes

import linpoint

project = "linpoint"
copyright = "linpoint contributors"  # noqa: A001 - Sphinx's name
release = version = version_of("linpoint")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build", "internals", "README.md"]
nitpicky = True
# Signatures name types that have no entry here: those of the standard library and our private ones.
nitpick_ignore_regex = [("py:.*", r"(?!linpoint\.[^.]+$).*")]

# Directives are written with colons, so that every fence with backticks is a block that the tests run. The exception
# is `eval-rst`, which MyST has with backticks only: autodoc writes reStructuredText.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 100
linpoint.TestResult.__name__ = "TestResult"  # else autodoc takes this name, too, for an alias of a private one

html_theme = "furo"
html_title = f"linpoint {version}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["blocks.css", "cards.css"]

# The copy button takes the commands of a console block, without prompts and outputs.
copybutton_selector = "div:not(.output) > div.highlight > pre"
copybutton_prompt_text = r"\$ |> "
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False

_COMMENT = re.compile(r"<!--\s*(?:file:\s*(\S+)|output)\s*-->\s*")


def caption_blocks(_app: Any, doctree: nodes.document) -> None:
    """Show the comment before a block: a file name becomes the caption, and an output gets the class ``output``."""
    for block in list(doctree.findall(nodes.literal_block)):
        place = block.parent.index(block)
        comment = _COMMENT.fullmatch(block.parent[place - 1].astext()) if place else None
        if comment is None:
            continue
        if comment[1] is None:
            block["classes"].append("output")
        else:
            wrapper = nodes.container("", literal_block=True, classes=["literal-block-wrapper"])
            block.replace_self(wrapper)
            wrapper += [nodes.caption("", comment[1]), block]
            doctree.set_id(wrapper)


def show_signature(_app: Any, kind: str, name: str, _thing: Any, _options: Any, signature: str, _result: str) -> Any:
    """Show the parameters of functions, and of the classes that users construct."""
    constructed = {"Annotation", "Crash", "History", "Operation", "Recorder", "Witness"}
    if signature and kind in ("class", "exception") and name.removeprefix("linpoint.") not in constructed:
        return "", None
    return None


def name_test_result(_app: Any, doctree: nodes.document) -> None:
    """Show the class ``Result`` under the name that users import."""
    for reference in doctree.findall(addnodes.pending_xref):
        if reference["reftarget"] == f"{linpoint.TestResult.__module__}.Result":
            for text in list(reference.findall(nodes.Text)):
                text.parent.replace(text, nodes.Text("TestResult"))


def setup(app: Any) -> None:
    """Name the languages of our blocks that Pygments has under another name, or not at all, and connect the functions above."""
    app.add_lexer("edn", ClojureLexer)
    app.add_lexer("csv", TextLexer)
    app.connect("doctree-read", caption_blocks)
    app.connect("autodoc-process-signature", show_signature)
    app.connect("doctree-read", name_test_result)
