"""Looks at loose cards by section 13.11.6 alone, compared with the program's steps."""

from random import Random

import pytest

from protocol.dealing import DealContext
from protocol.dealing.verified.loose_cards import required_steps
from protocol.dealing.verified.state import HideStep, ShareRequest, VerifiedState
from protocol.games.operations import EVERYBODY, LookAt, Pile

CARDS = 6


def steps_by_text(deal, present, looks, variables):
    """Return the steps of 13.11.6 for `looks`: ("hide", card, seat), ("reveal", cards) or ("ask",
    seat, cards).
    """
    cards, seats = looks
    face, readers, given = variables
    at = {
        card: [
            seat for seat in sorted(present) if seat in seats and seat not in readers.get(card, ())
        ]
        for card in cards
        if card not in face
    }
    # (a)
    revealed = [card for card in at if at[card] and {*readers.get(card, ()), *at[card]} >= deal]
    steps = [("reveal", tuple(revealed))] if revealed else []
    # (b), (c)
    for seat in sorted(present):
        own = [card for card in at if seat in at[card] and card not in revealed]
        for card in own:
            if seat in given.get(card, ()) or min(at[card]) < seat:
                steps.append(("hide", card, seat))
        if own:
            steps.append(("ask", seat, tuple(own)))
    return steps


def plain(step):
    match step:
        case HideStep((card,), (seat,)):
            return ("hide", card, seat)
        case ShareRequest(cards, receiver) if receiver == EVERYBODY:
            return ("reveal", cards)
        case ShareRequest(cards, receiver):
            return ("ask", receiver, cards)


@pytest.mark.parametrize("seed", range(60))
def test_look_takes_the_steps_of_the_text(seed):
    rng = Random(seed)
    seats = rng.randint(2, 4)
    piles = (Pile(CARDS, loose=True),)
    keys = tuple(bytes([seat]) * 32 for seat in range(seats))
    everybody = tuple(range(seats))
    context = DealContext(b"match", 0, b"t" * 32, keys, keys, everybody, piles, {})
    gone = frozenset(rng.sample(everybody, rng.randint(0, seats - 2)))
    readers, given = (
        {card: frozenset(rng.sample(everybody, rng.randint(0, seats))) for card in range(CARDS)}
        for _ in range(2)
    )
    face = {card: card for card in range(CARDS) if rng.random() < 0.2}
    state = VerifiedState(
        context, 0, departed=gone, card_readers=readers, given_shares=given, shown=face
    )
    for _ in range(20):
        cards = tuple(rng.sample(range(CARDS), rng.randint(1, CARDS)))
        looking = tuple(rng.sample(everybody, rng.randint(1, seats)))
        present = set(everybody) - gone
        text = steps_by_text(set(everybody), present, (cards, looking), (face, readers, given))
        assert text == [plain(step) for step in required_steps(state, LookAt(cards, looking))]
