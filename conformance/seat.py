"""An honest seat: what it must post, from the dealing protocols' private halves. No more than a case needs."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from protocol.crypto.chance import nonce_commitment
from protocol.crypto.sealed import MatchKey, new_key
from protocol.dealing import Post, SeatHalf
from protocol.games import Action, Hand, Piece
from protocol.games.operations import Reveal
from protocol.identity.keys import Identity
from protocol.match.log import Content, Log, make_entry
from protocol.match.state import Match, Stage

CALL = ("call",)  # at poker, rather than fold: so hands come to their showdown


class HonestSeat:
    """One seat's secrets for one match. It reads the fold and says what to post."""

    def __init__(self, identity: Identity, number: int, rng: Random) -> None:
        self.identity, self.number, self.rng = identity, number, rng
        self.key: MatchKey = new_key(rng)
        self.nonce = rng.randbytes(32)
        self.half: SeatHalf | None = None
        self.silent: Callable[[Match], bool] = lambda match: False  # when it says nothing although it must
        self._half_of = -1  # the deal number that `half` belongs to

    @property
    def hand(self) -> Hand:
        """The pieces it holds and knows."""
        return self.half.hand if self.half else ()

    def due(self, match: Match) -> Post | None:
        """What it must post now; a move is the first legal one, a call if that is one."""
        if self.number in match.gone or self.silent(match):
            return None
        match match.stage:
            case Stage.SEATING if match.keys[self.number] is None:
                return Post("sit", [self.key.public, nonce_commitment(match.match_id, self.number, self.nonce)])
            case Stage.ROSTER if match.nonces[self.number] is None:
                return Post("nonce", [self.nonce])
            case Stage.DEALING | Stage.PLAYING if match.deal is not None:
                return self.half_of(match).respond(match.deal) or self._move(match)
            case Stage.PLAYING:  # between deals
                return self._move(match)
            case Stage.RECEIPTS if self.number not in match.receipts:
                return Post("receipt", [list(match.scores)])
        return None

    def half_of(self, match: Match) -> SeatHalf:
        """Its private half of the present deal."""
        assert match.deal is not None
        if self.half is None or self._half_of != match.deal_number:
            self.half = match.setup.dealing.seat_half(match.deal.context, self.number, self.key, self.rng)
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
        return make_entry(self.identity, log.match_id, Content(self.number, sequence, log.seen, post.kind, post.body))

    def _move(self, match: Match) -> Post | None:
        if match.stage is not Stage.PLAYING or all(duty.author != self.number for duty in match.duties()):
            return None
        legal: Sequence[Action] = match.setup.game.legal(match.game, self.number, self.hand)
        calls = [action for action in legal if action == CALL]
        return self.move(match, [*calls, *legal][0]) if legal else None
