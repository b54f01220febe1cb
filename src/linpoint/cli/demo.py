# SPDX-License-Identifier: Apache-2.0
"""``linpoint demo``: the main job on bundled data, to see what the tool says before giving it one's own."""

from __future__ import annotations

from importlib.resources import as_file, files

from linpoint.checkers.check import check
from linpoint.cli.output import print_text
from linpoint.histories.formats import load

_SCENES = (
    ("queue.jsonl", "queue", "A work queue, recorded from three threads. Is it a queue?"),
    ("lowe-map.jsonl", "map", "A concurrent map from Lowe's paper: get(0) found a value that had been deleted."),
    ("register.edn", "cas-register", "A register in a Jepsen history, with a write whose outcome is unknown."),
)


def demo() -> None:
    """Check three bundled histories and show what the answers look like."""
    for name, spec, story in _SCENES:
        with as_file(files("linpoint.cli") / "demo_data" / name) as path:
            history = load(path)
        print_text(f"--- {story}\n$ linpoint check {name} --spec {spec}\n")
        print_text(check(history, spec).explain().text + "\n")
    print_text("Now yours: linpoint check FILE --spec SPEC   (linpoint specs lists the specs)")
