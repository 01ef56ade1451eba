"""Two people without a table, each with a data folder. Matches are played by parcels, and every
turn reads all data from disk.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from bots.random_bot import random_bot
from player.client import events
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.seat import Seat
from player.direct.direct_match import DirectMatch
from player.direct.saved_match import SavedMatch, SavedState, new_saved, read_saved
from protocol.games import Action
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity
from protocol.match.setup import Person
from protocol.match.terms import Terms, make_terms
from protocol.messages.parcel import EntriesParcel, Invitation, decode_parcel, encode_parcel, invite
from protocol.options import Selection
from protocol.view.view import View

OPTIONS = {
    "block-dominoes": (("target", 1),),
    "draw-dominoes": (("target", 1),),
    "five-card-draw": (("hands", 1),),
    "texas-holdem": (("hands", 1),),
}
GAMES = ("draw-dominoes", "five-card-draw", "texas-holdem")
DEALINGS = ("commutative", "verified")


def terms_for(game: str, dealing: str, games: Games = BUILT_IN) -> Terms:
    return make_terms(Selection(game, OPTIONS.get(game, ())), Selection(dealing), (), 2, games)


def chosen_by_hand(view: View, _: Random) -> Action:
    """Choose the same action for the same hand, as a person would again after a crash."""
    return random_bot(view, Random(f"{view.you} {view.hand} {view.offers}"))


class Side:
    """One person. Every `open` reads all data from disk, as a new run of the program does."""

    def __init__(self, folder: Path, name: str, seed: int, seat_type: type[Seat] = Seat) -> None:
        self.rng = Random(seed)
        self.identity = Identity(self.rng.randbytes(32))
        self.person = Person(name, self.identity.public)
        self.folder, self.seat_type = folder, seat_type
        self.told: list[events.Event] = []
        self.nonce = b""
        self.games = BUILT_IN

    def invite(self, terms: Terms) -> Invitation:
        made = invite(
            self.identity,
            self.person.name,
            terms,
            self.rng.randbytes(32),
            1_700_000_000,
            self.games,
        )
        self.accept(made)
        return made

    def accept(self, invitation: Invitation) -> None:
        self.nonce = invitation.nonce
        saved = new_saved(
            self.folder,
            invitation,
            self.person,
            "them@example.org",
            "me@example.org",
            SavedState.INVITED,
        )
        replace(saved, log=Path("log.fairdeal")).opened(self.person, self.rng)

    @property
    def saved(self) -> SavedMatch:
        saved = read_saved(self.folder, self.nonce, self.games)
        assert saved is not None
        return saved

    def open(self) -> DirectMatch:
        environment = Environment(
            self.identity,
            self.rng,
            self.seat_type,
            chosen_by_hand,
            self.told.append,
            games=self.games,
        )
        return DirectMatch(self.saved, environment)

    def turn(self, *parcels: EntriesParcel | None) -> EntriesParcel | None:
        """Run the program once: read these parcels, and end. Return the parcel that the other side
        may lack.
        """
        match = self.open()
        try:
            for parcel in parcels:
                if parcel is not None:
                    match.take(over_the_wire(parcel))
            match.post()
            return match.give()
        finally:
            match.close()

    def outcome(self) -> Outcome:
        """Return the outcome that a new run of the program would print."""
        match = self.open()
        match.close()
        return match.outcome(match.stopped)

    def log(self) -> bytes:
        return self.saved.log_path.read_bytes()


def over_the_wire(parcel: EntriesParcel) -> EntriesParcel:
    decoded = decode_parcel(encode_parcel(parcel))
    assert isinstance(decoded, EntriesParcel)
    return decoded


def two(
    tmp_path: Path,
    game: str,
    dealing: str,
    seed: int = 1,
    types: dict[int, type[Seat]] | None = None,
    games: Games = BUILT_IN,
) -> tuple[Side, Side]:
    """Make Ann, who invites, and Bob, who has accepted."""
    types = types or {}
    ann = Side(tmp_path / "ann", "Ann", 2 * seed, types.get(0, Seat))
    bob = Side(tmp_path / "bob", "Bob", 2 * seed + 1, types.get(1, Seat))
    ann.games = bob.games = games
    bob.accept(ann.invite(terms_for(game, dealing, games)))
    return ann, bob


def play(
    ann: Side, bob: Side, between: Callable[[Side, Side, EntriesParcel], None] = lambda *_: None
) -> list[EntriesParcel]:
    """Play a match, and return all parcels in order. `between` is called for each parcel before it
    is read: (reader, writer, parcel).
    """
    sent: list[EntriesParcel] = []
    reader, writer = ann, bob
    parcel = bob.turn()
    while parcel is not None:
        sent.append(parcel)
        between(reader, writer, parcel)
        answer = reader.turn(parcel)
        parcel, reader, writer = answer, writer, reader
    return sent
