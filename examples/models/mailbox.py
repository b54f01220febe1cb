# SPDX-License-Identifier: Apache-2.0
"""A mailbox: the owner learns from two flags whether there is mail, and never checks the mailbox in vain.

Source: M. K. Aguilera, E. Gafni and L. Lamport, *The Mailbox Problem*, DISC 2008. Timestamps are unbounded here: one
dominates others by being larger. The paper's are bounded, which is its main result; this model does not cover that.

The postman counts deliveries, the owner removals. Each `compare` runs rounds, in which both publish their count and
time, until one of them knows the other's count: then it sets its flag. The flag with the later time is valid, and
`check` reads only the two flags. The owner removes only after a `check` that returned True. The algorithm is correct; a
`hasty` compare, which never runs a second round, is not.

The state that a process keeps between operations is in `postman` and `owner`, which no other process accesses. A round
ends at least one operation, so there are never more than twice as many rounds as operations of each process.
"""
# Run: linpoint refine mailbox.py --operations 3
# Exit code: 0
# Run: linpoint refine mailbox.py --operations 3 --set hasty=true
# Exit code: 1

import linpoint

POSTMAN, OWNER = 0, 1


@linpoint.spec
class Mail:
    """The number of letters in the mailbox."""

    initial = 0

    def deliver(mail):
        """Deliver a letter."""
        return None, mail + 1

    def check(mail):
        """Whether there is mail."""
        return mail > 0, mail

    def remove(mail):
        """Remove a letter; there must be one."""
        return [(None, mail - 1)] if mail else []


class Mailbox(linpoint.Model):
    """One postman and one owner."""

    ROUNDS = 12
    hasty = False
    spec = Mail

    memos = linpoint.array((None, None), size=2 * ROUNDS)
    ends = linpoint.array(False, size=2 * ROUNDS)
    flags = linpoint.array(linpoint.record(time=1, differ=False), size=2)
    postman = linpoint.record(count=0, round=0, later=2, other=0)
    owner = linpoint.record(count=0, round=0, later=2, other=0)
    may_remove = linpoint.atomic(False)

    @linpoint.operation(role="postman")
    def deliver(self):
        self.postman.store(self.compare(POSTMAN, OWNER, self.postman.load()))

    @linpoint.operation(role="owner")
    def remove(self):
        linpoint.assume(self.may_remove.load())
        self.may_remove.store(False)
        self.owner.store(self.compare(OWNER, POSTMAN, self.owner.load()))

    @linpoint.operation(role="owner")
    def check(self):
        postman = self.flags[POSTMAN].load()
        owner = self.flags[OWNER].load()
        found = postman.differ if postman.time >= owner.time else owner.differ
        self.may_remove.store(found)
        return found

    def compare(self, me, you, mine):
        count = mine.count + 1
        now = mine.round
        later = mine.later
        other = mine.other
        success = False
        while not success:
            now += 1
            time = later
            self.memos[me * self.ROUNDS + now] = (time, count)
            their_time, their_count = self.memos[you * self.ROUNDS + now]
            if their_time is None:
                success = True
            else:
                other = their_count
                self.ends[me * self.ROUNDS + now] = True
                success = self.ends[you * self.ROUNDS + now] or self.hasty
                later = self.dominate(their_time, self.flags[you].load().time)
        self.flags[me] = linpoint.record(time=time, differ=count != other)
        return linpoint.record(count=count, round=now, later=later, other=other)

    def dominate(self, x, y):
        return x + 1 if x > y else y + 1
