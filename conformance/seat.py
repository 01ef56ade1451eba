"""An honest seat: what it must post, from the dealing protocols' private halves. No more than a
case needs.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from protocol.crypto.envelopes import MatchKey, new_key
from protocol.crypto.joint_randomness import nonce_commitment
from protocol.dealing import Post, SeatHalf
from protocol.games import Action, Hand, MatchBinding, Piece
from protocol.games.decks.deck_hand import Loadout, PrivateHalf
from protocol.games.operations import Card, Reveal
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, Log, make_entry
from protocol.match.state import Match, MatchStage

# at poker, rather than to fold, or to decline: so hands come to their showdown, and who has lost
# buys
NO_LOADOUT = Loadout()
PREFERRED_ACTIONS = (("call",), ("rebuy",))


class HonestSeat:
    """One seat's secrets for one match. It reads the fold and says what to post."""

    def __init__(
        self, identity: Identity, number: int, rng: Random, brings: Loadout = NO_LOADOUT
    ) -> None:
        self.identity, self.number, self.rng, self.brings = identity, number, rng, brings
        self.own: PrivateHalf | None = None  # of the game, where it has one
        self.key: MatchKey = new_key(rng)
        self.nonce = rng.randbytes(32)
        self.half: SeatHalf | None = None
        # when it says nothing although it must
        self.silent: Callable[[Match], bool] = lambda match: False
        self._half_of = -1  # the deal number that `half` belongs to

    @property
    def hand(self) -> Hand:
        """The pieces it holds and knows."""
        return self.half.hand if self.half else ()

    def due(self, match: Match) -> Post | None:
        """What it must post now; a move is the first legal one, or one of `PREFERRED_ACTIONS`."""
        if self.number in match.gone or self.silent(match):
            return None
        match match.stage:
            case MatchStage.SEATING if match.keys[self.number] is None:
                return Post(
                    "sit",
                    [self.key.public, nonce_commitment(match.match_id, self.number, self.nonce)],
                )
            case MatchStage.ROSTER if match.nonces[self.number] is None:
                return Post("nonce", [self.nonce])
            case MatchStage.DEALING | MatchStage.PLAYING:
                self._begin_own(match)
                post = None if match.deal is None else self.half_of(match).next_post(match.deal)
                return post or self._move(match)
            case MatchStage.RECEIPTS if self.number not in match.receipts:
                return Post("receipt", match.receipt)
        return None

    def held(self, match: Match) -> Hand:
        """What the rules are told that it holds: more than a hand where it has a half of the
        game.
        """
        return self.hand if self.own is None else self.own.hand(self._sees(match))

    def _sees(self, match: Match) -> Mapping[Card, Piece]:
        return self.half_of(match).visible_cards if match.deal is not None else {}

    def _begin_own(self, match: Match) -> None:
        make = match.setup.row.load_private_half() if self.own is None else None
        if make is not None:
            bound = MatchBinding(
                match.match_id, tuple(person.identity for person in match.setup.people)
            )
            self.own = make(match.setup.game, bound, self.number, self.rng, self.brings)

    def half_of(self, match: Match) -> SeatHalf:
        """Its private half of the present deal."""
        assert match.deal is not None
        if self.half is None or self._half_of != match.deal_number:
            self.half = match.setup.dealing.seat_half(
                match.deal.context, self.number, self.key, self.rng
            )
            self._half_of = match.deal_number
        return self.half

    def opening(self, match: Match, piece: Piece) -> list[list[Any]]:
        """What goes with an action that shows this piece."""
        return [self.half_of(match).part(match.deal, Reveal(piece))]

    def move(self, match: Match, action: Action) -> Post:
        """The post that makes a legal action."""
        operations = match.setup.game.check(match.game, self.number, action)
        parts = [self.half_of(match).part(match.deal, operation) for operation in operations]
        return Post("move", [list(action), parts])

    def entry(self, log: Log, post: Post) -> bytes:
        """The post as its next entry, signed."""
        sequence = log.sequence(self.number)
        return make_entry(
            self.identity,
            log.match_id,
            EntryContent(self.number, sequence, log.newest_head, post.kind, post.body),
        )

    def _move(self, match: Match) -> Post | None:
        if match.stage is not MatchStage.PLAYING or all(
            duty.author != self.number for duty in match.duties()
        ):
            return None
        step = (
            None
            if self.own is None
            else self.own.respond(match.game, self.own.hand(self._sees(match)))
        )
        if step is not None:
            return Post("move", [list(step), []])  # unchecked: what it brings may be wrong
        legal: Sequence[Action] = match.setup.game.legal(match.game, self.number, self.held(match))
        rather = [action for action in legal if action in PREFERRED_ACTIONS]
        return self.move(match, [*rather, *legal][0]) if legal else None
