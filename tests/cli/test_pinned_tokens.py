# SPDX-License-Identifier: Apache-2.0
"""Tokens printed by an earlier version: they replay from the original directory, with the same result as then."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command, Writer

COUNTER = """\
import linpoint


class TestCounter(linpoint.ConcurrentTest):
    def setup(self):
        return [0]

    @linpoint.operation
    def increment(self, cell):
        cell[0] += 1
        return cell[0]
"""
RACY = """\
import threading

count = 0


def add():
    global count
    seen = count
    count = seen + 1


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert count == 2
"""
CHECK = (
    "lp1-eNotjrEOwzAIRP-FqZU8pB0j9UuqDpSgBMU1FjhLo_x7idWNu3sc7LBKmWAEWphWSOCVKaTxLN7YLlKkCebHcI2QtEwhtQSR"
    "pTCafPGdOSKtbHhGDuNzh6r-B4cE1ZTYvc9aeztOsYM2n_QrheFbbjDeAtga6YeD0vMfwpy7b9w2i7576qfDO2KRDH3h3nL8ADGv"
    "Qr0"
)
TEST = (
    "lp1-eNptj7EOgzAMRP_FM0JQKkBZ-wvdUFSFxEAEdVASBor49zp07RTdvXN8PmC2ZEBAxBAhg8EuyEq7jSL6V3LzdWdwcQFPfh4_"
    "yKZ2JqVNWw-N0k3dFu2tupdM1j1OjphVeZl00EjKWwfigDh5VCaA6LoD3MohS9rjGynCKbN_pjzTFxOaLdXruiIrOVhmhZSpMxlL"
    "I48slpC3fFRvFxtT7dEr2hb2WAlQWmMIbPdKz3jdrbbo4PwC5whWZw"
)
EXPLORE = (
    "lp1-eNodjksOwyAMRO_iNaoCqfrJVRAL1zgJSgQREKmo6t1ruvR7MyN_YAvRwwT8PvaUGRTMYWcBGaldjiYA81Jgsk4BJd-VoRuO"
    "83Wgu_GP8TlI5mh1TVHceNFa7kIr-7MPWWu0Mk5ZY5R2ru9HH-IiWSyFcw3SU7BkjOeOOdTWDRGXIviFtPH_QTxrgu8PjUo2vw"
)


@pytest.mark.parametrize(
    ("token", "first_words"),
    [
        (CHECK, "VIOLATION: read() by process 0 returned 1; "),
        (TEST, "VIOLATION: TestCounter: "),
        (EXPLORE, "VIOLATION: racy.py: "),
    ],
    ids=["check", "test", "explore"],
)
def test_a_token_of_an_earlier_version_replays(run: Command, write: Writer, token: str, first_words: str) -> None:
    write("counter_test.py", COUNTER)
    write("racy.py", RACY)
    done = run("replay", token)
    assert done.code == 1, done.err
    assert done.out.startswith(first_words)
