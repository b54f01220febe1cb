# SPDX-License-Identifier: Apache-2.0
"""Causes that show in single operations: effects of what failed, duplicates, torn snapshots, updates in two steps.

They are looked for in the few operations of an explanation and in those of the same object that are said to have failed.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from linpoint.checkers.search.decider import Decider
from linpoint.explain.causes.lifetimes import Life
from linpoint.explain.causes.suspicion import Suspicion, crash_between
from linpoint.explain.explanation import Explanation
from linpoint.explain.naming import key_of, who
from linpoint.explain.reasons import Evidence
from linpoint.explain.supply import PASS_ON, attempts, observes, supplies
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, scalars, show
from linpoint.specs.protocol import Returns
from linpoint.verdicts import KeyVerdict

_MOST_OPERATIONS: Final = 500_000
_MOST_CORE: Final = 40
_LONGEST_VALUE: Final = 200
_COUNTS: Final = ("counter", "fetch-add", "multiset", "semaphore")
_REMOVES: Final = ("dequeue", "pop", "pop-front", "pop-back", "delete-max")
_ACQUIRES: Final = ("acquire", "acquire-write")
_UPDATED_TWICE: Final = ("replaced-twice", "same-count", "counts-inverted", "count-too-low", "fork")


def suspects(explanation: Explanation, key: KeyVerdict, values: Sequence[Life]) -> Iterator[Suspicion]:
    """The causes that the operations of an explanation suggest; ``values`` are those of the key, if it is a register."""
    if len(explanation.core) > _MOST_CORE or len(key.positions) > _MOST_OPERATIONS:
        return
    yield from _first_value(explanation)
    yield from _from_nowhere(explanation, key)
    yield from _duplicates(explanation, key)
    yield from _two_steps(explanation, values)
    yield from _torn(explanation, key)
    yield from _vanished(explanation, key, values)


def _first_value(explanation: Explanation) -> Iterator[Suspicion]:
    if explanation.other_initial is None:
        return
    first = show(explanation.other_initial[0])
    how = f": --initial '{first}'" if len(first) <= _LONGEST_VALUE else ""
    evidence = [Evidence(f"Another first value would remove this violation{how}.", explanation.core)]
    text = "The object did not start with the value that was assumed: an earlier run, a setup step, or another default."
    # One operation that saw what was never put there says so loudest; several, or a count, may have another cause.
    counts = explanation.verdict.spec.name.partition("(")[0] in _COUNTS
    weight = 50 if counts else 97 if len(explanation.core) == 1 else 70
    yield Suspicion(weight, "wrong-initial-value", text, evidence)


def _from_nowhere(explanation: Explanation, key: KeyVerdict) -> Iterator[Suspicion]:
    """Values that were seen and that nobody put there, unless somebody who is said to have failed did."""
    verdict = explanation.verdict
    ops, spec = verdict.history.operations, verdict.spec
    if len(ops) > _MOST_OPERATIONS:
        return
    certain = [p for p in explanation.core if ops[p].outcome is Outcome.OK]
    observed = {p: observes(ops[p]) for p in certain if not isinstance(ops[p].result, Mapping)}
    seen = set().union(*observed.values()) if observed else set()
    seen -= set(map(canonical, scalars(spec.initial)))
    if spec.name.partition("(")[0] in _COUNTS or not seen:
        return  # what is seen there is computed, not put there
    for position in itertools.chain(explanation.core, key.positions):  # mostly the first few put all of it there
        seen -= supplies(ops[position], spec)
        if not seen:
            return
    mine = {position for position in observed if observed[position] & seen}
    for position, op in enumerate(ops):
        if not _without_effect(op) or not _on(explanation, op) or not attempts(op) & seen:
            continue
        witness = next(p for p in mine if observed[p] & attempts(op))
        evidence = [
            Evidence(
                f"{who(verdict, op)} is said to have {'failed' if op.outcome is Outcome.FAILED else 'had no effect'}, but "
                f"{who(verdict, ops[witness])} saw what it would have put there.",
                (position, witness),
            )
        ]
        text = (
            "A driver, proxy or client library sent the operation twice: the first one took effect, its answer was lost, "
            "and the second one failed."
        )
        yield Suspicion(95, "hidden-retry", text, evidence)
        return
    if explanation.other_initial is None and spec.name.partition("(")[0] in PASS_ON:
        position = min(mine)
        evidence = [
            Evidence(
                f"{who(verdict, ops[position])} saw a value that no operation in the history put there.", (position,)
            )
        ]
        text = "Somebody changed the object who is not in the history: a setup step, another client, or lost lines of the log."
        yield Suspicion(40, "unrecorded-writer", text, evidence)


def _without_effect(op: Operation) -> bool:
    return op.outcome is Outcome.FAILED or (op.outcome is Outcome.OK and op.result is False)


def _on(explanation: Explanation, op: Operation) -> bool:
    """Whether an operation works on the object that is explained."""
    here = key_of(explanation.verdict.spec, op)
    return explanation.key is None or canonical(here) == canonical(explanation.key)


def _duplicates(explanation: Explanation, key: KeyVerdict) -> Iterator[Suspicion]:
    verdict = explanation.verdict
    ops = verdict.history.operations
    text = "A message or a request was delivered twice, or what was handed out was not removed at the same instant."
    removed: dict[Any, list[int]] = {}
    for position in explanation.core:
        op = ops[position]
        if op.outcome is Outcome.OK and op.name.replace("_", "-") in _REMOVES and op.result is not None:
            removed.setdefault(canonical(op.result), []).append(position)
    for value, positions in removed.items():
        if len(positions) > 1 and len(positions) > _times_put(explanation, key, value):
            both = " and ".join(who(verdict, ops[p]) for p in positions[:2])
            evidence = [Evidence(f"{both} were given the same value, which was put there once.", tuple(positions))]
            yield Suspicion(85, "duplicate-delivery", text, evidence)
            return
    reason = explanation.pattern.reason if explanation.pattern else ""
    if reason == "count-too-high":
        telling = explanation.pattern.operations if explanation.pattern else ()
        evidence = [Evidence("A count is higher than all operations together can have made it.", tuple(telling))]
        yield Suspicion(60, "duplicate-delivery", "An operation was applied twice, for example by a retry.", evidence)
    for position in explanation.core if verdict.spec.name.partition("(")[0] == "log" else ():
        seen = Counter(map(canonical, scalars(ops[position].result))) if ops[position].name == "read" else Counter()
        if any(count > 1 and count > _times_put(explanation, key, value) for value, count in seen.items()):
            evidence = [
                Evidence(f"{who(verdict, ops[position])} saw an entry twice that was appended once.", (position,))
            ]
            yield Suspicion(85, "duplicate-delivery", text, evidence)
            return


def _times_put(explanation: Explanation, key: KeyVerdict, value: Any) -> int:
    """How often somebody put the value there, or tried to with an unknown outcome."""
    verdict = explanation.verdict
    ops = verdict.history.operations
    return sum(value in supplies(ops[position], verdict.spec) for position in key.positions)


def _two_steps(explanation: Explanation, values: Sequence[Life]) -> Iterator[Suspicion]:
    """Two updates that started from the same state: one of them is lost, or both hold what only one can."""
    verdict = explanation.verdict
    ops = verdict.history.operations
    text = "Reading and changing are two steps, and another operation came between them (no lock, no compare-and-set)."
    for life in values:
        done = sorted((p for p in life.replaced_by if ops[p].outcome is Outcome.OK), key=lambda p: ops[p].call)
        for first, second in itertools.pairwise(done):
            if ops[second].call <= ops[first].end:
                both = f"{who(verdict, ops[first])} and {who(verdict, ops[second])}"
                evidence = [Evidence(f"{both} overlap, and both replaced the same value.", (first, second))]
                yield Suspicion(88, "non-atomic-update", text, evidence)
                return
    found = explanation.pattern or explanation.precedence
    if found is not None and found.reason in _UPDATED_TWICE:
        telling = tuple(found.operations)[:4]
        yield Suspicion(
            58, "non-atomic-update", text, [Evidence(f"{found.sentence[0].upper()}{found.sentence[1:]}.", telling)]
        )
        return
    won = [p for p in explanation.needed if _excludes_another(explanation, ops[p])]
    alike = [p for p in won if (ops[p].name, ops[p].args) == (ops[won[-1]].name, ops[won[-1]].args)]
    if len(alike) >= 2:
        both = " and ".join(who(verdict, ops[p]) for p in alike[-2:])
        yield Suspicion(58, "non-atomic-update", text, [Evidence(f"{both} both succeeded.", tuple(alike[-2:]))])
        return
    culprit = explanation.culprit
    if verdict.spec.name == "counter" and culprit is not None:
        count = ops[culprit.position].result
        if isinstance(count, int) and all(isinstance(each, int) and count < each for each in culprit.allowed):
            evidence = [Evidence(f"{who(verdict, ops[culprit.position])} misses a step.", (culprit.position,))]
            yield Suspicion(58, "non-atomic-update", text, evidence)


def _excludes_another(explanation: Explanation, op: Operation) -> bool:
    """Whether its success leaves no room for the same again: a lock, an insert, a count of one's own."""
    if op.outcome is not Outcome.OK:
        return False
    name = op.name.replace("_", "-")
    if name in _ACQUIRES or name == "fetch-add":
        return True
    return op.result is True and explanation.verdict.spec.step(op).returns is Returns.SUCCESS


