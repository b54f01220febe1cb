# SPDX-License-Identifier: Apache-2.0
"""Accounts of a bank: a transfer uses a balance that another transfer has changed meanwhile."""

from __future__ import annotations

import threading

import linpoint


class Bank:
    def __init__(self) -> None:
        self._balances = {"alice": 2, "bob": 0}

    def transfer(self, source: str, target: str, amount: int) -> bool:
        balance = self._balances[source]
        if balance < amount:
            return False
        self._balances[source] = balance - amount
        self._balances[target] += amount
        return True

    def balances(self) -> dict[str, int]:
        return dict(self._balances)


class LockedBank(Bank):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def transfer(self, source: str, target: str, amount: int) -> bool:
        with self._lock:
            return super().transfer(source, target, amount)


class TestBank(linpoint.ConcurrentTest):
    operations = 1

    def setup(self) -> Bank:
        return Bank()

    @linpoint.operation(amount=[1, 2])
    def pay(self, bank: Bank, amount: int) -> bool:
        return bank.transfer("alice", "bob", amount)

    def observe(self, bank: Bank) -> dict[str, int]:
        return bank.balances()


class TestLockedBank(TestBank):
    def setup(self) -> Bank:
        return LockedBank()
