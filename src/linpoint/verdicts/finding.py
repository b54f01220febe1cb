# SPDX-License-Identifier: Apache-2.0
"""A finding of any engine: what fails, the schedule and the trace that show it, and evidence of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from linpoint.histories.values import Value
from linpoint.traces.trace import SourcePlace, Trace
from linpoint.verdicts.evidence import (
    Evidence,
    ModelEvidence,
    ModelStep,
    ProgramEvidence,
    ScenarioEvidence,
    ShownOperation,
)
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.schedule import Schedule
from linpoint.verdicts.token_trust import allow_arguments
from linpoint.verdicts.verdict import Verdict

EvidenceT = TypeVar("EvidenceT", bound=Evidence)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Finding:
    """A failure of the subject under test. ``kind`` is a key of ``FAILURES``."""

    kind: str
    """The kind of failure, such as ``linearizability``, ``assertion`` or ``deadlock``."""
    message: str
    """One sentence."""
    evidence: Evidence
    """The evidence, whose type depends on the subject."""
    place: SourcePlace | None = None
    """The line to change or inspect, unless it is the last line of the trace."""
    schedule: Schedule = ()
    """The deviations from the default schedule: steps, and the threads that continue there."""
    preemptions: int = 0
    """The number of switches from a thread that could have continued."""
    trace: Trace | None = field(default=None, repr=False)
    """The steps of the failing run; None if there are none."""
    verdict: Verdict | None = field(default=None, repr=False)
    """The verdict on the history, if there is one."""
    minimal: bool = True
    """Whether no thread, operation, preemption or step can be left out, and no argument can become simpler."""
    advice: tuple[str, ...] = ()
    """Sentences on how to fix it, if a fix is known."""
    replay_token: ReplayToken | None = field(default=None, repr=False)
    """The replay token; None if the finding has none. ``token`` is its text."""

    def evidence_as(self, kind: type[EvidenceT]) -> EvidenceT:
        """The evidence as this type. Raises ``AttributeError`` for the evidence of another engine."""
        if not isinstance(self.evidence, kind):
            # As a missing attribute, since the properties below are attributes.
            raise AttributeError(f"a finding with {type(self.evidence).__name__} has no {kind.__name__}")  # noqa: TRY004
        return self.evidence

    @property
    def replay(self) -> Mapping[str, Any]:
        """The content of the replay token."""
        return {} if self.replay_token is None else self.replay_token.as_dict()

    @property
    def token(self) -> str:
        """The replay token as a string; empty without a token."""
        return "" if self.replay_token is None else self.replay_token.encode()

    @property
    def replay_words(self) -> list[str]:
        """The arguments of ``linpoint`` that replay it; empty if only its author's code can construct the subject."""
        if self.replay_token is None or not self.replay_token.is_complete:
            return []
        return ["replay", self.token, *allow_arguments(self.replay)]

    # --- evidence of objects

    @property
    def operations(self) -> tuple[ShownOperation, ...]:
        """The operations of the scenario, as ``ShownOperation``.

        Each has ``thread`` (from 0; None if it ran alone), ``call``, ``returned``, ``result``, ``allowed`` and
        ``after``.
        """
        return self.evidence_as(ScenarioEvidence).operations

    @property
    def scenario(self) -> str:
        """The scenario as text."""
        return self.evidence_as(ScenarioEvidence).scenario

    @property
    def orders(self) -> tuple[tuple[Value, ...], ...]:
        """The possible combinations of results, if only the combination of the observed results is impossible."""
        return self.evidence_as(ScenarioEvidence).orders

    # --- evidence of programs

    @property
    def printed(self) -> tuple[str, ...]:
        """The last lines that the program printed."""
        return self.evidence_as(ProgramEvidence).printed

    # --- evidence of models

    @property
    def steps(self) -> tuple[ModelStep, ...]:
        """The steps of the run of a model."""
        return self.evidence_as(ModelEvidence).steps

    @property
    def length(self) -> int:
        """The number of steps of the run of a model."""
        return len(self.steps)

    @property
    def switches(self) -> int:
        """The number of switches to another process of a model."""
        return self.evidence_as(ModelEvidence).switches

    @property
    def shortest(self) -> bool:
        """Whether no run of the model with fewer steps fails."""
        return self.minimal

    @property
    def refused(self) -> str:
        """A sentence on why the spec rejects the last response of a model."""
        return self.evidence_as(ModelEvidence).refused

    @property
    def allowed(self) -> tuple[Value, ...]:
        """The results that the spec allows instead of the last response of a model."""
        return self.evidence_as(ModelEvidence).allowed

    @property
    def memory(self) -> tuple[tuple[str, Value], ...]:
        """The cells of a model before its first step."""
        return self.evidence_as(ModelEvidence).memory


ModelFinding = Finding
"""The public name of a finding of a model."""
