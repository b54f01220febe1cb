# SPDX-License-Identifier: Apache-2.0
"""For any history, spec and condition, the page is well formed, its steps are legal, and its download is a
violation.
"""

from __future__ import annotations

import json
import random

import pytest

import linpoint
from linpoint.explain.history.history_page import history_page
from linpoint.explain.history.page_downloads import minimal_lines
from linpoint.options.choices import CONDITIONS
from tests.explain.html.balance import Balanced, data_of
from tests.random_histories import MAKERS, random_history
from tests.user_specs import USER_MAKERS


@pytest.mark.parametrize("name", [*MAKERS, *USER_MAKERS])
def test_every_page_is_well_formed_and_its_download_is_a_violation(name: str) -> None:
    rng = random.Random(name)
    for _ in range(8):
        history, spec = random_history(
            rng, name, crashes=rng.random() < 0.5, hints=rng.random() < 0.3, keyed=name != "map" and rng.random() < 0.4
        )
        condition = rng.choice(list(CONDITIONS))
        verdict = linpoint.check(history, spec, condition=condition)
        found = verdict.explain()
        html = history_page(found, file="h.jsonl")
        parser = Balanced()
        parser.feed(html)
        assert not parser.open
        assert len(parser.ids) == len(set(parser.ids))
        states = [state for order in data_of(html)["orders"] for _, state in order["steps"]]
        assert not [state for state in states if state.startswith("no state")]
        if verdict.status is linpoint.Status.VIOLATION:
            saved = linpoint.history([json.loads(line) for line in minimal_lines(found).splitlines()])
            assert linpoint.check(saved, spec, condition=condition).status is linpoint.Status.VIOLATION
