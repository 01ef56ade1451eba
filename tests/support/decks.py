"""Decks of owned cards and of proxies for tests, with the programs of their owners."""

from collections.abc import Iterable
from random import Random

from protocol.games import Action, MatchBinding
from protocol.games.decks import Face, Mode, Owned, ProxyCard
from protocol.games.decks.match_decks import DeckPhase, DeckTerms, MatchDecks, apply, new_decks
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.decks.ownership import NoOwnership
from protocol.ledger.records import LedgerRecord
from protocol.ledger.view import evaluate
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, free, traded

BOUND = MatchBinding(b"\x11" * 32, (ANN.public, BOB.public))
PROXIES: tuple[Face, ...] = tuple(
    {"name": f"Card {number}", "strength": number} for number in range(6)
)
SIZE = 4


def allows(faces: tuple[Face, ...]) -> bool:
    """Check the deck rule of these tests: four cards."""
    return len(faces) == SIZE


def terms(mode: Mode = Mode.CLOSING, *, owned: bool = False) -> DeckTerms:
    """Make the terms about decks."""
    return DeckTerms(mode, allows, None if owned else PROXIES)


def cards_of(owner: int, count: int = SIZE) -> list[tuple[Owned, list[LedgerRecord]]]:
    """Make cards that the creator has given to a seat of `BOUND`, each with its records."""
    found = []
    for number in range(count):
        copy = card(100 * owner + number)
        given = traded(MAKER, (ANN, BOB)[owner], free(evaluate([TYPE, copy]), copy))
        found.append((Owned(copy.raw, (TYPE.raw,), (given.raw,)), [TYPE, copy, given]))
    return found


def own_decks(*, owned: bool = False, count: int = SIZE) -> list[OwnDeck]:
    """Make the private halves of both seats."""
    return [
        OwnDeck(
            BOUND,
            seat,
            Random(seat),
            tuple(one for one, _ in cards_of(seat, count))
            if owned
            else tuple(map(ProxyCard, range(count))),
            NoOwnership(),
        )
        for seat in (0, 1)
    ]


def run(decks: MatchDecks, own: Iterable[OwnDeck], said: DeckTerms, until: DeckPhase) -> MatchDecks:
    """Run all steps that programs owe until the phase `until`, which must come."""
    while decks.phase is not until:
        steps = [
            (seat, action)
            for seat, half in enumerate(own)
            if (action := half.respond(decks, said)) is not None
        ]
        seat, action = steps[0]
        decks = apply(decks, seat, action, said)
    return decks


def brought(own: list[OwnDeck], said: DeckTerms) -> MatchDecks:
    """Run until all decks are brought and the game may begin."""
    return run(new_decks(BOUND), own, said, DeckPhase.PLAY)


def step(own: OwnDeck, decks: MatchDecks, said: DeckTerms) -> Action:
    """Return the step that a seat owes. Raises: AssertionError if it owes none."""
    action = own.respond(decks, said)
    assert action is not None
    return action
