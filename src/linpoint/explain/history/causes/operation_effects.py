# SPDX-License-Identifier: Apache-2.0
"""Causes visible in the few operations of an explanation: effects of failed operations, duplicates, two-step updates.

Guarantee: the evidence is true of the history, whatever the cause is. Specs whose values cannot be tracked have none.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.explain.history.causes.suspicion import Suspicion, crash_evidence
from linpoint.explain.history.causes.value_lifetimes import ValueLifetime
from linpoint.explain.history.claims.value_uses import ABSENT, REMOVALS, ValueUses
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import CauseEvidence
from linpoint.explain.history.value_flow import CONTAINERS, flow_of, kind_of
from linpoint.explain.wording.operation_names import key_of, who
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, format_value
from linpoint.text.phrases import count_noun
from linpoint.verdicts import KeyVerdict

_MAX_OPERATIONS: Final = 100_000
_MAX_CORE_OPERATIONS: Final = 40
_MAX_VALUE_CHARS: Final = 200
_COUNTS: Final = ("counter", "fetch-add", "multiset", "semaphore")
_EXCLUSIVE: Final = {
    "mutex": ("acquire", "try-acquire"),
    "rw-lock": ("acquire-write",),
    "set": ("add",),
    "map": ("insert",),
    "fetch-add": ("fetch-add",),
}
"""Operations whose success excludes another success until an operation undoes it."""
_UPDATED_TWICE: Final = ("replaced-twice", "same-count", "counts-inverted", "count-too-low", "fork")
_TWO_STEPS: Final = (
    "The object reads and writes in two steps, and another operation ran between them (no lock, no compare-and-set)."
)


def effect_causes(explanation: Explanation, key: KeyVerdict, values: Sequence[ValueLifetime]) -> Iterator[Suspicion]:
    """The causes that an explanation's operations suggest; ``values`` are those of the key if it is a register."""
    if len(explanation.core) > _MAX_CORE_OPERATIONS or len(key.positions) > _MAX_OPERATIONS:
        return
    verdict = explanation.verdict
    if verdict.condition in NOT_LOCAL and (verdict.history.keyed or verdict.spec.key_argument):
        return  # values of different objects, which are checked together, are unrelated
    uses = ValueUses(verdict.history, key.positions, verdict.spec)
    yield from _first_value(explanation)
    yield from _from_nowhere(explanation, uses)
    yield from _duplicates(explanation, uses)
    yield from _two_steps(explanation, values, uses)
    yield from _vanished(explanation, uses)


def _first_value(explanation: Explanation) -> Iterator[Suspicion]:
    if explanation.other_initial is None:
        return
    first = shlex.quote(format_value(explanation.other_initial[0]))
    first = first if first.startswith("'") else f"'{first}'"
    how = f": --initial {first}" if len(first) <= _MAX_VALUE_CHARS else ""
    which = "this violation" if len(explanation.verdict.keys) == 1 else "the violation on this key"
    evidence = [
        CauseEvidence(
            "other-first-value",
            f"A different initial value would remove {which}{how}.",
            explanation.core,
            explanation.other_initial,
        )
    ]
    text = "The object did not start with the assumed value: an earlier run, a setup step, or another default."
    # A single operation that observed a value that was never stored is the strongest hint; several, or a count, may have
    # another cause.
    weight = 50 if kind_of(explanation.verdict.spec) in _COUNTS else 97 if len(explanation.core) == 1 else 70
    yield Suspicion(weight, "wrong-initial-value", text, evidence)


