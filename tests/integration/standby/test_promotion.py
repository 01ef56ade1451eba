"""After a promotion no shown entry is missing, and none is signed twice; each broken rule is
noticed.
"""

from collections import Counter

import pytest

from table.standby.messages import encode_at
from table.standby.primary_protocol import CatchUp, Pin, Stop, next_step
from table.standby.standby_protocol import StandbyProtocol
from table.storage.disk.replication_state import Role
from tests.integration.standby.pair import Pair, run

pytestmark = pytest.mark.slow
RUNS = 250


def test_promotion_loses_nothing_and_signs_no_number_twice():
    seen: Counter[str] = Counter()
    for seed in range(RUNS):
        pair = run(Pair, seed)
        seen[pair.first.standing.role.name] += 1
        seen["promoted"] += pair.promotions > 0
        seen["shown"] += len(pair.signed) > 5
        seen[pair.stopped] += 1
    assert (
        seen["promoted"] > RUNS / 20 and seen["shown"] > RUNS / 10 and seen["ALONE"] > RUNS / 50
    ), seen
    assert {
        f"wrong.standby.{why}" for why in ("promoted", "another", "left", "ahead", "used")
    } <= set(seen), seen


class ReleasesBeforeTheAnswer(Pair):
    """Table that shows entries which are on one disk only."""

    def shown_early(self) -> None:
        self.sign(self.first, len(self.first.entries))


class PromotesWithoutAFence(Pair):
    """Promotion that leaves the standby unfenced."""

    fence = False


class TakesTheOldPrimary(StandbyProtocol):
    """Standby that still stores messages after its promotion."""

    def _take(self, now, number, hash_after, body):
        standing = self._book.standing
        if standing.role is Role.PROMOTED:
            self._book.standing = standing._replace(role=Role.STANDBY)
        super()._take(now, number, hash_after, body)

    def heard(self, message, now):
        super().heard(message, now)
        standing = self._book.standing
        role = Role.STANDBY if standing.role is Role.PROMOTED else standing.role
        return encode_at(standing._replace(role=role))


class AcceptsTheOldPrimary(Pair):
    following = TakesTheOldPrimary


def of_any_name(standing, unsent, at):
    pins = at.role is Role.EMPTY and at.name != standing.standby
    return Pin() if pins else next_step(standing, unsent, at)


class TakesAnyStandby(Pair):
    """Table that accepts a new, empty standby."""

    decide = staticmethod(of_any_name)


class BelievesItselfAtTheStart(Pair):
    """Table that shows its own entries after a restart without an answer."""

    def kill_first(self) -> None:
        super().kill_first()
        self.sign(self.first, len(self.first.entries))


def whoever_is_ahead(standing, unsent, at):
    step = next_step(standing, unsent, at)
    return CatchUp() if step == Stop("wrong.standby.ahead") else step


class GoesOnBehindItsStandby(Pair):
    """Table that goes on behind its standby after a backup was restored."""

    decide = staticmethod(whoever_is_ahead)


class ForgetsThatItWasLeft(StandbyProtocol):
    """Standby that ignores the message that its primary goes on alone."""

    def heard(self, message, now):
        standing = self._book.standing
        answer = super().heard(message, now)
        if self._book.standing.role is Role.LEFT:
            self._book.standing = standing
        return answer


class PromotesOneThatWasLeft(Pair):
    following = ForgetsThatItWasLeft


class AnswersBeforeItsDisk(StandbyProtocol):
    """Standby that acknowledges entries before they are on its disk."""

    def _take(self, now, number, hash_after, body):
        standing = self._book.standing
        if standing.role is Role.STANDBY and number == standing.number + 1:
            self._early = encode_at(standing._replace(number=number, hash=hash_after))

    def heard(self, message, now):
        self._early = None
        answer = super().heard(message, now)
        return self._early or answer


class TakesAnEarlyAnswer(Pair):
    following = AnswersBeforeItsDisk


MISTAKES = [
    ReleasesBeforeTheAnswer,
    PromotesWithoutAFence,
    AcceptsTheOldPrimary,
    TakesAnyStandby,
    BelievesItselfAtTheStart,
    GoesOnBehindItsStandby,
    PromotesOneThatWasLeft,
    TakesAnEarlyAnswer,
]


@pytest.mark.parametrize("kind", MISTAKES, ids=lambda kind: kind.__name__)
def test_each_broken_rule_is_noticed(kind):
    with pytest.raises(AssertionError, match=r"two heads|lost"):
        for seed in range(RUNS):
            run(kind, seed)
