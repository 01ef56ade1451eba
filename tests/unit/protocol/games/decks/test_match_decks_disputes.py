"""Disputes: a seat that plays a card it gave away is named; a seat accused with half the truth, or
for others, is not.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import ProtocolViolation, Refused
from protocol.games.decks import Mode, Owned
from protocol.games.decks.evidence import gave_away
from protocol.games.decks.match_decks import DeckTerms, MatchDecks, apply, forfeit, show
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.decks.owned_card import card_fault
from protocol.games.decks.ownership import NoOwnership
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.view import evaluate
from protocol.limits import MAX_DISPUTE, MAX_DISPUTE_RECORDS
from tests.support.decks import BOUND, brought, cards_of, own_decks
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    card,
    free,
    slot_of,
    traded,
    waive,
)

SAID = DeckTerms(Mode.CLOSING, lambda faces: True)
CARD, BEHIND = cards_of(0)[0]


def _shown() -> MatchDecks:
    """Return decks in which Ann has shown `CARD`."""
    own = own_decks(owned=True)
    decks = brought(own, SAID)
    piece = next(piece for piece, one in own[0].openings(decks).items() if one.card == CARD)
    return show(decks, 0, own[0].show(decks, [piece]), SAID)


def _dispute(records: Iterable[LedgerRecord], decks: MatchDecks | None = None) -> MatchDecks:
    """Let Bob dispute the card that Ann has shown."""
    decks = decks or _shown()
    return apply(decks, 1, ("dispute", decks.opened[0].piece, *(one.raw for one in records)), SAID)


def _answered(decks: MatchDecks, records: Iterable[LedgerRecord] = ()) -> MatchDecks:
    return apply(decks, 0, ("answer", *(one.raw for one in records)), SAID)


def _named(decks: MatchDecks, records: Iterable[LedgerRecord] = ()) -> None:
    with pytest.raises(ProtocolViolation) as caught:
        _answered(decks, records)
    assert caught.value.code is Code.NOT_OWNED


def _lacks(records: Iterable[LedgerRecord]) -> None:
    with pytest.raises(Refused) as caught:
        _dispute(records)
    assert caught.value.code is Code.LACKING


SOLD = traded(ANN, CAROL, free(evaluate(BEHIND), BEHIND[1]))


def test_player_of_a_sold_card_is_named() -> None:
    decks = _dispute([SOLD])
    assert decks.seats_due == (0,)
    _named(decks)
    _named(decks, BEHIND)


def test_giver_to_two_people_is_named_in_every_knowledge() -> None:
    other = traded(ANN, DAN, free(evaluate(BEHIND), BEHIND[1]))
    decks = _dispute([SOLD, other])
    _named(decks)
    _named(decks, BEHIND)


def test_creator_playing_a_sold_card_is_named() -> None:
    own = own_decks(owned=True)
    assert isinstance(own[0].cards[0], Owned)
    issued = BEHIND[2]
    assert isinstance(issued.content, Trade)
    without = Owned(CARD.instance, CARD.types)
    assert gave_away(without, MAKER.public, (issued,)) and not gave_away(
        without, ANN.public, (issued,)
    )


def test_foreign_events_on_card_do_not_name_its_player() -> None:
    """The creator gave it to Ann and to Eve: an alarm burns the card, and says nothing against
    Ann.
    """
    issued = traded(MAKER, EVE, [slot_of(BEHIND[1].id)])
    _lacks([issued])
    _lacks([issued, *BEHIND])
    _lacks([])


def test_trade_of_other_card_or_place_proves_nothing() -> None:
    other = cards_of(0)[1][1]
    _lacks([traded(ANN, CAROL, free(evaluate(other), other[1]))])
    _lacks([traded(ANN, CAROL, [replace(slot_of(BEHIND[1].id, SOLD.id), index=2)])])
    _lacks([traded(EVE, CAROL, free(evaluate(BEHIND), BEHIND[1]))])


def test_waive_holder_is_not_framed_by_trade_partner() -> None:
    """Carol had waived the trade and signs it during the match: only her waive is broken."""
    decks = _dispute([SOLD])
    after = _answered(decks, [waive(SOLD, CAROL)])
    assert after.dispute is None and after.seats_due == ()
    with pytest.raises(Refused):  # each seat disputes a card once
        _dispute([SOLD], after)


REFUSED = waive(SOLD, CAROL)
AGAIN = traded(ANN, DAN, free(evaluate([*BEHIND, REFUSED]), BEHIND[1]), waives=[REFUSED])


@pytest.mark.parametrize("shown", [[SOLD, AGAIN], [AGAIN, SOLD], [SOLD], [AGAIN]])
def test_every_waived_trade_is_answered_by_one_waive(shown) -> None:
    """After Carol's waive Ann gave the card to Dan, who has waived as well; both finish later."""
    frees = {SOLD: REFUSED, AGAIN: waive(AGAIN, DAN)}
    decks = _dispute(shown)
    assert _answered(decks, [frees[shown[0]]]).dispute is None
    with pytest.raises(ProtocolViolation):
        _answered(decks)


def test_sale_after_a_waive_is_a_sale() -> None:
    _named(_dispute([AGAIN]), [REFUSED])
    _named(_dispute([AGAIN, REFUSED, SOLD]), [REFUSED])


def test_conflict_is_proof_whatever_is_waived() -> None:
    """Ann gave the card to Dan and did not list Carol's waive."""
    other = traded(ANN, DAN, free(evaluate(BEHIND), BEHIND[1]))
    _named(_dispute([SOLD, other]), [REFUSED, waive(other, DAN)])


