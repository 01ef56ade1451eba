"""The private half of one seat for one match: its match key, its secrets of the present deal, and what it posts."""

from random import Random

from protocol.crypto.chance import nonce_commitment
from protocol.crypto.sealed import MatchKey, Party, new_key, pair_key
from protocol.dealing import Post, SeatHalf
from protocol.games import Act, Action, Hand
from protocol.identity.keys import Identity
from protocol.match.log import Content, Log, make_entry
from protocol.match.state import Match, Stage
from protocol.match.view import view_of
from protocol.messages.talk import Talk
from protocol.view.view import View


class Seat:
    """One seat's secrets. It reads the fold and says what to post; it never changes the fold."""

    def __init__(self, identity: Identity, number: int, rng: Random) -> None:
        self.number = number
        self._identity, self._rng = identity, rng
        self._key: MatchKey = new_key(rng)
        self._nonce = rng.randbytes(32)
        self._half: SeatHalf | None = None
        self._half_of = -1  # the deal number that `_half` belongs to
        self._moved: tuple[int, Post | None] = (-1, None)  # a move that left no choice, and since when it was due

    @property
    def hand(self) -> Hand:
        """The pieces this seat holds and knows."""
        return self._half.hand if self._half else ()

    def respond(self, match: Match) -> Post | None:
        """What this seat must post now without being asked to choose: a step of the deal, a protest, a receipt."""
        if self.number in match.gone:
            return None
        if match.deal is None:
            self._half = None  # between hands nothing is held
        match match.stage:
            case Stage.SEATING if match.keys[self.number] is None:
                if self._key.public in match.keys:  # a copy came before it: a table and a seat in league can do that
                    self._key = new_key(self._rng)
                return Post("sit", [self._key.public, nonce_commitment(match.match_id, self.number, self._nonce)])
            case Stage.ROSTER if match.nonces[self.number] is None:
                return Post("nonce", [self._nonce])
            case Stage.DEALING | Stage.PLAYING if match.deal is not None:
                return self._private_half(match).respond(match.deal) or self._only_move(match)
            case Stage.RECEIPTS if self.number not in match.receipts:
                return Post("receipt", [list(match.scores)])
        return None

    def _only_move(self, match: Match) -> Post | None:
        """What nobody need be asked for: the step of a game in which this hand leaves no choice."""
        want = match.setup.game.wants(match.game)
        if match.stage is not Stage.PLAYING or not isinstance(want, Act) or not want.step:
            return None
        choices, since = self.choices(match), match.since(self.number)
        if len(choices) == 1 and self._moved[0] != since:
            self._moved = since, self.move(match, choices[0])
        return self._moved[1] if len(choices) == 1 else None

    def choices(self, match: Match) -> tuple[Action, ...]:
        """All legal actions when it is this seat's turn in the game; else none. Ask `respond` first."""
        if match.stage is not Stage.PLAYING:
            return ()
        want = match.setup.game.wants(match.game)
        if not isinstance(want, Act) or self.number not in want.seats:
            return ()
        return match.setup.game.legal(match.game, self.number, self.hand)

    def view(self, match: Match) -> View:
        """The match as this seat sees it."""
        return view_of(match, self.number, self.hand)

    def move(self, match: Match, action: Action) -> Post:
        """The post that makes one of `choices`."""
        operations = match.setup.game.check(match.game, self.number, action)
        parts = [self._private_half(match).part(match.deal, operation) for operation in operations]
        return Post("move", [list(action), parts])

    def entry(self, log: Log, post: Post) -> bytes:
        """The post as this seat's next entry, signed."""
        sequence = log.sequence(self.number)
        return make_entry(self._identity, log.match_id, Content(self.number, sequence, log.seen, post.kind, post.body))

    def talk(self, match: Match, said: int = 0) -> Talk | None:
        """This seat's table talk after its remark number `said`, once everybody has posted the keys for it."""
        if None in match.keys:
            return None
        seated = zip(match.setup.people, match.keys, strict=True)
        people = [Party(person.identity, key or b"") for person, key in seated]

        def key_between(sender: int, receiver: int) -> bytes:
            return pair_key(self._key, match.match_id, match.setup.table.key, people[sender], people[receiver])

        return Talk(self.number, match.setup.seats, key_between, said)

    def _private_half(self, match: Match) -> SeatHalf:
        assert match.deal is not None
        if self._half is None or self._half_of != match.deal_number:
            dealing = match.setup.dealing
            self._half = dealing.seat_half(match.deal.context, self.number, self._key, self._rng)
            self._half_of = match.deal_number
        return self._half