def _torn(explanation: Explanation, key: KeyVerdict) -> Iterator[Suspicion]:
    """An operation on several words whose words fit one by one, but not together."""
    verdict = explanation.verdict
    among = key.positions if len(key.positions) <= _MOST_CORE else explanation.core
    for position in explanation.core:
        op = verdict.history.operations[position]
        alone = list(_words(op))
        if len(alone) < 2:
            continue
        fits = (
            Decider(verdict.history.replace(position, each), verdict.spec, verdict.condition).decide(among, seconds=0.2)
            for each in alone
        )
        if all(answer.found for answer in fits):
            evidence = [
                Evidence(f"Each word of {who(verdict, op)} fits by itself, but not all of them together.", (position,)),
                *_changed_at_once(explanation, among, op),
            ]
            text = "Several words were read or changed one after the other, and another operation came between them."
            yield Suspicion(98, "torn-snapshot", text, evidence)
            return


def _changed_at_once(explanation: Explanation, positions: Sequence[int], seen: Operation) -> Iterator[Evidence]:
    """An operation that changed several words, of which ``seen`` saw some."""
    verdict = explanation.verdict
    for position in positions:
        op = verdict.history.operations[position]
        changed = supplies(op, verdict.spec)
        overlaps = op.call <= seen.end and seen.call <= op.end
        if overlaps and isinstance(op.args[0], tuple) and len(op.args[0]) > 1 and changed & observes(seen):
            yield Evidence(f"{who(verdict, op)} changed several words at once, at about that time.", (position,))
            return