def test_padded_dispute_leaves_room_for_its_answer() -> None:
    """A dispute and its answer have bounds of their own."""
    most = MAX_DISPUTE - len(SOLD.raw)
    padding = [card(number) for number in range(most // len(card(1000).raw) - 1)]
    assert sum(len(one.raw) for one in padding) > MAX_DISPUTE * 9 // 10
    answer = [REFUSED, *padding[:-1]]
    assert _answered(_dispute([SOLD, *padding[: MAX_DISPUTE_RECORDS - 1]]), answer).dispute is None
    with pytest.raises(Refused):
        _dispute([SOLD, *padding, *padding[:9]])


def test_each_seat_has_a_dispute_of_its_own() -> None:
    """A friend of the accused cannot use up the dispute of another seat."""
    after = _answered(_dispute([SOLD]), [REFUSED])
    assert after.disputed == {(1, after.opened[0].piece)}


def test_void_swap_for_other_card_is_no_gift() -> None:
    """Carol gave Ann a card that she had given to Eve before: Ann keeps her own card, and plays
    it.
    """
    theirs = card(900)
    came = traded(MAKER, CAROL, free(evaluate([*BEHIND, theirs]), theirs))
    known = [*BEHIND, theirs, came]
    swap = traded(ANN, CAROL, free(evaluate(known), BEHIND[1]), free(evaluate(known), theirs))
    twice = traded(CAROL, EVE, free(evaluate(known), theirs))
    decks = _dispute([swap, theirs, came])
    assert _answered(decks, [twice]).dispute is None
    _named(decks)


def _shown_as(card: Owned) -> MatchDecks:
    """Return decks in which Ann has shown this card."""
    own = own_decks(owned=True)
    own[0] = OwnDeck(BOUND, 0, Random(5), (card,), NoOwnership())
    decks = brought(own, SAID)
    return show(decks, 0, own[0].show(decks, [0]), SAID)


@pytest.mark.parametrize("by", [ANN, MAKER, EVE])
def test_waive_of_shown_trade_names_its_signer_alone(by) -> None:
    """Ann denies the trade by which she has the card, or somebody else does."""
    denial = [waive(BEHIND[2], by)]
    if by is ANN:
        _named(_dispute(denial))
        _named(_dispute(denial), BEHIND)
    else:
        _lacks(denial)


OTHER = card(901)
OTHERS = traded(MAKER, CAROL, free(evaluate([*BEHIND, OTHER]), OTHER))
CAROLS = [*BEHIND, OTHER, OTHERS]
SWAPPED = traded(ANN, CAROL, free(evaluate(CAROLS), BEHIND[1]), free(evaluate(CAROLS), OTHER))
BY_SWAP = Owned(OTHER.raw, CARD.types, (OTHERS.raw, SWAPPED.raw))


def test_price_of_a_swap_given_twice_names_the_giver() -> None:
    """Ann plays what she got for a card that she gave to Dan as well."""
    twice = traded(ANN, DAN, free(evaluate(BEHIND), BEHIND[1]))
    assert card_fault(BY_SWAP, ANN.public) is None
    _named(_dispute([twice], _shown_as(BY_SWAP)), [waive(twice, DAN)])


def test_swap_price_given_twice_by_other_names_nobody() -> None:
    twice = traded(CAROL, DAN, free(evaluate(CAROLS), OTHER))
    with pytest.raises(Refused) as caught:
        _dispute([twice], _shown_as(BY_SWAP))
    assert caught.value.code is Code.LACKING


def test_card_given_twice_before_it_came_back_names_the_giver() -> None:
    back = traded(CAROL, ANN, free(evaluate([*BEHIND, SOLD]), BEHIND[1]))
    again = Owned(CARD.instance, CARD.types, (*CARD.trades, SOLD.raw, back.raw))
    twice = traded(ANN, DAN, free(evaluate(BEHIND), BEHIND[1]))
    assert card_fault(again, ANN.public) is None
    _named(_dispute([twice], _shown_as(again)))


def test_accused_leaver_owes_nothing_and_game_continues() -> None:
    assert forfeit(_dispute([SOLD]), 0, SAID).dispute is None


def test_dispute_is_refused_for_hidden_or_own_cards() -> None:
    decks = _shown()
    piece = decks.opened[0].piece
    for seat, other in ((0, piece), (1, decks.unopened(0)[0]), (1, 10**6)):
        with pytest.raises(Refused):
            apply(decks, seat, ("dispute", other, SOLD.raw), SAID)
    disputed = _dispute([SOLD])
    with pytest.raises(Refused):
        apply(disputed, 1, ("dispute", piece, SOLD.raw), SAID)
    with pytest.raises(Refused):
        apply(disputed, 1, ("answer",), SAID)


def test_invalid_record_is_refused_in_dispute_and_defence() -> None:
    with pytest.raises(Refused) as caught:
        apply(_shown(), 1, ("dispute", _shown().opened[0].piece, b"\xc0"), SAID)
    assert caught.value.code is Code.BAD_ACTION
    with pytest.raises(Refused):
        apply(_dispute([SOLD]), 0, ("answer", b"\xc0"), SAID)


def test_sample_cards_of_seats_are_as_documented() -> None:
    assert evaluate(BEHIND).holding(BEHIND[1].id).owner == ANN.public != BOB.public  # type: ignore[union-attr]
