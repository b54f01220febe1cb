# SPDX-License-Identifier: Apache-2.0
"""The claims of a stuck frontier: an order that is a legal prefix, and the operations that cannot follow it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linpoint.explain.history.claim import Claim
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec
from linpoint.verdicts import Blocked, StuckFrontier


def frontier_claims(stuck: StuckFrontier, core: Sequence[int]) -> Iterator[Claim]:
    """The claims about a legal prefix among the operations of ``core``."""
    if not stuck.blocked:
        return
    if stuck.prefix:
        yield Claim("legal-order", tuple(stuck.prefix), tuple(core))
    for each in stuck.blocked:
        yield Claim("cannot-follow", (each.position,), tuple(stuck.prefix), tuple(each.allowed))


def held_back_by_order(history: History, spec: Spec, stuck: StuckFrontier, among: Sequence[int], each: Blocked) -> bool:
    """Whether an operation with a smaller ``order`` must come before a blocked one that would be legal."""
    op = history.operations[each.position]
    hint = op.order
    if hint is None or not fits(history, spec, each):
        return False

    def smaller(position: int) -> bool:
        other = history.operations[position]
        same = canonical(_key(spec, position, history)) == canonical(_key(spec, each.position, history))
        return other.outcome is Outcome.OK and other.order is not None and other.order < hint and same

    placed = set(stuck.prefix)
    return any(smaller(position) for position in among if position not in placed)


def fits(history: History, spec: Spec, each: Blocked) -> bool:
    """Whether a blocked operation would be a legal step, so that only other operations hold it back."""
    return any(spec.allows(history.operations[each.position], given) for given in each.allowed)


def _key(spec: Spec, position: int, history: History) -> object:
    op = history.operations[position]
    return next(iter(spec.arguments(op)), None) if spec.key_argument else op.key
