# SPDX-License-Identifier: Apache-2.0
"""``linpoint report``: combines the results of many runs on one HTML page."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Final

from linpoint.cli.output.file_reports import BAD_INPUT, EXIT, worst
from linpoint.cli.output.html_reports import ENDINGS
from linpoint.cli.output.output_files import FileContentToWrite, ends_in, refuse_unwritable, write_file
from linpoint.cli.output.terminal import print_error, print_text
from linpoint.errors import LinpointError
from linpoint.explain.pages.overview_page import overview_page, sentence
from linpoint.explain.pages.result_documents import ResultDocument, results_in, unreadable
from linpoint.histories.formats.file_content import FileContent
from linpoint.options.commands.report import ReportOptions
from linpoint.text.shell_commands import STANDARD
from linpoint.verdicts import Budget, Status

_CODES: Final = {status.value: code for status, code in EXIT.items()} | {
    "holds": EXIT[Status.LINEARIZABLE],
    "error": BAD_INPUT,
}


def run(options: ReportOptions) -> int:
    """Write the page; return the exit code of the worst result."""
    files, output = list(options.files), options.output
    ends_in(output, ENDINGS, "page")
    refuse_unwritable([output], files, called="one of the results")
    results: list[ResultDocument] = []
    for file in files:
        found, error = _results(file)
        if error is not None:
            print_error(str(error))
            found.append(unreadable(file, error))
        results += (dataclasses.replace(result, page=_link(result.page, file, output)) for result in found)
    written = write_file("Report", output, lambda: FileContentToWrite(overview_page(results)), Budget())
    print_text(sentence(results))
    if written.error is not None:
        raise written.error
    print_text(written.line)
    return worst(_CODES[result.verdict] for result in results)


def _results(file: str) -> tuple[list[ResultDocument], LinpointError | None]:
    name = "standard input" if file == STANDARD else file
    try:
        return results_in(FileContent(file).text(), name)
    except LinpointError as error:
        # The remedy for an empty history does not help with an empty result.
        return results_in("", name) if error.code == "LP-H008" else ([], error.at(name))


def _link(page: str, source: str, output: str) -> str:
    """The path of a result's page from the directory of ``output``; empty if there is no such page.

    The page is searched for in the working directory and in the directory of the document.
    """
    for directory in (Path(), Path() if source == STANDARD else Path(source).parent):
        try:
            if page and (directory / page).is_file():
                return Path(os.path.relpath(directory / page, Path(output).parent)).as_posix()
        except (OSError, ValueError):  # an invalid file name, or another drive
            return ""
    return ""
