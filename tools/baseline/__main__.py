# SPDX-License-Identifier: Apache-2.0
"""Record and compare the behaviour of installations of linpoint.

    python -m tools.baseline run .venv/bin/linpoint --inputs . -o before.json
    python -m tools.baseline compare before.json after.json
    python -m tools.baseline rates old/.venv/bin/linpoint new/.venv/bin/linpoint --inputs .

Both runs of a comparison must take their inputs from the same tree.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tools.baseline.cases import cases
from tools.baseline.comparison import compare
from tools.baseline.inputs import prepared_inputs
from tools.baseline.rates import measure_rates, rate_lines
from tools.baseline.running import run_cases

_ROOT = Path(__file__).parents[2]


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit code of ``compare`` is 1 if records differ."""
    options = _parser().parse_args(argv)
    if options.command == "compare":
        before, after = (json.loads(Path(each).read_text(encoding="utf-8")) for each in (options.before, options.after))
        differences = list(compare(before, after))
        print("\n".join(differences) or f"no difference in {len(before['cases'])} commands")
        return 1 if differences else 0
    with prepared_inputs(options.inputs, options.directory) as directory:
        if options.command == "run":
            record = run_cases(options.linpoint, directory, cases(options.only), options.parallel)
        else:
            record = measure_rates(options.linpoint, directory, options.repeat)
    if options.output:
        options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.command == "rates":
        print("\n".join(rate_lines(record)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tools.baseline", description="Record and compare linpoint's output.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="record the output of all commands")
    run.add_argument("linpoint", type=Path, help="the executable to record")
    run.add_argument("--only", default="*", help="pattern for names of commands, such as 'check/*'")
    run.add_argument("--parallel", type=int, default=1, help="number of commands to run in parallel (default 1)")
    rates = commands.add_parser("rates", help="measure several installations in turn, round by round")
    rates.add_argument("linpoint", type=Path, nargs="+", help="the executables to measure")
    rates.add_argument("--repeat", type=int, default=5, help="number of rounds (default 5)")
    for each in (run, rates):
        each.add_argument("--inputs", type=Path, default=_ROOT, help="the source tree with examples and zoos to copy")
        each.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()) / "linpoint-baseline")
        each.add_argument("-o", "--output", type=Path, help="the JSON file to write")
    comparison = commands.add_parser("compare", help="print the differences of two records")
    comparison.add_argument("before")
    comparison.add_argument("after")
    return parser


if __name__ == "__main__":
    sys.exit(main())
