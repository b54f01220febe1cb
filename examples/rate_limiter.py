# SPDX-License-Identifier: Apache-2.0
"""A custom spec: a rate limiter that grants at most three permits per window.

The history was recorded from a limiter that reads its count, compares and only then increments it, without a lock: four
clients were granted a permit in one window.
"""
# Run: linpoint check rate_limiter.jsonl --spec rate_limiter.py:RateLimiter
# Exit code: 1

import linpoint

LIMIT = 3


@linpoint.spec
class RateLimiter:
    """At most three permits between two resets."""

    initial = 0

    def acquire(granted):
        """Return whether a permit was granted."""
        return (True, granted + 1) if granted < LIMIT else (False, granted)

    def reset(_granted):
        """Begin a new window."""
        return None, 0


if __name__ == "__main__":
    # A spec is code too: check it before you rely on it.
    linpoint.conformance(RateLimiter, [{"op": "acquire"}, {"op": "reset"}]).raise_for_problems()
    print("the spec conforms")
