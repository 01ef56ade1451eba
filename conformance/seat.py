"""An honest seat. It computes the required posts from the private halves of the dealing protocols,
and no more than a case needs.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from protocol.crypto.envelopes import MatchKey, new_key
from protocol.crypto.joint_randomness import nonce_commitment
from protocol.dealing import Post, SeatHalf
from protocol.games import Action, Hand, Piece
from protocol.games.decks.deck_hand import AnyPrivateHalf, Loadout
from protocol.games.operations import Card, Reveal
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, Log, make_entry
from protocol.match.state import Match, MatchStage

NO_LOADOUT = Loadout()
# At poker, an honest seat bets rather than folds or declines: so hands come to a
# showdown, and a player without chips buys again.
PREFERRED_ACTIONS = (("call",), ("rebuy",))


class HonestSeat:
    """The secrets of one seat for one match. The seat reads the fold, and says what to post."""

    def __init__(
        self, identity: Identity, number: int, rng: Random, brings: Loadout = NO_LOADOUT
    ) -> None:
        self.identity = identity
        self.number = number
        self.rng = rng
        self.brings = brings
        self.own: AnyPrivateHalf | None = None  # the private half of the game, if the game has one
        self.key: MatchKey = new_key(rng)
        self.nonce = rng.randbytes(32)
        self.half: SeatHalf[Any] | None = None
        # true while the seat withholds a required post
        self.silent: Callable[[Match], bool] = lambda match: False
        self._half_of = -1  # the deal number of `half`

    @property
    def hand(self) -> Hand:
        """The pieces in this seat's hand that the seat knows."""
        return self.half.hand if self.half else ()

    def due(self, match: Match) -> Post | None:
        """Return the post that this seat must make now, if any. A move is the first legal action,
        or one of `PREFERRED_ACTIONS`.
        """
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
                if match.deal is None:
                    post = None
                else:
                    post = self.half_of(match).next_post(match.deal)
                return post or self._move(match)
            case MatchStage.RECEIPTS if self.number not in match.receipts:
                return Post("receipt", match.receipt)
        return None

    def held(self, match: Match) -> Hand:
        """Return the hand as the rules need it: with the private half of the game, if the game has
        one.
        """
        if self.own is None:
            return self.hand
        return self.own.hand(self._sees(match))

    def _sees(self, match: Match) -> Mapping[Card, Piece]:
        if match.deal is not None:
            return self.half_of(match).visible_cards
        return {}

    def _begin_own(self, match: Match) -> None:
        if self.own is None:
            make = match.setup.spec.load_private_half()
        else:
            make = None
        if make is not None:
            binding = match.setup.binding(match.match_id)
            self.own = make(match.setup.game, binding, self.number, self.rng, self.brings)

    def half_of(self, match: Match) -> SeatHalf[Any]:
        """Return the seat's private half of the present deal."""
        assert match.deal is not None
        if self.half is None or self._half_of != match.deal_number:
            self.half = match.setup.dealing.seat_half(
                match.deal.context, self.number, self.key, self.rng
            )
            self._half_of = match.deal_number
        return self.half

    def opening(self, match: Match, piece: Piece) -> list[list[Any]]:
        """Return the opening that must go with an action that shows `piece`."""
        return [self.half_of(match).part(match.deal, Reveal(piece))]

    def move(self, match: Match, action: Action) -> Post:
        """Return the post for a legal action."""
        operations = match.setup.game.check(match.game, self.number, action)
        parts = [self.half_of(match).part(match.deal, operation) for operation in operations]
        return Post("move", [list(action), parts])

    def entry(self, log: Log, post: Post) -> bytes:
        """Return `post` as the seat's next entry, signed."""
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
        if self.own is None:
            step = None
        else:
            step = self.own.respond(match.game, self.own.hand(self._sees(match)))
        if step is not None:
            # The seat does not check its loadout: a case may bring a wrong one.
            return Post("move", [list(step), []])
        legal: Sequence[Action] = match.setup.game.legal(match.game, self.number, self.held(match))
        rather = [action for action in legal if action in PREFERRED_ACTIONS]
        if legal:
            return self.move(match, [*rather, *legal][0])
        return None
