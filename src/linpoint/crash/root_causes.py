# SPDX-License-Identifier: Apache-2.0
"""Violations with one cause, over all hosts and runs: one finding each, with the simplest of them to show it."""

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
    """A store that is not durable in time, a lock that stays, or what recovery does not understand."""

    key: str
    shown: CrashViolation
    run: CrashRun
    """The run that it is of."""
    classes: dict[str, None] = field(default_factory=dict)
    count: int = 0
    codes: dict[Code, None] = field(default_factory=dict)
    """Of the stores that are to blame."""

    @property
    def rank(self) -> tuple[bool, int]:
        """By which causes are told: what is proven first, then what most crashes suffer from."""
        return not self.shown.proven, -self.count


def violation_class(violation: CrashViolation) -> str:
    """The class of a violation: exhaustive tests have those of the others."""
    if violation.lock:
        return "stuck-lock"
    if violation.kind == "DL1" and violation.unrecovered:  # what a crash before the next store leaves
        return "DL2"
    if violation.kind in _CLASSES:
        return violation.kind
    if violation.dl3 is not None:
        return "DL3"
    if not violation.open:
        return "C2"
    return "DL2" if violation.unrecovered or violation.root is None else "DL1"


def cause_key(violation: CrashViolation, places: StorePlaces) -> str:
    """What violations of one cause have in common."""
    blamed = violation.root or violation.sync
    where = "nowhere" if blamed is None else places.key(blamed)
    # Whoever is sent to a line twice reads the same twice: how it goes wrong there is for the classes of the finding to
    # say. But a lock that stays locked is nothing that could be flushed.
    return f"{where} lock" if violation.lock else where


def group_by_cause(runs: Iterable[tuple[CrashRun, StorePlaces]]) -> list[RootCause]:
    """All causes, the most telling first: one for each line, and one more for a lock that is taken there."""
    found: dict[str, RootCause] = {}
    every = list(runs)
    begun = {
        places.key(violation.root)
        for run, places in every
        for _, violation in run.heard.violations
        if violation.confirmed and violation.unrecovered and violation.root is not None
    }
    for run, places in every:
        groups = {(host, group.group): group for host, result in run.heard.results.items() for group in result.groups}
        counted: set[tuple[int, int]] = set()
        for host, violation in run.heard.violations:
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
    """The line that is known to begin what is never undone, if this violation has it and nothing else to blame.

    Beside an operation that a split was cut off in, whoever runs sees half of it, after each of its further stores.
    """
    if violation.dl3 is None or violation.root is not None:
        return ""
    mine = [places.key(store) for store in violation.stores if store.operation == violation.operation]
    return next((key for key in reversed(mine) if key in begun), "")


def _simplicity(violation: CrashViolation) -> tuple[bool, bool, bool, bool, bool, int, int]:
    prefix = violation.prefix
    done = prefix if isinstance(prefix, int) else len(prefix)
    root = violation.root
    # One that says before what the store must be durable says more than that it must be some time; best of all within
    # one operation.
    later = violation.before is None
    another = root is not None and root.operation != violation.operation
    twice = violation.kind == "recovery"
    return not violation.proven, twice, violation.dl3 is not None, another, later, done, len(violation.state)
