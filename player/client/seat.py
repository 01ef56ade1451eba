"""The private half of one seat for one match: its match key, its secrets of the present deal, and
what it posts.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

import protocol.crypto.group  # noqa: F401  # now, not in the middle of a match: see there
from bots.bot_view import bot_view
from protocol.crypto.envelopes import MatchKey, Party, new_key, pair_key
from protocol.crypto.joint_randomness import nonce_commitment
from protocol.dealing import Post, SeatHalf
from protocol.errors import ProtocolViolation
from protocol.games import Act, Action, Hand, Piece
from protocol.games.decks.deck_hand import AnyPrivateHalf, Loadout
from protocol.games.operations import Card
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, Log, make_entry
from protocol.match.seat_view import view_of
from protocol.match.state import Match, MatchStage
from protocol.messages.table_talk import TalkChannel
from protocol.view.view import View

NOTHING_BROUGHT = Loadout()


class Seat:
    """One seat's secrets. It reads the fold and says what to post; it never changes the fold."""

    def __init__(
        self, identity: Identity, number: int, rng: Random, brings: Loadout = NOTHING_BROUGHT
    ) -> None:
        """`brings`: the loadout, in a game to which seats bring cards or texts of their own."""
        self.number = number
        self._brings = brings
        self._game_half: AnyPrivateHalf | None = None  # None until the game begins
        self._identity = identity
        self._rng = rng
        self._key: MatchKey = new_key(rng)
        self._nonce = rng.randbytes(32)
        self._half: SeatHalf[Any] | None = None
        self._half_of = -1  # the deal number that `_half` belongs to
        # the newest step without a choice (the entry since which it is due, and its action), and its
        # post
        self._last_step: tuple[tuple[int, Action] | None, Post | None] = (None, None)

    @property
    def hand(self) -> Hand:
        """The pieces this seat holds and knows."""
        return self._half.hand if self._half else ()

    def held(self, match: Match) -> Hand:
        """Return the hand that the rules need for this seat: its pieces, or more in games with
        private halves. Call `respond` first.
        """
        if self._game_half is None:
            return self.hand
        return self._game_half.hand(self._visible_cards(match))

    def _visible_cards(self, match: Match) -> Mapping[Card, Piece]:
        if match.deal is not None:
            return self._private_half(match).visible_cards
        return {}

    def respond(self, match: Match) -> Post | None:
        """Return what this seat must post now without a choice: a step of the deal, a protest, a
        receipt.
        """
        if self.number in match.gone:
            return None
        if match.deal is None:
            self._half = None  # between hands nothing is held
        match match.stage:
            case MatchStage.SEATING if match.keys[self.number] is None:
                # a copy came before it: a table and a seat in league can do that
                if self._key.public in match.keys:
                    self._key = new_key(self._rng)
                return Post(
                    "sit",
                    [self._key.public, nonce_commitment(match.match_id, self.number, self._nonce)],
                )
            case MatchStage.ROSTER if match.nonces[self.number] is None:
                return Post("nonce", [self._nonce])
            case MatchStage.DEALING | MatchStage.PLAYING:
                own = self._load_game_half(match)
                if match.deal is None:
                    post = None
                else:
                    post = self._private_half(match).next_post(match.deal)
                return post or self._game_half_step(match, own) or self._only_move(match)
            case MatchStage.RECEIPTS if self.number not in match.receipts:
                return Post("receipt", match.receipt)
        return None

    def _load_game_half(self, match: Match) -> AnyPrivateHalf | None:
        """Return this seat's private half of the game; None if the game has none. It is made when the
        game begins, with all its random values.
        """
        if self._game_half is None:
            make = match.setup.spec.load_private_half()
        else:
            make = None
        if make is not None:
            binding = match.setup.binding(match.match_id)
            self._game_half = make(match.setup.game, binding, self.number, self._rng, self._brings)
        return self._game_half

    def _game_half_step(self, match: Match, own: AnyPrivateHalf | None) -> Post | None:
        """Return what the private half of the game posts by itself."""
        if own is None or match.stage is not MatchStage.PLAYING:
            return None
        action = own.respond(match.game, own.hand(self._visible_cards(match)))
        return None if action is None else self._step(match, action)

    def _step(self, match: Match, action: Action) -> Post | None:
        """Return the post of a step. It is made once for each step, because parts of it are random.

        If the loadout breaks the rules, the seat leaves instead: to leave is better than to be named
        for a fault.
        """
        step = match.duty_since(self.number), action
        if self._last_step[0] != step:
            try:
                post = self.move(match, action)
            except ProtocolViolation:
                post = Post("leave", [])
            self._last_step = step, post
        return self._last_step[1]

    def _only_move(self, match: Match) -> Post | None:
        """Return the step of a game in which this hand leaves no choice."""
        want = match.setup.game.wants(match.game)
        if match.stage is not MatchStage.PLAYING or not isinstance(want, Act) or not want.automatic:
            return None
        choices = self.choices(match)
        if len(choices) == 1:
            return self._step(match, choices[0])
        return None

    def choices(self, match: Match) -> tuple[Action, ...]:
        """Return all legal actions if it is this seat's turn in the game; otherwise none. Call
        `respond` first.
        """
        if match.stage is not MatchStage.PLAYING:
            return ()
        want = match.setup.game.wants(match.game)
        if not isinstance(want, Act) or self.number not in want.seats:
            return ()
        return match.setup.game.legal(match.game, self.number, self.held(match))

    def view(self, match: Match) -> View:
        """Return the match as this seat sees it."""
        return view_of(match, self.number, self.held(match))

    def seen(self, match: Match) -> View:
        """Return the view for a bot: it also has the position, if nothing in the game is hidden."""
        return bot_view(self.view(match), match.setup.game, match.game, self.held(match))

    def move(self, match: Match, action: Action) -> Post:
        """Return the post that makes one of `choices`."""
        operations = match.setup.game.check(match.game, self.number, action)
        parts = [self._private_half(match).part(match.deal, operation) for operation in operations]
        return Post("move", [list(action), parts])

    def entry(self, log: Log, post: Post) -> bytes:
        """Return the post as this seat's next entry, signed."""
        sequence = log.sequence(self.number)
        return make_entry(
            self._identity,
            log.match_id,
            EntryContent(self.number, sequence, log.newest_head, post.kind, post.body),
        )

    def talk(self, match: Match, said: int = 0) -> TalkChannel | None:
        """Return the channel for table talk, with the own remarks numbered after `said`; None until
        all seats have posted their keys.
        """
        if None in match.keys:
            return None
        seated = zip(match.setup.people, match.keys, strict=True)
        people = [Party(person.identity, key or b"") for person, key in seated]

        def key_between(sender: int, receiver: int) -> bytes:
            return pair_key(
                self._key, match.match_id, match.setup.table.key, people[sender], people[receiver]
            )

        return TalkChannel(self.number, match.setup.seats, key_between, said)

    def _private_half(self, match: Match) -> SeatHalf[Any]:
        assert match.deal is not None
        if self._half is None or self._half_of != match.deal_number:
            dealing = match.setup.dealing
            self._half = dealing.seat_half(match.deal.context, self.number, self._key, self._rng)
            self._half_of = match.deal_number
        return self._half
