"""Randomly damaged entries of one party lead only to `Refused`, and no other party is ever
named.
"""

from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.dealing import TABLE, Post
from protocol.dealing.layered.seat_draws import _seal_share
from tests.adversary.cheats.base import Cheat, deal_of, read_own, sealed
from tests.adversary.cheats.mutate import mutate
from tests.adversary.cheats.table import CheatTable
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SEAT_KINDS = (
    *(
        "sit",
        "nonce",
        "layer",
        "hop",
        "hop",
        "stock",
        "commit",
        "strip",
        "slot_hop",
        "slot_hop",
        "slots",
        "draw_key",
    ),
    *(
        "draw_key",
        "draw_query",
        "open_seat",
        "open_seat",
        "open_seat",
        "open_seat",
        "move",
        "receipt",
    ),
)
TABLE_KINDS = ("pseudonyms", "assign", "draw_reply", "open_table", "open_table")


class Mutant(Cheat):
    """Seat that damages its `turn`-th entry of one kind, and all later ones when asked again."""

    def set(self, rng: Random) -> None:
        self.kind = rng.choice(SEAT_KINDS)
        often = self.kind in ("hop", "slot_hop", "draw_key", "move")
        self.turn, self.chaos, self.protests = (
            rng.randrange(3) if often else 0,
            rng,
            rng.random() < 0.1,
        )
        self.made: dict[int, Post] = {}

    def respond(self, match):
        try:
            return super().respond(match)
        except ValueError:  # its posted match key is not its own, so that it cannot seal with it
            return None

    def twist(self, match, post):
        if match.next_number not in self.made:
            self.made[match.next_number] = (
                self.damaged(match, post) if len(self.made) == self.turn else post
            )
        return self.made[match.next_number]

    def move(self, match, action):
        post = super().move(match, action)
        if self.kind != "move":
            return post
        self.acted = True
        return self.twist(match, post)

    def damaged(self, match, post):
        if self.protests and match.deal is not None:
            return Post("protest", [self.chaos.randrange(match.next_number)])
        if post.kind in ("hop", "slot_hop") and self.chaos.random() < 0.8:
            own, deal = self.layered(match), deal_of(match)
            (plaintext,) = mutate([read_own(own, deal, post)], self.chaos)
            try:
                return sealed(own, deal, post.kind, plaintext)
            except ValueError:  # the value does not fit the padding
                return post
        if post.kind == "draw_key" and post.body[0] and self.chaos.random() < 0.5:
            own, deal = self.layered(match), deal_of(match)
            drawing = deal.draws[-1]
            key = self.chaos.randbytes(self.chaos.choice((0, 31, 32, 64)))
            return Post(
                "draw_key",
                [
                    _seal_share(own, deal, key, drawing.seat, "draw key", drawing.number),
                    post.body[1],
                ],
            )
        return Post(post.kind, mutate(post.body, self.chaos))


class MutantTable(CheatTable):
    """Table that damages one entry of its own."""

    def set(self, rng: Random) -> None:
        self.kind, self.chaos = rng.choice(TABLE_KINDS), rng

    def twist(self, post):
        return post if self.acted else Post(post.kind, mutate(post.body, self.chaos))


def _played(seed: int, by_table: bool) -> tuple[Offline, int]:
    rng = Random(seed)
    seats = rng.randint(2, 3)
    place = TABLE if by_table else rng.randrange(seats)
    game = rng.choice(("block-dominoes", "draw-dominoes", "draw-dominoes"))
    options = {"hand": rng.choice((1, 3, 5))}
    kinds = {"table_type": MutantTable} if by_table else {"seat_types": {place: Mutant}}
    offline = make_offline(seats, seed, game, options, **kinds)
    mutant = offline.live if by_table else offline.seats[place]
    mutant.set(rng)
    offline.play()
    if not by_table and not offline.live.match.over:
        offline.wait_out(place)
    for reader in offline.readers:
        offline.catch_up(reader)
    return offline, place


@pytest.mark.parametrize("by_table", [False, True], ids=["seat", "table"])
@pytest.mark.parametrize("batch", range(8))
def test_damaged_entries_are_refused_or_name_their_author(batch: int, by_table: bool) -> None:
    for seed in range(20 * batch, 20 * (batch + 1)):
        offline, place = _played(seed, by_table)
        report = audit(offline.file())
        assert {fault.seat for fault in report.faults} <= {place}, seed
        assert report.verdict is not Verdict.UNREADABLE
        if report.verdict is Verdict.FAULT and not by_table:
            assert all(reader.faults == report.faults for reader in offline.readers)
