# SPDX-License-Identifier: Apache-2.0
"""Two coroutines withdraw from one account; each looks at the balance before it awaits."""

import asyncio

balance = 100


async def withdraw(amount):
    """Check, await, subtract."""
    global balance
    if balance >= amount:
        await asyncio.sleep(0)
        balance -= amount


async def main():
    """Withdraw twice at the same time."""
    await asyncio.gather(withdraw(80), withdraw(80))
    assert balance >= 0


asyncio.run(main())
