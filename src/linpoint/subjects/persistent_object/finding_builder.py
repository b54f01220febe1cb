# SPDX-License-Identifier: Apache-2.0
"""Builds the finding of a crash that the object does not survive: the lost or partial operation, its store, the fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from linpoint.crash.crash_case import CrashCase
from linpoint.crash.crash_oracle import CrashOracle, RefusedProbe
from linpoint.crash.root_causes import violation_class
from linpoint.crash.store_places import StorePlaces, stored_name
from linpoint.histories.values import Value, format_value, freeze
from linpoint.hosts.crash_messages import CrashViolation, StoreEvent
from linpoint.traces.trace import SourcePlace
from linpoint.verdicts import Status
from linpoint.verdicts.evidence import CrashEvidence, CrashOperation, CrashStore
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken

_ENDINGS: Final = {
    "crash": "crashes",
    "hang": "does not return",
    "memory": "accesses invalid memory",
    "assertion": "fails an assertion",
    "exception": "throws an exception",
    "deadlock": "blocks forever",
}
_MAX_SHOWN_ALLOWED: Final = 3
_WEAKER_CONDITIONS: Final = ("durable",)
"""Weaker conditions; a finding lists those that it also violates."""


class CrashFindingBuilder:
    """Builds the findings of one plan."""

    def __init__(self, oracle: CrashOracle, places: StorePlaces) -> None:
        self._oracle, self._places = oracle, places
        self._calls = oracle.calls

    def finding(
        self,
        violation: CrashViolation,
        *,
        classes: Iterable[str] = (),
        count: int = 1,
        minimal: bool = True,
        replay: Mapping[str, Any],
    ) -> Finding:
        """Build the finding of a violation."""
        every = (*violation.stores, *violation.also, *filter(None, (violation.root, violation.before, violation.sync)))
        self._places.look_up(code for store in every for code in (store.place, *store.stack))
        self._places.look_up(violation.missed_by)
        case = self._oracle.case_of(violation)
        refused = self._oracle.refused(case) if violation.ended == "complete" else []
        blamed = violation.root or violation.sync
        place = self._places.of_store(blamed)
        evidence = CrashEvidence(
            tuple(dict.fromkeys([violation_class(violation), *classes])),
            self._violates(violation, case),
            self._remedy(violation),
            violation.proven and not violation.unrecovered,
            count,
            tuple(self._operations(case, violation, refused)),
            tuple(self._stores(violation)),
        )
        return Finding(
            kind="durability",
            message=self._message(violation, case, refused, place),
            evidence=evidence,
            place=place,
            verdict=self._oracle.verdict(case) if violation.ended == "complete" else None,
            minimal=minimal,
            replay_token=ReplayToken.from_dict({"kind": "crash", **replay}),
        )

    def _violates(self, violation: CrashViolation, case: CrashCase) -> tuple[str, ...]:
        """The violated conditions: all of them if recovery or a probe does not return, else by the checker."""
        mine = self._oracle.condition
        others = [each for each in _WEAKER_CONDITIONS if each != mine]
        if violation.ended != "complete":
            return (mine, *others)
        found = (each for each in others if self._oracle.verdict(case, each).status is Status.VIOLATION)
        return (mine, *found)

    def _message(
        self, violation: CrashViolation, case: CrashCase, refused: Sequence[RefusedProbe], place: SourcePlace | None
    ) -> str:
        what = self._what(violation, case, refused)
        if violation.lock:
            what += ": a lock stays locked"
        return what if place is None else f"{what}; {self._blame(violation, place)}"

    def _blame(self, violation: CrashViolation, place: SourcePlace) -> str:
        name = stored_name(place)
        what = f"the store to `{name}`" if name else "the store"
        where = f"{what} at {place.file}:{place.line}"
        if violation.lock:
            return f"it was acquired at {place.file}:{place.line}"
        if violation.unrecovered:
            return f"{where} survived, but recovery neither undid nor completed its operation"
        if violation.root is not None:
            return f"{where} was not durable in time"
        return f"{where} was lost, but earlier stores were not"

    def _what(self, violation: CrashViolation, case: CrashCase, refused: Sequence[RefusedProbe]) -> str:
        where = self._where(violation)
        if violation.ended != "complete":
            count = sum(map(bool, violation.results))
            in_probe = count < len(violation.probes) and bool(count or violation.results)
            who = str(self._calls[violation.probes[count]]) if in_probe else "recovery"
            how = _ENDINGS.get(violation.ended, f"ends with {violation.ended}")
            more = f" ({violation.message})" if violation.message else ""
            return f"after {where}, {who} {how}{more}"
        if not refused:
            return f"after {where}, the recovered object violates the spec"
        return f"after {where}, {self._seen(case, refused[0], violation)}"

    def _where(self, violation: CrashViolation) -> str:
        beside = violation.dl3
        again = " and another during recovery" if violation.kind == "recovery" else ""
        if beside is not None:
            second, first = self._calls[beside.second], self._calls[beside.first]
            return f"a crash in {first}, concurrent with the completed {second}{again}"
        if violation.open:
            return f"a crash in {' and '.join(str(self._calls[number]) for number in violation.open)}{again}"
        prefix = violation.prefix
        last = (prefix - 1 if isinstance(prefix, int) else prefix[-1]) if prefix else None
        return f"a crash following {self._calls[last]}{again}" if last is not None else f"a crash{again}"

    def _seen(self, case: CrashCase, wrong: RefusedProbe, violation: CrashViolation) -> str:
        """The first result that is not allowed, the allowed results, and the lost or partial operation."""
        if wrong.probe is None:
            return "no order explains the concurrent operations that had completed"
        number, result = case.probes[wrong.probe]
        allowed = _alternatives(wrong.allowed)
        seen = f"{self._calls[number]} returned {format_value(result)}"
        seen += f"; the spec requires {allowed}" if allowed else ", which the spec does not allow"
        if violation.dl3 is not None:
            return f"{seen}: {self._calls[violation.dl3.second]} depends on the lost operation"
        if wrong.open:
            names = " and ".join(str(self._calls[each]) for each in wrong.open)
            return f"{seen}: {names} took effect only in part"
        if wrong.before and self._oracle.spec.partition is not None and result in (None, False):
            steps = self._oracle.spec
            left = [each for each in wrong.before if steps.step_named(self._calls[each].operation).reads is not True]
            return f"{seen}: the effect of {self._calls[(left or wrong.before)[-1]]} is lost"
        return seen

    def _remedy(self, violation: CrashViolation) -> str:
        if violation.lock:
            return "release the lock in recovery, or keep it in volatile memory"
        root = None if violation.unrecovered else violation.root
        place = self._places.of_store(root)
        if root is not None and place is None:
            return f"flush the cache line of {root.address:#x} after the store, and fence"
        if place is None:
            early = self._places.of_store(violation.root)
            kept = (
                f"make {_flushed(stored_name(early), early)} durable only after the data it refers to, or "
                if early is not None
                else ""
            )
            return (
                f"{kept}let recovery detect the interrupted operation and undo or complete it, by a log or by one store "
                "that commits it"
            )
        stores = [(stored_name(place), place)]
        stores += [(stored_name(each), each) for store in violation.also if (each := self._places.of_store(store))]
        named = [_flushed(name, each) for name, each in dict.fromkeys(stores)]
        before = self._places.of_store(violation.before)
        together = violation.before is not None and root is not None and violation.before.operation == root.operation
        if before is not None and together and (before.file, before.line) != (place.file, place.line):
            same_file = before.file == place.file
            until = f"line {before.line}" if same_file else f"{before.file}:{before.line}"
        else:
            until = "the operation returns"
        if violation.dl3 is not None:
            until = "other operations can see it, or let the operations that see it do so"
        maybe = "" if violation.proven else " (this alone does not fix it)"
        return f"flush {' and '.join(named)} and fence before {until}{maybe}{self._missed(violation)}"

    def _missed(self, violation: CrashViolation) -> str:
        """The place of the flushes that omit this cache line, with the caller of their function."""
        at, *callers = self._places.way_to(violation.missed_by) or (None,)
        if at is None:
            return ""
        caller = f", called at line {callers[0].line}," if callers and callers[0].file == at.file else ""
        return f"; the flushes up to {at.file}:{at.line}{caller} cover other cache lines"

    def _operations(
        self, case: CrashCase, violation: CrashViolation, refused: Sequence[RefusedProbe]
    ) -> Iterator[CrashOperation]:
        allowed = {each.probe: each.allowed for each in refused if each.probe is not None}
        for number, result in case.before:
            yield CrashOperation(str(self._calls[number]), "before", returned=True, result=result)
        for number, result in case.done:
            yield CrashOperation(str(self._calls[number]), "beside", returned=True, result=result)
        for number in case.open:
            yield CrashOperation(str(self._calls[number]), "open", returned=False)
        for position, (number, result) in enumerate(case.probes):
            yield CrashOperation(str(self._calls[number]), "after", True, result, allowed.get(position))
        for number, result in zip(
            violation.probes[len(case.probes) :], violation.results[len(case.probes) :], strict=False
        ):
            yield CrashOperation(str(self._calls[number]), "after", bool(result), freeze(result[0]) if result else None)

    def _stores(self, violation: CrashViolation) -> Iterator[CrashStore]:
        roles: dict[int, str] = {}
        for role, stores in (
            ("sync", [violation.sync]),
            ("before", [violation.before]),
            ("also", violation.also),
            ("unrecovered" if violation.unrecovered else "cause", [violation.root]),
        ):
            roles |= {store.event: role for store in stores if store is not None}
        known = {store.event: store for store in violation.stores}
        for store in (violation.sync, violation.before, *violation.also, violation.root):
            if store is not None:
                known.setdefault(store.event, store)
        for event in sorted(known):
            yield self._store(known[event], roles.get(event, ""))

    def _store(self, store: StoreEvent, role: str) -> CrashStore:
        place = self._places.of_store(store)
        of = "" if store.operation is None or store.operation >= len(self._calls) else str(self._calls[store.operation])
        return CrashStore(
            place,
            stored_name(place),
            store.address,
            store.size,
            store.value,
            store.line,
            store.kind,
            of,
            store.thread,
            store.persisted,
            store.kept,
            role,
        )


def _flushed(name: str | None, place: SourcePlace) -> str:
    where = f"{place.file}:{place.line}"
    return f"`{name}` ({where})" if name else f"the store at {where}"


def _alternatives(values: Sequence[Value]) -> str:
    shown = [format_value(each) for each in values[:_MAX_SHOWN_ALLOWED]]
    more = [f"{len(values) - _MAX_SHOWN_ALLOWED} other results"] if len(values) > _MAX_SHOWN_ALLOWED else []
    return " or ".join([*shown, *more])
