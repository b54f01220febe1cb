# SPDX-License-Identifier: Apache-2.0
"""A host as a supervised process, which is started for one command and sends messages.

Guarantee: the caller always gets a ``HostEnding``, even if the host or its target dies, hangs, exhausts memory, sends
malformed messages or falls silent. No process is left behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import monotonic
from typing import Final, TypeVar

import msgspec

from linpoint.errors import TestError
from linpoint.hosts.host_message import PROTOCOL, HostMessage
from linpoint.processes.process_launch import INPUT, MESSAGES
from linpoint.processes.process_limits import (
    DEADLINE_PASSED,
    MEMORY_EXCEEDED,
    MESSAGE_TOO_LONG,
    ProcessLimits,
    ProcessOutcome,
)
from linpoint.processes.supervised_process import END_GRACE_S, SupervisedProcess, read_messages

Message = TypeVar("Message", bound=HostMessage)

GRACE: Final = END_GRACE_S
"""The time in seconds for the host to exit by itself after its time is up."""
_QUOTED_ERROR_BYTES: Final = 2000
_OWN_MEMORY_BYTES: Final = 64 * 2**20
"""The maximum memory of a host itself. It enforces lower limits on its target and names the block that exceeds one."""
_STOPPED: Final = {
    DEADLINE_PASSED: "a run of the program does not return",
    MEMORY_EXCEEDED: "the memory budget ran out",
    MESSAGE_TOO_LONG: "the host sent a message that is too long",
}


@dataclass(frozen=True, slots=True)
class HostEnding:
    """The ending of a host that sent no result."""

    died: str
    by_itself: bool
    """Whether it died by itself, so that the target is to blame."""


class HostProcess:
    """One host, from its start to its end."""

    def __init__(self, process: SupervisedProcess) -> None:
        self.process = process
        self.greeted = False
        """Whether it has sent ``hello`` with the supported version."""

    @property
    def over(self) -> bool:
        """Whether no further message will be read."""
        return self.process.over

    @property
    def stopped(self) -> str:
        """The reason why it was stopped, if it exceeded a limit or sent a malformed message."""
        return _STOPPED.get(self.process.stopped, self.process.stopped)

    @property
    def peak_memory_bytes(self) -> int:
        """The peak memory of the host; stops a running host."""
        return self.process.outcome().peak_memory_bytes

    def finish(self) -> None:
        """Read no further messages and let the host exit by itself."""
        self.process.finish()

    def reject(self, error: Exception) -> None:
        """Stop the host because of a malformed message."""
        self.process.stop(f"the host sent an invalid message, please report this bug: {error}")
        self.process.finish()

    def greet(self, message: HostMessage) -> None:
        """Accept the first message; raises LP-T035 unless it is ``hello`` with the supported version."""
        if message.hello is None or message.hello.protocol != PROTOCOL:
            version = "no protocol version" if message.hello is None else f"protocol {message.hello.protocol}"
            raise TestError(
                "LP-T035",
                f"the host uses {version}, but this linpoint requires protocol {PROTOCOL}.",
                remedy="Delete ~/.cache/linpoint/hosts to rebuild the host, or reinstall linpoint.",
            )
        self.greeted = True

    def kill(self) -> None:
        """Kill the host."""
        self.process.outcome(grace_s=0.0)

    def ending(self) -> HostEnding:
        """The ending of the host; stops a running host."""
        outcome = self.process.outcome()
        return HostEnding(self.stopped, by_itself=False) if outcome.stopped else _ending(outcome)


def start_host(
    command: Sequence[str],
    stack: ExitStack,
    *,
    seconds: float,
    max_memory: int | None,
    args: Sequence[str] = (),
    request: Sequence[bytes] | None = None,
    shared: int | None = None,
    asks: bool = False,
) -> HostProcess:
    """Start a host; raises OSError on failure. It is killed after ``seconds`` and when ``stack`` closes.

    ``request`` is written to a file for ``--scenarios``, its parts separated by null bytes. ``shared`` is the
    descriptor of memory that hosts share. With ``asks``, the host reads replies from its standard input.
    """
    files: list[int] = [] if shared is None else [shared]
    words = list(command)
    if request is not None:
        file = os.memfd_create("linpoint")
        stack.callback(os.close, file)
        os.write(file, b"".join(part + b"\0" for part in request))
        os.lseek(file, 0, os.SEEK_SET)
        words += ["--scenarios", str(file)]
        files.append(file)
    words += ["--answers", INPUT] if asks else []
    words += ["--results", MESSAGES, "--", *args]
    most = None if max_memory is None else max(max_memory, _OWN_MEMORY_BYTES)
    limits = ProcessLimits(deadline=monotonic() + seconds, max_memory_bytes=most)
    return HostProcess(stack.enter_context(SupervisedProcess.start(words, limits=limits, pass_fds=files)))


def read_hosts(
    hosts: Sequence[HostProcess], decoder: msgspec.json.Decoder[Message]
) -> Iterator[tuple[HostProcess, Message | None]]:
    """The messages of hosts as they arrive; ``None`` after all messages that a host has sent so far.

    Raises ``TestError`` (LP-T035) for a host with another version of the protocol.
    """
    for index, line in read_messages([host.process for host in hosts]):
        host = hosts[index]
        if line is None:
            yield host, None
            continue
        try:
            message = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            host.reject(error)
            continue
        if host.greeted:
            yield host, message
        else:
            host.greet(message)


def _ending(outcome: ProcessOutcome) -> HostEnding:
    stderr = outcome.stderr[:_QUOTED_ERROR_BYTES].decode("utf-8", "replace").strip()
    if outcome.signal_name == "SIGKILL":
        return HostEnding("its process was terminated by SIGKILL, possibly because memory ran out", by_itself=False)
    if outcome.signal is not None:
        return HostEnding(f"its process was terminated by {outcome.signal_name}", by_itself=True)
    if stderr:
        return HostEnding(f"the host failed, please report this bug: {stderr.splitlines()[-1]}", by_itself=False)
    return HostEnding(f"its process exited with code {outcome.exit_code} during a run", by_itself=True)
