# SPDX-License-Identifier: Apache-2.0
"""Objects for coroutines, each with a common mistake and with its fix."""

from __future__ import annotations

import asyncio
from collections import deque


class CheckThenAwait:
    """A cache that loads missing entries; two callers can both find one missing."""

    def __init__(self):
        self.values = {}
        self.loads = 0

    async def load(self, key):
        self.loads += 1
        await asyncio.sleep(0.1)
        return f"{key}{self.loads}"

    async def get(self, key):
        if key not in self.values:
            value = await self.load(key)
            self.values[key] = value
        return self.values[key]


class CheckThenAwaitFixed(CheckThenAwait):
    def __init__(self):
        super().__init__()
        self.lock = asyncio.Lock()

    async def get(self, key):
        async with self.lock:
            return await super().get(key)


class Account:
    """A balance that is checked before an await and changed after it."""

    def __init__(self):
        self.balance = 100

    async def confirm(self):
        await asyncio.sleep(0)

    async def withdraw(self, amount):
        if self.balance < amount:
            return False
        await self.confirm()
        self.balance -= amount
        return True


class AccountFixed(Account):
    async def withdraw(self, amount):
        await self.confirm()
        if self.balance < amount:
            return False
        self.balance -= amount
        return True


class LeakyPool:
    """Permits are handed over through futures; one that arrives together with the timeout is lost."""

    def __init__(self):
        self.free = 1
        self.waiters = deque()

    async def _acquire(self):
        if self.free:
            self.free -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self.waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            self.lost(waiter)
            raise

    def lost(self, waiter):
        if waiter in self.waiters:
            self.waiters.remove(waiter)

    def release(self):
        while self.waiters:
            waiter = self.waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self.free += 1

    async def use(self):
        try:
            async with asyncio.timeout(1):
                await self._acquire()
        except TimeoutError:
            return
        await asyncio.sleep(1)
        self.release()

    def available(self):
        return self.free


class LeakyPoolFixed(LeakyPool):
    """A cancelled waiter that holds a permit gives it to the next one."""

    def lost(self, waiter):
        if waiter.done() and not waiter.cancelled():
            self.release()
        else:
            super().lost(waiter)


class LossyQueue:
    """A bounded queue whose ``put`` checks for room only once, although it waits."""

    def __init__(self):
        self.items = deque()
        self.room = asyncio.Event()
        self.room.set()

    async def put(self, item):
        if len(self.items) >= 1:
            self.room.clear()
            await self.room.wait()
        self.items.append(item)
        return len(self.items)

    async def get(self):
        if not self.items:
            return None
        self.room.set()
        return self.items.popleft()


class BoundedQueue:
    def __init__(self):
        self.queue = asyncio.Queue(maxsize=1)

    async def put(self, item):
        await self.queue.put(item)

    async def get(self):
        return await self.queue.get()


class RateLimiter:
    """Two calls per second; there is an await between check and update."""

    def __init__(self):
        self.taken = 0

    async def look(self):
        taken = self.taken
        await asyncio.sleep(0)
        return taken

    async def take(self):
        taken = await self.look()
        if taken >= 2:
            return False
        self.taken = taken + 1
        return True


class RateLimiterFixed(RateLimiter):
    async def take(self):
        await self.look()
        if self.taken >= 2:
            return False
        self.taken += 1
        return True


class Connections:
    """A pool that opens a connection if there are too few; opening takes time."""

    def __init__(self):
        self.opened = 0

    async def open(self):
        await asyncio.sleep(0.5)

    async def connect(self):
        if self.opened >= 1:
            return None
        await self.open()
        self.opened += 1
        return self.opened


class ConnectionsFixed(Connections):
    async def connect(self):
        if self.opened >= 1:
            return None
        self.opened += 1
        number = self.opened
        await self.open()
        return number


class TwoLocks:
    """Each direction takes the locks in its own order."""

    def __init__(self):
        self.left, self.right = asyncio.Lock(), asyncio.Lock()

    async def forth(self):
        async with self.left:
            await asyncio.sleep(0)
            async with self.right:
                return "forth"

    async def back(self):
        async with self.right:
            await asyncio.sleep(0)
            async with self.left:
                return "back"


class TwoLocksFixed(TwoLocks):
    async def back(self):
        async with self.left:
            await asyncio.sleep(0)
            async with self.right:
                return "back"


class Mailbox:
    """The event is cleared after the mailbox was found empty, so a message in between wakes no reader."""

    def __init__(self):
        self.messages = deque()
        self.arrived = asyncio.Event()

    async def send(self, message):
        self.messages.append(message)
        self.arrived.set()

    async def receive(self):
        while not self.messages:
            await asyncio.sleep(0)
            self.arrived.clear()
            await self.arrived.wait()
        return self.messages.popleft()


class MailboxFixed(Mailbox):
    async def receive(self):
        while not self.messages:
            self.arrived.clear()
            await self.arrived.wait()
        return self.messages.popleft()


class Leases:
    """Each lease may be returned once; the server is notified between check and return."""

    def __init__(self):
        self.held = {"a"}

    async def give_back(self):
        if "a" not in self.held:
            return False
        await asyncio.sleep(0)
        self.held.remove("a")
        return True


class LeasesFixed(Leases):
    async def give_back(self):
        if "a" not in self.held:
            return False
        self.held.remove("a")
        await asyncio.sleep(0)
        return True
