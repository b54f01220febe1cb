# SPDX-License-Identifier: Apache-2.0
"""Accounts with a lock each, taken in the order of the call: two opposite transfers wait for each other."""

from __future__ import annotations

import threading

import linpoint


class Account:
    def __init__(self, name: str, balance: int) -> None:
        self.name = name
        self.balance = balance
        self.lock = threading.Lock()


class Bank:
    def __init__(self) -> None:
        self._accounts = {name: Account(name, 10) for name in ("alice", "bob")}

    def _both(self, source: str, target: str) -> tuple[Account, Account]:
        return self._accounts[source], self._accounts[target]

    def transfer(self, source: str, target: str, amount: int) -> None:
        first, second = self._both(source, target)
        with first.lock, second.lock:
            self._accounts[source].balance -= amount
            self._accounts[target].balance += amount

    def balance(self, name: str) -> int:
        with self._accounts[name].lock:
            return self._accounts[name].balance


class OrderedBank(Bank):
    def _both(self, source: str, target: str) -> tuple[Account, Account]:
        first, second = sorted((source, target))
        return self._accounts[first], self._accounts[second]


class TestBank(linpoint.ConcurrentTest):
    operations = 1

    def setup(self) -> Bank:
        return Bank()

    @linpoint.operation
    def pay(self, bank: Bank) -> None:
        bank.transfer("alice", "bob", 1)

    @linpoint.operation
    def pay_back(self, bank: Bank) -> None:
        bank.transfer("bob", "alice", 1)

    def observe(self, bank: Bank) -> list[int]:
        return [bank.balance("alice"), bank.balance("bob")]


class TestOrderedBank(TestBank):
    def setup(self) -> Bank:
        return OrderedBank()