def _from_nowhere(explanation: Explanation, uses: ValueUses) -> Iterator[Suspicion]:
    """Values that were observed and never stored, or stored by an operation recorded as failed."""
    verdict = explanation.verdict
    ops, kind = verdict.history.operations, uses.kind
    if not uses.followed or len(ops) > _MAX_OPERATIONS:
        return
    seen = {
        (canonical(flow_of(ops[p], kind).saw),): p
        for p in explanation.core
        if uses.saw.get(p) not in (None, ABSENT, (None,)) and uses.times_put(uses.saw[p]) == 0
    }
    if not seen:
        return
    for position, op in enumerate(ops):
        witness = seen.get(_would_put(op, kind)) if _without_effect(op) and _on(explanation, op) else None
        if witness is None or op.call > ops[witness].end:
            continue
        evidence = [
            CauseEvidence(
                "seen-although-failed",
                f"{who(verdict, op)} is recorded as {'failed' if op.outcome is Outcome.FAILED else 'without effect'}, but "
                f"{who(verdict, ops[witness])} observed the value that it would have stored.",
                (position, witness),
            )
        ]
        text = (
            "A driver, proxy or client library sent the operation twice: the first attempt took effect but its reply was "
            "lost, and the second attempt failed."
        )
        yield Suspicion(95, "hidden-retry", text, evidence)
        return
    if explanation.other_initial is None:
        position = min(seen.values())
        sentence = f"{who(verdict, ops[position])} observed a value that no operation in the history wrote or added."
        text = "A writer that is not in the history changed the object: a setup step, another client, or lost lines of the log."
        yield Suspicion(40, "unrecorded-writer", text, [CauseEvidence("never-put", sentence, (position,))])


def _without_effect(op: Operation) -> bool:
    return op.outcome is Outcome.FAILED or (op.outcome is Outcome.OK and op.result is False)


def _would_put(op: Operation, kind: str) -> Any:
    """The value that an operation without effect would have stored."""
    tried = Operation(op.process, op.name, op.args, None, op.call, None, Outcome.UNKNOWN)
    return flow_of(tried, kind).put_value


def _on(explanation: Explanation, op: Operation) -> bool:
    """Whether an operation works on the explained object."""
    here = key_of(explanation.verdict.spec, op)
    return explanation.key is None or canonical(here) == canonical(explanation.key)


def _duplicates(explanation: Explanation, uses: ValueUses) -> Iterator[Suspicion]:
    verdict = explanation.verdict
    ops = verdict.history.operations
    text = "A message or request was delivered twice, or a value was read and removed in two steps."
    for value in dict.fromkeys(uses.saw[p] for p in explanation.core if p in uses.saw):
        removals, put = uses.removals[value], uses.times_put(value)
        if not 0 < put < len(removals):
            continue
        shown = sorted(removals, key=lambda p: p not in explanation.core)[:3]
        all_of_them = ", ".join(who(verdict, ops[p]) for p in sorted(shown))
        often = "once" if put == 1 else count_noun(put, "time")
        sentence = (
            f"{count_noun(len(removals), 'operation')} removed the same value, which was added at most {often}: "
            f"{all_of_them}."
        )
        yield Suspicion(
            85, "duplicate-delivery", text, [CauseEvidence("handed-out-too-often", sentence, tuple(removals), (put,))]
        )
        return
    pattern = explanation.pattern
    if pattern is not None and pattern.reason == "count-too-high":
        sentence = "A count is higher than the operations that can have preceded it allow."
        evidence = [CauseEvidence("pattern", sentence, tuple(pattern.operations), (pattern.reason,))]
        yield Suspicion(45, "duplicate-delivery", "An operation was applied twice, for example by a retry.", evidence)


