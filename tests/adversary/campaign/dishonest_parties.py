"""Seats and tables that are honest except for the wrongs of a plot."""

from collections.abc import Sequence
from random import Random
from typing import Any

from player.client.seat import Seat
from protocol.dealing import Post
from protocol.errors import ProtocolViolation, Refused
from protocol.games import Action
from protocol.games.decks import Owned
from protocol.games.decks.match_decks import DeckPhase, MatchDecks
from protocol.games.operations import OpenCard
from protocol.games.scripted.engine.state import ScriptState
from protocol.match.fold import apply
from protocol.match.log import decode_entry
from protocol.match.state import Match
from table.match.live_match import LiveMatch
from tests.adversary.campaign.card_world import CardWorld
from tests.adversary.campaign.match_plan import Wrong

CHOICE = 6  # parts of a choice by a rule file; steps of programs have others
# kinds of entries in games by rule files
SCRIPTED = ("play", "draw", "end", "wish", "open", "deck", "agree", "toss", "leave")


class Crook(Seat):
    """Seat that does each wrong of its plot once, and is honest otherwise."""

    def __init__(self, wrongs: Sequence[Wrong], dice: Random, *seat: Any, **more: Any) -> None:
        self.wrongs, self.dice = list(wrongs), dice
        super().__init__(*seat, **more)

    def wants(self, match: Match, *hows: str) -> str | None:
        """Return the next wrong of `hows` that is due."""
        return next(
            (
                wrong.how
                for wrong in self.wrongs
                if wrong.since <= match.next_number and wrong.how in hows
            ),
            None,
        )

    def done(self, how: str) -> None:
        """Note that this wrong has been tried."""
        self.wrongs.remove(next(wrong for wrong in self.wrongs if wrong.how == how))

    def instead(self, match: Match, post: Post | None) -> Post | None:
        """Return the post that replaces the honest one, or None. `respond` itself stays a function
        of the log.
        """
        how = self.wants(match, "spoil", "act", "protest", "leave")
        if how in ("leave", "protest") and not match.over:
            self.done(how)
            return (
                Post("leave", [])
                if how == "leave"
                else Post("protest", [self.dice.randrange(match.next_number)])
            )
        if post is None or how not in ("spoil", "act") or (how == "act") != (post.kind == "move"):
            return post
        self.done(how)
        return Post(post.kind, spoiled(post.body, self.dice))


class CardCrook(Crook):
    """Seat that also disputes cards for nothing, and answers disputes with what comes to hand."""

    def __init__(
        self, world: CardWorld, wrongs: Sequence[Wrong], dice: Random, *seat: Any, **more: Any
    ) -> None:
        self.world = world
        super().__init__(wrongs, dice, *seat, **more)

    def move(self, match: Match, action: Action) -> Post:
        """Return the post of an action, also where it names this seat."""
        try:
            return super().move(match, action)
        except ProtocolViolation:
            half = self._private_half(match) if len(action) == CHOICE else None
            parts = [half.part(match.deal, OpenCard(action[1] - 1, action[4] - 1))] if half else []
            return Post("move", [list(action), parts])

    def instead(self, match: Match, post: Post | None) -> Post | None:
        """Return a false dispute or answer if one is due; otherwise as other crooks."""
        decks = match.game.decks if isinstance(match.game, ScriptState) else None
        if decks is None or self.number not in decks.seats_due:
            return super().instead(match, post)
        if decks.dispute is not None:
            if self.wants(match, "answer"):
                self.done("answer")
                return Post("move", [["answer", *self.world.scraps(self.dice)], []])
        elif decks.phase in (DeckPhase.AGREE, DeckPhase.PART) and self.wants(match, "dispute"):
            self.done("dispute")
            return self._dispute(decks) or post
        return super().instead(match, post)

    def _dispute(self, decks: MatchDecks) -> Post | None:
        shown = [
            (opening, owner)
            for opening in decks.opened
            if (owner := decks.owner(opening.piece)) not in (None, self.number)
            and isinstance(opening.card, Owned)
        ]
        if not shown:
            return None
        opening, owner = self.dice.choice(shown)
        holder = decks.bound.identities[owner]
        records = self.world.accusation(opening.card, holder, self.dice)
        return Post("move", [["dispute", opening.piece, *records], []])


class CrookedTable(LiveMatch):
    """Table that lies once, from a given entry on."""

    wrong: Wrong
    dice: Random
    lied = False
    exposed = False  # its log contains an invalid entry: no player reads on

    def wants(self, how: str) -> bool:
        """Return whether this wrong is due."""
        return (
            not self.lied and self.wrong.how == how and self.match.next_number >= self.wrong.since
        )

    def _duty(self) -> Post | None:
        post = None if self.exposed else super()._duty()
        if post is None or not self.wants("spoil"):
            return post
        self.lied = True
        return Post(post.kind, spoiled(post.body, self.dice))

    def offer(self, raw: bytes, seat: int) -> None:
        """Log an entry; or log one that must be refused; or alter one on the way."""
        if self.wants("alter"):
            self.lied = True
            self._expose(spoiled([raw], self.dice)[0])
            return
        try:
            super().offer(raw, seat)
        except Refused:
            if not self.wants("accept"):
                raise
            self.lied = True
            self._expose(raw)

    def _post(self, post: Post) -> None:
        if not self.lied:
            super()._post(post)
            return
        entry = decode_entry(self._sign(post))
        try:
            self._append(entry, apply(self.match, entry))
        except Refused:
            self._expose(entry.raw)

    def _expose(self, raw: bytes) -> None:
        self.exposed = True
        self._append(decode_entry(raw), self.match)


def spoiled(body: list[Any], dice: Random) -> list[Any]:
    """Return the body with one value changed."""
    changed = [*body]
    if not changed:
        return [0]
    place = dice.randrange(len(changed))
    changed[place] = _other(changed[place], dice)
    return changed


def _other(value: Any, dice: Random) -> Any:
    match value:
        case bytes() if value:
            at = dice.randrange(len(value))
            return value[:at] + bytes([value[at] ^ 1 << dice.randrange(8)]) + value[at + 1 :]
        case int():
            return value + dice.choice((-1, 1)) if value else 1
        case list() | tuple() if value:
            return dice.choice((value[:-1], spoiled(list(value), dice), spoiled(list(value), dice)))
        case str():
            return dice.choice(
                ("pass", "fold", "check", "call", "all-in", "show", "muck", "stand", *SCRIPTED)
            )
        case None:
            return b""
    return None
