"""Decks of owned cards and of proxies for tests: who brings what, and their programs."""

from collections.abc import Iterable
from random import Random

from protocol.games import Action, Bound
from protocol.games.decks import Face, Mode, Owned, Proxy
from protocol.games.decks.match_decks import (Decks, Phase, Terms, apply, begin)
from protocol.games.decks.ownership import KnowsNothing
from protocol.games.decks.own_deck import OwnDeck
from protocol.ledger.records import Record
from protocol.ledger.view import view
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, free, traded

BOUND = Bound(b"\x11" * 32, (ANN.public, BOB.public))
PROXIES: tuple[Face, ...] = tuple(
    {"name": f"Card {number}", "strength": number} for number in range(6)
)
SIZE = 4


def allows(faces: tuple[Face, ...]) -> bool:
    """A deck has four cards."""
    return len(faces) == SIZE


def terms(mode: Mode = Mode.CLOSING, *, owned: bool = False) -> Terms:
    """What a match says of decks."""
    return Terms(mode, allows, None if owned else PROXIES)


def cards_of(owner: int, count: int = SIZE) -> list[tuple[Owned, list[Record]]]:
    """Cards that the maker has given to a seat of `BOUND`, each with its records."""
    found = []
    for number in range(count):
        copy = card(100 * owner + number)
        given = traded(MAKER, (ANN, BOB)[owner], free(view([TYPE, copy]), copy))
        found.append((Owned(copy.raw, (TYPE.raw,), given.raw), [TYPE, copy, given]))
    return found


def own_decks(*, owned: bool = False, count: int = SIZE) -> list[OwnDeck]:
    """The programs' halves of both seats."""
    return [
        OwnDeck(
            BOUND,
            seat,
            Random(seat),
            tuple(one for one, _ in cards_of(seat, count))
            if owned
            else tuple(map(Proxy, range(count))),
            KnowsNothing(),
        )
        for seat in (0, 1)
    ]


def run(decks: Decks, own: Iterable[OwnDeck], said: Terms, until: Phase) -> Decks:
    """All steps that programs owe, until this phase, which must come."""
    while decks.phase is not until:
        steps = [
            (seat, action)
            for seat, half in enumerate(own)
            if (action := half.respond(decks, said)) is not None
        ]
        seat, action = steps[0]
        decks = apply(decks, seat, action, said)
    return decks


def brought(own: list[OwnDeck], said: Terms) -> Decks:
    """Decks that everybody has brought, and the game may begin."""
    return run(begin(BOUND), own, said, Phase.PLAY)


def step(own: OwnDeck, decks: Decks, said: Terms) -> Action:
    """The step that a seat owes. Raises `AssertionError` if it owes none."""
    action = own.respond(decks, said)
    assert action is not None
    return action