def _two_steps(explanation: Explanation, values: Sequence[ValueLifetime], uses: ValueUses) -> Iterator[Suspicion]:
    """Two updates that started from the same state: one of them is lost, or both hold a resource that only one can."""
    verdict = explanation.verdict
    ops = verdict.history.operations
    for life in values:
        done = sorted(
            (p for p in life.replaced_by if _replaced_what_was_there_once(uses, p)), key=lambda p: ops[p].call
        )
        for first, second in itertools.pairwise(done):
            if ops[second].call <= ops[first].end:
                both = f"{who(verdict, ops[first])} and {who(verdict, ops[second])}"
                sentence = f"{both} overlap and replaced the same value."
                evidence = [CauseEvidence("replaced-the-same", sentence, (first, second))]
                yield Suspicion(88, "non-atomic-update", _TWO_STEPS, evidence)
                return
    found = explanation.pattern or explanation.precedence
    if found is not None and found.reason in _UPDATED_TWICE:
        sentence = f"{found.sentence[0].upper()}{found.sentence[1:]}."
        evidence = [CauseEvidence("pattern", sentence, tuple(found.operations), (found.reason,))]
        yield Suspicion(58, "non-atomic-update", _TWO_STEPS, evidence)
        return
    won = [p for p in explanation.needed if _excludes_another(explanation, ops[p])]
    for first, second in itertools.combinations(won, 2):
        if _alike(explanation, ops[first]) == _alike(explanation, ops[second]):
            both = f"{who(verdict, ops[first])} and {who(verdict, ops[second])}"
            evidence = [CauseEvidence("both-succeeded", f"{both} both succeeded.", (first, second))]
            yield Suspicion(58, "non-atomic-update", _TWO_STEPS, evidence)
            return
    culprit = explanation.culprit
    if kind_of(verdict.spec) == "counter" and culprit is not None and culprit.complete:
        count = ops[culprit.position].result
        if type(count) is int and all(type(each) is int and count < each for each in culprit.allowed):
            sentence = f"{who(verdict, ops[culprit.position])} returned less than every allowed result."
            evidence = [CauseEvidence("less-than-allowed", sentence, (culprit.position,), culprit.allowed)]
            yield Suspicion(52, "non-atomic-update", _TWO_STEPS, evidence)


def _replaced_what_was_there_once(uses: ValueUses, position: int) -> bool:
    return position in uses.saw and uses.replaces(position) and uses.times_put(uses.saw[position]) == 1


def _excludes_another(explanation: Explanation, op: Operation) -> bool:
    """Whether its success excludes the success of another such operation."""
    name = op.name.replace("_", "-")
    if op.outcome is not Outcome.OK or name not in _EXCLUSIVE.get(kind_of(explanation.verdict.spec), ()):
        return False
    return name in ("acquire", "acquire-write", "fetch-add") or op.result is True


def _alike(explanation: Explanation, op: Operation) -> Any:
    """The resource for which two operations exclude each other."""
    spec = explanation.verdict.spec
    if kind_of(spec) == "fetch-add":
        return canonical(op.result)
    return canonical(spec.partition(spec.arguments(op))) if spec.partition is not None else None


def _vanished(explanation: Explanation, uses: ValueUses) -> Iterator[Suspicion]:
    """A value that was added to a container was missing; ``replica_causes`` covers registers."""
    verdict = explanation.verdict
    history, ops = verdict.history, verdict.history.operations
    if uses.kind not in CONTAINERS:
        return
    last = max(explanation.core, key=lambda p: ops[p].call)
    before = [p for p in explanation.core if p != last and ops[p].end + history.clock_skew < ops[last].call]
    added = [p for p in before if p in uses.put and ops[p].outcome is Outcome.OK]
    if not added or ops[last].outcome is not Outcome.OK:
        return
    missing = added[-1]
    returned = f"{who(verdict, ops[missing])} returned before {who(verdict, ops[last])} was called."
    gone = [CauseEvidence("returned-before", returned, (missing, last))]
    crash = crash_evidence(history, ops[missing].end, ops[last].call)
    never_again = not any(ops[p].end >= ops[last].call for p in uses.seers[uses.put[missing]])
    if crash is not None and never_again:
        text = "A completed operation was not yet durable at a crash."
        yield Suspicion(75, "lost-after-crash", text, [*gone, crash])
        return
    if ops[last].result is not None or ops[last].name.replace("_", "-") not in (*REMOVALS, "peek"):
        return
    later = (p for p in uses.seers[uses.put[missing]] if ops[p].call > ops[last].end)
    again = next(later, None)
    if again is not None and uses.times_put(uses.put[missing]) == 1:
        text = "The operation read an old copy, or traversed the object while it changed."
        sentence = f"{who(verdict, ops[again])} observed the value later, so it was not lost."
        seen = CauseEvidence("seen-later", sentence, (last, again, missing))
        yield Suspicion(55, "stale-read", text, [*gone, seen])
    elif never_again:
        text = "A completed operation was dropped, or overwritten by an older one."
        unseen = CauseEvidence("not-seen-later", "No later operation returned the value.", (missing, last))
        yield Suspicion(54, "lost-write", text, [*gone, unseen])
