# SPDX-License-Identifier: Apache-2.0
"""A mailbox that checks for messages before it takes the lock: a notification in between is lost."""

from __future__ import annotations

import threading
from collections import deque

import linpoint


class Mailbox:
    def __init__(self) -> None:
        self._messages: deque[int] = deque()
        self._arrived = threading.Condition()

    def put(self, message: int) -> None:
        with self._arrived:
            self._messages.append(message)
            self._arrived.notify()

    def take(self) -> int:
        if not self._messages:
            with self._arrived:
                self._arrived.wait()
        return self._messages.popleft()


class CarefulMailbox(Mailbox):
    def take(self) -> int:
        with self._arrived:
            while not self._messages:
                self._arrived.wait()
            return self._messages.popleft()


@linpoint.spec
class Messages:
    """Taking from an empty mailbox waits: the step is not legal."""

    initial = ()

    def put(state: tuple[int, ...], message: int) -> tuple[None, tuple[int, ...]]:  # noqa: N805 - a step of a spec
        return None, (*state, message)

    def take(state: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:  # noqa: N805
        return [(state[0], state[1:])] if state else []


class TestMailbox(linpoint.ConcurrentTest):
    spec = Messages
    operations = 1
    threads = 3

    def setup(self) -> Mailbox:
        return Mailbox()

    @linpoint.operation(message=[1])
    def put(self, mailbox: Mailbox, message: int) -> None:
        mailbox.put(message)

    @linpoint.operation(blocking=True)
    def take(self, mailbox: Mailbox) -> int:
        return mailbox.take()


class TestCarefulMailbox(TestMailbox):
    def setup(self) -> Mailbox:
        return CarefulMailbox()
