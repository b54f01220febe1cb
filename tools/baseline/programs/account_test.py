# SPDX-License-Identifier: Apache-2.0
"""An account for coroutines, with and without a lock round the check and the withdrawal."""

import asyncio

import linpoint


class Account:
    """Looks at the balance before it awaits."""

    def __init__(self):
        self.balance = 100

    async def withdraw(self, amount):
        """Take an amount, if it is there."""
        if self.balance < amount:
            return False
        await asyncio.sleep(0)
        self.balance -= amount
        return True


class LockedAccount(Account):
    """Looks and subtracts under a lock."""

    def __init__(self):
        super().__init__()
        self.lock = asyncio.Lock()

    async def withdraw(self, amount):
        """Take an amount, if it is there."""
        async with self.lock:
            return await super().withdraw(amount)


class TestAccount(linpoint.ConcurrentTest):
    """Two withdrawals of which one must fail."""

    threads = 2
    operations = 1

    def setup(self):
        """Make an account."""
        return Account()

    @linpoint.operation(amount=[60])
    async def withdraw(self, account, amount):
        """Withdraw."""
        return await account.withdraw(amount)


class TestLockedAccount(TestAccount):
    """The same, done right."""

    def setup(self):
        """Make an account with a lock."""
        return LockedAccount()
