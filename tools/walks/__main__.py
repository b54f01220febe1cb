# SPDX-License-Identifier: Apache-2.0
"""Record the walks of all engines and draw them.

    python -m tools.walks docs/_build/walks

prints, for each engine, how many modules its run visits, the pairs that ping-pong and the calls up the layers, and writes
a picture of each and a page with all of them.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from html import escape
from pathlib import Path

from tools.walks.layers import layer_ranks
from tools.walks.picture import draw_walk
from tools.walks.runs import RUNS, Run, record_walk
from tools.walks.walk import Walk


def main(directory: Path) -> None:
    """Record, print and draw."""
    ranks = layer_ranks()
    directory.mkdir(parents=True, exist_ok=True)
    sections = []
    for run in RUNS:
        if run.compiles and not (shutil.which("g++") or shutil.which("clang++")):
            print(f"{run.engine}: skipped, since there is no C++ compiler")
            continue
        walk = _recorded(run)
        pairs, up = walk.ping_pong_pairs(), walk.upward_calls(ranks)
        summary = f"{len(walk.modules)} modules, {len(pairs)} ping-pong pairs, {len(up)} calls up"
        print(f"{run.engine}: {summary}")
        print("".join(f"  {one} <-> {other}\n" for one, other in pairs), end="")
        print("".join(f"  {call}\n" for call in up), end="")
        picture = draw_walk(walk, ranks)
        name = run.engine.lower().replace(" ", "-").replace("+", "p")
        (directory / f"{name}.svg").write_text(picture, encoding="utf-8")
        command = escape(" ".join(("linpoint", *(Path(each).name for each in run.arguments))))
        sections.append(f"<h2>{escape(run.engine)}</h2>\n<p><code>{command}</code>: {summary}</p>\n{picture}")
    page = "<!doctype html>\n<meta charset=utf-8>\n<title>Walks</title>\n<h1>One small run of each engine</h1>\n"
    (directory / "index.html").write_text(page + "\n".join(sections), encoding="utf-8")


def _recorded(run: Run) -> Walk:
    with tempfile.TemporaryDirectory() as directory:
        return record_walk(run, Path(directory))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/_build/walks"))
