# SPDX-License-Identifier: Apache-2.0
"""`make bench`: linpoint and Porcupine on the same histories, one process per measurement, ratios rather than gates.

Every cell is printed, including those where Porcupine is faster. Times are those of checking, without start-up and
reading, on both sides; small files are checked 31 times in a process and the median counts. Slowness is never a
failure: the exit code is 1 only if an answer is wrong, or a tool failed.

    python -m benchmarks --quick
    python -m benchmarks --select cas/10k --timeout 60
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import crashing, exploring_cpp, formats, graph, long, lowe, plot, refinement, repeated_values, report
from benchmarks.cells import Cell, all_cells, matches, selected
from benchmarks.measuring import Comparison, Measurement, measure_ours, measure_theirs
from benchmarks.peer import Peer, PeerError, build
from benchmarks.running import ROOT, Limits

_QUICK_LOWE = lowe.Plan(powers=range(5, 9), observations=5, total=1024, timeout=2.0)


def main() -> int:
    """Measure the selected cells; see ``--help``."""
    options = _options()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    peer = None if options.without_porcupine else _peer(out)
    data = options.data or (peer.data if peer else None)
    if data is None:
        _tell("Porcupine's files are not available (--data DIR names a copy): their cells are skipped")
    chosen = selected(all_cells(data), options.select, quick=options.quick)
    with_lowe = not options.select or matches("lowe", options.select)
    with_long = not options.select or matches("long", options.select)
    with_formats = not options.select or matches("formats", options.select)
    with_repeats = not options.select or matches("repeats", options.select)
    with_graph = not options.select or matches("graph", options.select)
    with_cpp = not options.select or matches("cpp", options.select)
    with_crashes = not options.select or matches("crashes", options.select)
    with_models = not options.select or matches("refinement", options.select)
    if options.list:
        others = {
            "lowe": with_lowe,
            "long": with_long,
            "formats": with_formats,
            "repeats": with_repeats,
            "graph": with_graph,
            "cpp": with_cpp,
        }
        others |= {"crashes": with_crashes, "refinement": with_models}
        print("\n".join([*(cell.name for cell in chosen), *(name for name, wanted in others.items() if wanted)]))
        return 0
    if not any(
        (chosen, with_lowe, with_long, with_formats, with_repeats, with_graph, with_cpp, with_crashes, with_models)
    ):
        print("no cell matches; --list shows all cells", file=sys.stderr)
        return 2
    limits = Limits(options.timeout or (10.0 if options.quick else 30.0), int(options.max_memory * 2**30))
    results: list[Comparison] = []
    stopped = False
    wrong = False
    try:
        if chosen:
            print(f"limits: {limits.seconds:g} s per check and {options.max_memory:g} GB per process", end="; ")
            print("ratio: Porcupine's time over linpoint's\n")
            _measure(chosen, limits, peer, out, results)
        if with_lowe:
            print()
            told = lowe.experiment(_QUICK_LOWE if options.quick else lowe.Plan(memory=limits.memory), out)
            wrong = any(result.note.startswith("WRONG") for result in told)
        if with_long:
            print()
            wrong = long.experiment(quick=options.quick) or wrong
        for wanted, kind in ((with_repeats, repeated_values), (with_formats, formats), (with_graph, graph)):
            if wanted:
                print()
                wrong = kind.experiment(quick=options.quick) or wrong
        if with_cpp:
            print()
            wrong = exploring_cpp.experiment(quick=options.quick) or wrong
        if with_crashes:
            print()
            wrong = crashing.experiment(quick=options.quick, out=out) or wrong
        if with_models:
            print()
            wrong = refinement.experiment(quick=options.quick) or wrong
    except KeyboardInterrupt:
        print("\nstopped by Ctrl-C; these are the measurements so far")
        stopped = True
    if results:
        (out / "bench.svg").write_text(_drawn(results), encoding="utf-8")
        print("\n" + "\n".join(report.summary(results)))
    print(
        f"\nwrote {', '.join(str(path) for path in sorted(out.glob('*.[cs]*v*')) if path.suffix in ('.csv', '.svg'))}"
    )
    wrong = wrong or any(each.wrong for each in results)
    return 1 if wrong else 130 if stopped else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--select", action="append", default=[], metavar="PATTERN", help="part of a name, or a glob")
    parser.add_argument("--quick", action="store_true", help="the most important cells, 10 s each (a few minutes)")
    parser.add_argument("--timeout", type=float, help="seconds per check (default 30; 10 with --quick)")
    parser.add_argument("--max-memory", type=float, default=9.0, metavar="GB", help="per process (default 9)")
    parser.add_argument("--data", type=Path, help="a directory with jepsen/ and kv/ instead of Porcupine's own")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench", help="output directory (build/bench)")
    parser.add_argument("--without-porcupine", action="store_true", help="measure linpoint alone")
    parser.add_argument("--list", action="store_true", help="print the names of the cells and exit")
    return parser.parse_args()


def _peer(out: Path) -> Peer | None:
    """Porcupine, or a message on why it is missing."""
    try:
        peer = build(out)
    except PeerError as error:
        _tell(f"without Porcupine: {error}")
        return None
    _tell(f"Porcupine {peer.version}, built with Go; its files are in its module")
    return peer


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _measure(cells: list[Cell], limits: Limits, peer: Peer | None, out: Path, results: list[Comparison]) -> None:
    """Measure the cells one after another; ``results`` grows, so that an interrupt loses nothing."""
    table = report.Table(out / "bench.csv")
    print(report.HEADER)
    try:
        for cell in cells:
            with tempfile.TemporaryDirectory() as folder:
                file = cell.provide(Path(folder))
                ours = measure_ours(cell, file, limits)
                theirs: Measurement | None = None
                if peer is not None and cell.spec is None:
                    theirs = measure_theirs(cell, file, limits, peer)
            results.append(Comparison(cell, ours, theirs))
            print(report.row(results[-1]), flush=True)
            table.add(results[-1])
    finally:
        table.close()


def _drawn(results: list[Comparison]) -> str:
    groups: dict[str, list[plot.Point]] = {}
    for each in results:
        if each.theirs is not None and each.ratio is not None:
            label = f"{each.cell.name}, ratio {report.ratio(each)}"
            point = plot.Point(each.ours.seconds, each.theirs.seconds, label, open_end=bool(each.bound))
            groups.setdefault(each.cell.group, []).append(point)
    title = "Seconds of checking, by history (triangles: one of the two did not decide)"
    return plot.scatter(title, "linpoint", "Porcupine", groups)


if __name__ == "__main__":
    sys.exit(main())
