"""Fuzz targets: openings of slots, and steps of decks at each of their moments."""

from functools import cache

from protocol import wire
from protocol.games.decks import Mode
from protocol.games.decks.deck_hand import Loadout, loadout_bytes, read_loadout
from protocol.games.decks.match_decks import ACTIONS, MatchDecks, apply, close, new_decks, parse
from protocol.games.decks.ownership import NoOwnership
from protocol.games.decks.slot_commitments import opening_bytes, read_opening
from tests.support.decks import BOUND, brought, own_decks, step, terms

LAST_TRADE_FIELDS = 3  # fields of an owned card in edition 3: instance, types, last trade
_SAID = terms(Mode.CLOSING, owned=True)


def opening(data: bytes) -> None:
    """Check that an accepted opening has one encoding."""
    assert opening_bytes(read_opening(data)) == data


def opening_seeds() -> list[bytes]:
    """Return a proxy's opening and an owned card's."""
    found = []
    for owned in (False, True):
        own = own_decks(owned=owned)
        decks = brought(own, terms(owned=owned))
        found.append(opening_bytes(own[0].openings(decks)[0]))
    return found


@cache
def _moments() -> tuple[MatchDecks, MatchDecks]:
    decks = brought(own_decks(owned=True), _SAID)
    return new_decks(BOUND), close(decks, _SAID)


def kept(data: bytes) -> None:
    """Check that an accepted deck file has one encoding, besides that of edition 3."""
    read = read_loadout(data, NoOwnership())
    again = loadout_bytes(read)
    old = any(type(one) is list and len(one) == LAST_TRADE_FIELDS for one in wire.decode(data)[0])
    assert again == data or old
    assert read_loadout(again, read.ownership) == read


def kept_seeds() -> list[bytes]:
    """Return a deck of either kind."""
    return [
        loadout_bytes(Loadout(own_decks(owned=owned)[0].cards, "RULES = {}"))
        for owned in (False, True)
    ]


def deck_step(data: bytes) -> None:
    """Give a deck a step of a seat that owes one: the first byte chooses the moment."""
    raw = wire.decode(data[1:])
    if type(raw) is list and raw and type(raw[0]) is str and raw[0] in ACTIONS:
        apply(_moments()[data[0] % 2], 0, parse(raw), _SAID)


def deck_step_seeds() -> list[bytes]:
    """Return the honest steps."""
    own = own_decks(owned=True)[0]
    return [
        bytes([number]) + wire.encode(list(step(own, decks, _SAID)))
        for number, decks in enumerate(_moments())
    ]
