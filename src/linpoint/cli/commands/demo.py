# SPDX-License-Identifier: Apache-2.0
"""``linpoint demo``: checks bundled histories and tests a bundled class, to show what verdicts look like."""

from __future__ import annotations

from importlib.resources import as_file, files

from linpoint.checkers.check import check
from linpoint.cli.output.terminal import print_text
from linpoint.histories.formats import load
from linpoint.options.commands.specs import DemoOptions

_HISTORIES = (
    ("queue.jsonl", "queue", "A work queue, recorded from three threads. Is it a FIFO queue?"),
    ("lowe-map.jsonl", "map", "A concurrent map from Lowe's paper. Is it linearizable?"),
    (
        "register.edn",
        "cas-register",
        "A register in a Jepsen history, with a write whose outcome is unknown. Is it linearizable?",
    ),
)

_TEST = "cache_test.py"
_TEST_STORY = "A cache in Python. Can threads share it? linpoint explores every schedule of small scenarios."
_DEMO_BUDGET_S = 10.0


def run(options: DemoOptions) -> int:
    """Check the histories and test the class; the exit code is 0 whatever the verdicts are."""
    del options
    for name, spec, story in _HISTORIES:
        with as_file(files("linpoint.cli") / "demo_data" / name) as path:
            history = load(path)
        print_text(f"--- {story}\n$ linpoint check {name} --spec {spec}\n")
        print_text(check(history, spec).explain().text + "\n")
    from linpoint.campaign.driver import run_campaign  # noqa: PLC0415 - other commands need not load the explorer
    from linpoint.subjects.python_object.load_tests import load_test  # noqa: PLC0415 - as above
    from linpoint.subjects.python_object.subject import PythonObjectSubject  # noqa: PLC0415 - as above

    with as_file(files("linpoint.cli") / "demo_data" / _TEST) as path:
        print_text(f"--- {_TEST_STORY}\n$ linpoint test {_TEST}\n")
        subject = PythonObjectSubject(definition=load_test(str(path), "TestCache"))
        print_text(run_campaign(subject, _DEMO_BUDGET_S).explain().text + "\n")
    print_text("Next: linpoint check FILE --spec SPEC   (linpoint specs lists the specs)")
    print_text("      linpoint test FILE.py             (with a subclass of linpoint.ConcurrentTest)")
    return 0
