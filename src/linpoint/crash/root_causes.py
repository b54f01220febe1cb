# SPDX-License-Identifier: Apache-2.0
"""Groups violations by root cause, over all hosts and runs: one finding per cause, with the simplest violation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from linpoint.crash.crash_run import CrashRun
from linpoint.crash.store_places import StorePlaces
from linpoint.hosts.crash_messages import Code, CrashViolation

_CLASSES: Final = ("DL1", "DL2", "DL3", "C2", "stuck-lock", "recovery")


@dataclass(slots=True)
class RootCause:
    """A store that is not durable in time, a lock that stays locked, or a state that recovery does not handle."""

    key: str
    shown: CrashViolation
    run: CrashRun
    """The run with the violation ``shown``."""
    classes: dict[str, None] = field(default_factory=dict)
    count: int = 0
    codes: dict[Code, None] = field(default_factory=dict)
    """The code places of the stores to blame."""

    @property
    def rank(self) -> tuple[bool, int]:
        """The sort key of causes: proven ones first, then those with the most crashes."""
        return not self.shown.proven, -self.count


def violation_class(violation: CrashViolation) -> str:
    """The class of a violation; violations of exhaustive tests get the class of the matching targeted tests."""
    if violation.lock:
        return "stuck-lock"
    if violation.kind == "DL1" and violation.unrecovered:  # the state before the next store
        return "DL2"
    if violation.kind in _CLASSES:
        return violation.kind
    if violation.dl3 is not None:
        return "DL3"
    if not violation.open:
        return "C2"
    return "DL2" if violation.unrecovered or violation.root is None else "DL1"


def cause_key(violation: CrashViolation, places: StorePlaces) -> str:
    """The key that all violations of one cause share."""
    blamed = violation.root or violation.sync
    where = "nowhere" if blamed is None else places.key(blamed)
    # One finding per line; its classes list the ways in which it fails. A lock that stays locked is a separate finding,
    # since no flush fixes it.
    return f"{where} lock" if violation.lock else where


def group_by_cause(runs: Iterable[tuple[CrashRun, StorePlaces]]) -> list[RootCause]:
    """All causes by rank: one for each line, and another for a lock that is acquired there."""
    found: dict[str, RootCause] = {}
    every = list(runs)
    begun = {
        places.key(violation.root)
        for run, places in every
        for _, violation in run.reply.violations
        if violation.confirmed and violation.unrecovered and violation.root is not None
    }
    for run, places in every:
        groups = {(host, group.group): group for host, result in run.reply.results.items() for group in result.groups}
        counted: set[tuple[int, int]] = set()
        for host, violation in run.reply.violations:
            if not violation.confirmed:
                continue
            key = _begun_by(violation, places, begun) or cause_key(violation, places)
            cause = found.setdefault(key, RootCause(key, violation, run))
            if _simplicity(violation) < _simplicity(cause.shown):
                cause.shown, cause.run = violation, run
            cause.classes[violation_class(violation)] = None
            blamed = violation.root
            if blamed is not None and blamed.place is not None:
                cause.codes[blamed.place] = None
            group = groups.get((host, violation.group))
            if group is None or (host, violation.group) in counted:
                cause.count += group is None
                continue
            counted.add((host, violation.group))
            cause.count += group.count
            cause.classes |= dict.fromkeys(each for each in group.classes if each != "exhaustive")
    return sorted(found.values(), key=lambda cause: cause.rank)


def _begun_by(violation: CrashViolation, places: StorePlaces, begun: set[str]) -> str:
    """The line that is known to start an unrecovered change, if this violation has its store and no other root.

    After a crash within a split, a concurrent operation observes half of it after each further store of the split.
    """
    if violation.dl3 is None or violation.root is not None:
        return ""
    mine = [places.key(store) for store in violation.stores if store.operation == violation.operation]
    return next((key for key in reversed(mine) if key in begun), "")


def _simplicity(violation: CrashViolation) -> tuple[bool, bool, bool, bool, bool, int, int]:
    prefix = violation.prefix
    done = prefix if isinstance(prefix, int) else len(prefix)
    root = violation.root
    # A violation that names the later store is more specific, preferably within one operation.
    later = violation.before is None
    another = root is not None and root.operation != violation.operation
    twice = violation.kind == "recovery"
    return not violation.proven, twice, violation.dl3 is not None, another, later, done, len(violation.state)