def _words(op: Operation) -> Iterator[Operation]:
    """The operation on each of its words alone."""
    if op.outcome is not Outcome.OK or len(op.args) != 1 or not isinstance(op.args[0], tuple):
        return
    words, results = op.args[0], op.result
    if (op.name == "read" and isinstance(results, tuple) and len(results) == len(words)) or (
        op.name == "txn" and isinstance(results, tuple) and len(results) == len(words)
    ):
        for word, result in zip(words, results, strict=True):
            yield dataclasses.replace(op, args=((word,),), result=(result,))
    elif op.name == "mwcas" and op.result is True:
        for word in words:
            yield dataclasses.replace(op, args=((word,),))


def _vanished(explanation: Explanation, key: KeyVerdict, values: Sequence[Life]) -> Iterator[Suspicion]:
    """What had been put into a container was not there; registers are looked at elsewhere."""
    verdict = explanation.verdict
    ops, spec = verdict.history.operations, verdict.spec
    last = max(explanation.core, key=lambda p: ops[p].call)
    if values:
        return
    added = [p for p in explanation.core if p != last and ops[p].end < ops[last].call and supplies(ops[p], spec)]
    if not added or ops[last].outcome is not Outcome.OK:
        return
    missing = added[-1]
    gone = [
        Evidence(
            f"{who(verdict, ops[missing])} had returned before {who(verdict, ops[last])} was called.", (missing, last)
        )
    ]
    crash = crash_between(verdict.history, ops[missing].end, ops[last].end)
    if crash is not None:
        text = "What had returned was not yet durable when something crashed."
        yield Suspicion(75, "lost-after-crash", text, [*gone, Evidence(f"Between them lies: {crash}.")])
        return
    reason = explanation.pattern.reason if explanation.pattern else ""
    nothing = ops[last].result in (None, False, ()) and spec.step(ops[last]).returns.value in ("value", "bool")
    if not nothing and reason not in ("empty-while-inside", "count-too-low"):
        return
    added_values = supplies(ops[missing], spec)
    later = (p for p in key.positions if ops[p].call > ops[last].end and observes(ops[p]) & added_values)
    again = next(later, None)
    if again is not None:
        text = "The answer came from an old copy, or from a look that passed by while the object changed."
        seen = Evidence(f"{who(verdict, ops[again])} saw it later, so it was not lost.", (again,))
        yield Suspicion(55, "stale-read", text, [*gone, seen])
    else:
        text = "What had returned was dropped, or overwritten by something older."
        yield Suspicion(54, "lost-write", text, [*gone, Evidence("Nobody saw it afterwards.")])
