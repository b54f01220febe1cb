# SPDX-License-Identifier: Apache-2.0
"""``linpoint demo``: the main job on bundled data, to see what the tool says before giving it one's own."""

from __future__ import annotations

from importlib.resources import as_file, files

from linpoint.checkers.check import check
from linpoint.cli.output.terminal import print_text
from linpoint.histories.formats import load
from linpoint.options.commands.specs import DemoOptions

_SCENES = (
    ("queue.jsonl", "queue", "A work queue, recorded from three threads. Is it a queue?"),
    ("lowe-map.jsonl", "map", "A concurrent map from Lowe's paper: get(0) found a value that had been deleted."),
    ("register.edn", "cas-register", "A register in a Jepsen history, with a write whose outcome is unknown."),
)

_TEST = "cache_test.py"
_DEMO_BUDGET_S = 10.0


def run(options: DemoOptions) -> int:
    """Check the histories and test the class; the exit code says only that it was shown."""
    del options
    for name, spec, story in _SCENES:
        with as_file(files("linpoint.cli") / "demo_data" / name) as path:
            history = load(path)
        print_text(f"--- {story}\n$ linpoint check {name} --spec {spec}\n")
        print_text(check(history, spec).explain().text + "\n")
    from linpoint.campaign.driver import run_campaign  # noqa: PLC0415 - other commands do not load the explorer
    from linpoint.subjects.python_object.load_tests import load_test  # noqa: PLC0415 - as above
    from linpoint.subjects.python_object.subject import PythonObjectSubject  # noqa: PLC0415 - as above

    with as_file(files("linpoint.cli") / "demo_data" / _TEST) as path:
        print_text(f"--- A cache in Python. May threads share it? Every schedule is tried.\n$ linpoint test {_TEST}\n")
        subject = PythonObjectSubject(definition=load_test(str(path), "TestCache"))
        print_text(run_campaign(subject, _DEMO_BUDGET_S).explain().text + "\n")
    print_text("Now yours: linpoint check FILE --spec SPEC   (linpoint specs lists the specs)")
    print_text("           linpoint test FILE.py             (with a subclass of linpoint.ConcurrentTest)")
    return 0
