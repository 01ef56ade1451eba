"""Cost of a poker hand by e-mail: five-card draw, two seats. Nobody raises, each seat exchanges
three cards and shows its hand.

For both dealings: number of mails with the invitation, bytes of mails and of the parcels in them,
entries, and multiplications of points by both players. Each dealing is measured twice. First each
player keeps its program running. Then a new program reads every mail, as `fairdeal mail` does, and
checks the whole log again. A wrapper around the library counts all multiplications.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, cast

from player.client.environment import Environment
from player.client.seat import Seat
from player.direct.direct_match import DirectMatch
from player.direct.saved_match import SavedMatch, SavedState, new_saved
from player.mail.letter import Heading, number_of, write_letter
from player.mail.mail_text import invitation as invitation_text
from player.mail.mail_text import letter as letter_text
from player.mail.match_narration import MatchNarration
from player.storage.contacts import Contact
from protocol.crypto.primitives import ristretto255
from protocol.games import Action
from protocol.identity.keys import Identity
from protocol.match.setup import Person
from protocol.match.terms import make_terms
from protocol.messages.parcel import Invitation, Parcel, encode_parcel, invite
from protocol.options import Selection
from protocol.view.view import View

MULTIPLICATIONS = ("multiply", "times_base")
ADDRESSES = ("ann@example.org", "bob@example.org")


class _Counting:
    """Wrapper around the library that counts calls."""

    def __init__(self, library: Any, count: Counter[str]) -> None:
        self._library = library
        self._count = count

    def __getattr__(self, name: str) -> Any:
        self._count["multiplications"] += name in MULTIPLICATIONS
        return getattr(self._library, name)


@contextmanager
def _counted(count: Counter[str]) -> Iterator[None]:
    library = ristretto255.backend
    ristretto255.backend = cast(Any, _Counting(library, count))
    try:
        yield
    finally:
        ristretto255.backend = library


def _quiet(view: View, rng: Random) -> Action:
    """Choose an action: check, exchange the first three cards, show."""
    actions = (action for offer in view.offers for action in offer.actions())
    return next(
        action
        for action in actions
        if action[0] in ("call", "show") or action == ("exchange", 0, 1, 2)
    )


def hand(dealing: str, anew: bool) -> Counter[str]:
    """Play a hand, and return its figures. With `anew`, a new program reads each mail."""
    rng = Random(1)
    count = Counter[str]()
    people = [Identity(rng.randbytes(32)) for _ in ADDRESSES]
    terms = make_terms(Selection("five-card-draw", (("hands", 1),)), Selection(dealing), (), 2)
    offer = invite(people[0], "Ann", terms, rng.randbytes(32), 1_700_000_000)
    _letter(count, 0, offer, "0", "", invitation_text(offer))
    nobody: dict[str, Contact] = {}
    with tempfile.TemporaryDirectory() as folder, _counted(count):
        saved_matches = []
        for name, identity in zip(("Ann", "Bob"), people, strict=True):
            person = Person(name, identity.public)
            saved = new_saved(Path(folder) / name, offer, person, "", "", SavedState.INVITED)
            saved_matches.append(saved.opened(person, rng))
        stories = [MatchNarration(nobody), MatchNarration(nobody)]
        matches = [_open(*each, rng) for each in zip(saved_matches, people, stories, strict=True)]
        parcel = None
        seat = 1
        while True:
            if anew:
                matches[seat].close()
                stories[seat] = MatchNarration(nobody)
                matches[seat] = _open(saved_matches[seat], people[seat], stories[seat], rng)
            match = matches[seat]
            if parcel is not None:
                match.take(parcel)
            match.post()
            parcel = match.give()
            if parcel is None:
                break
            heard = match.heard()
            text = letter_text(match, stories[seat].since(parcel.first))
            _letter(
                count, seat, parcel, number_of(parcel), number_of(heard) if heard else "0", text
            )
            seat = 1 - seat
        assert not matches[0].faults and matches[0].over and matches[1].over
        count["entries"] = matches[0].number
        for match in matches:
            match.close()
    return count


def _open(saved: SavedMatch, identity: Identity, story: MatchNarration, rng: Random) -> DirectMatch:
    return DirectMatch(saved, Environment(identity, rng, Seat, _quiet, story.tell))


def _letter(
    count: Counter[str], seat: int, parcel: Parcel, number: str, answers: str, text: list[str]
) -> None:
    subject = f"{'Re: ' if answers else ''}fairdeal: five-card-draw (12345678)"
    heading = Heading(
        ADDRESSES[seat], ADDRESSES[1 - seat], subject, "12" * 16, number, answers, 1.7e9
    )
    count["letters"] += 1
    count["mail bytes"] += len(write_letter(heading, text, parcel))
    count["parcel bytes"] += len(encode_parcel(parcel))
    count["largest mail"] = max(count["largest mail"], len(write_letter(heading, text, parcel)))
    count["invitations"] += isinstance(parcel, Invitation)


def measure() -> dict[str, float]:
    """Return all figures, by dealing."""
    found: dict[str, float] = {}
    for dealing in ("commutative", "verified"):
        count = hand(dealing, anew=False)
        for name in (
            "letters",
            "mail bytes",
            "largest mail",
            "parcel bytes",
            "entries",
            "multiplications",
        ):
            found[f"letter_{dealing}_{name.replace(' ', '_')}"] = count[name]
        found[f"letter_{dealing}_multiplications_anew"] = hand(dealing, anew=True)[
            "multiplications"
        ]
    return found


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:45} {value:,.0f}")
