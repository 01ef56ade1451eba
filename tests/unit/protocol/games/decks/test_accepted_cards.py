"""Cards that the terms of a match accept: their notation, the judge, and the seat that is named."""

from dataclasses import replace
from itertools import combinations

import pytest

from protocol.codes import Code
from protocol.errors import ProtocolViolation
from protocol.games.decks import Mode, Owned
from protocol.games.decks.accepted_cards import ANY_CARDS, AcceptedCards, accepted_cards
from protocol.games.decks.accepted_lists import CREATORS, LIMITS, ValueLimit, parse_limit
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.match_decks import (
    DeckPhase,
    DeckTerms,
    MatchDecks,
    apply,
    new_decks,
    show,
)
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.loadout import loadout_problem
from protocol.identity.keys import fingerprint
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.limits import (
    MAX_ACCEPTED_CREATORS,
    MAX_ACCEPTED_EDITIONS,
    MAX_INT,
    MAX_NAME,
    MAX_OPTIONS,
    MAX_VALUE_LIMITS,
)
from protocol.options import BadOptions, Values
from tests.support.decks import BOUND, allows, own_decks, run, step, terms
from tests.support.ledger import ANN, BOB, CAROL, MAKER, card

MINE, OTHER = sorted(fingerprint(one.public) for one in (MAKER, CAROL))


def kind(values: tuple[tuple[str, int | str], ...], edition: str = "First") -> LedgerRecord:
    """Make a card type."""
    return sign_record(
        CardType(MAKER.public, None, 0, None, "Newt", edition, None, values, True, ""), MAKER
    )


def owned(values: tuple[tuple[str, int | str], ...], edition: str = "First") -> Owned:
    """Make a card that its creator plays."""
    made = kind(values, edition)
    return Owned(card(1, made).raw, (made.raw,))


def game(**values: int | str) -> ScriptGame:
    """Make a game with these options; `creator_01` stands for `creator-01`."""
    given: Values = {
        "cards": "owned",
        **{name.replace("_", "-"): value for name, value in values.items()},
    }
    made = BUILT_IN.spec("element-duel").create(2, given)
    assert isinstance(made, ScriptGame)
    return made


def wrong(**values: int | str) -> str:
    """Return the key of the error for these options."""
    with pytest.raises(BadOptions) as caught:
        game(**values)
    return caught.value.reason.key


def test_match_without_lists_accepts_every_card() -> None:
    assert game().accepted == ANY_CARDS
    assert ANY_CARDS.objection(owned((("strength", 99),))) is None


def test_lists_of_terms_are_read_and_belong_to_no_rule_file() -> None:
    made = game(creator_01=MINE, creator_02=OTHER, edition_01="First", limit_01="strength<=9")
    assert made.accepted == AcceptedCards(
        (MINE, OTHER), ("First",), (ValueLimit("strength", True, 9),)
    )
    assert [name for name, _ in made.options] == ["early", "together"]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"creator_01": "x"}, "unfit.form"),
        ({"creator_01": MINE.upper()}, "unfit.form"),
        ({"creator_01": 7}, "unfit.form"),
        ({"creator_02": MINE}, "unfit.list.order"),
        ({"creator_01": OTHER, "creator_02": MINE}, "unfit.list.order"),
        ({"creator_01": MINE, "creator_02": MINE}, "unfit.list.order"),
        ({"creator_1": MINE}, "unfit.unknown"),
        ({f"creator_{MAX_ACCEPTED_CREATORS + 1}": MINE}, "unfit.unknown"),
        ({"edition_01": "a\u202eb"}, "unfit.form"),
        ({"edition_01": "x" * 41}, "unfit.form"),
        ({"limit_01": "strength<9"}, "unfit.form"),
        ({"limit_01": "strength<=09"}, "unfit.form"),
        ({"limit_01": "strength<=-1"}, "unfit.form"),
        ({"limit_01": f"strength<={MAX_INT + 1}"}, "unfit.form"),
        ({"limit_01": "<=9"}, "unfit.form"),
        ({"limit_01": "strength<=9\n"}, "unfit.form"),
        ({"limit_01": "strength<=\u0669"}, "unfit.form"),
        ({"limit_01": "strength<=3", "limit_02": "strength<=9"}, "unfit.limit.twice"),
        ({"limit_01": "strength<=3", "limit_02": "strength>=9"}, "unfit.limit.empty"),
        ({"cards": "proxies", "creator_01": MINE}, "unfit.alone"),
    ],
)
def test_list_has_one_notation(values: dict[str, int | str], key: str) -> None:
    assert wrong(**values) == key


def test_game_with_a_shared_pack_has_no_lists() -> None:
    with pytest.raises(BadOptions):
        BUILT_IN.spec("crazy-eights").create(2, {"creator-01": MINE})


def test_earlier_edition_has_no_lists() -> None:
    (older,) = BUILT_IN.spec("element-duel").older
    assert older.create(2, {"cards": "owned"})
    with pytest.raises(BadOptions):
        older.create(2, {"cards": "owned", "creator-01": MINE})


def test_all_lists_fit_the_options_of_a_game() -> None:
    spec = BUILT_IN.spec("element-duel")
    most = MAX_ACCEPTED_CREATORS + MAX_ACCEPTED_EDITIONS + MAX_VALUE_LIMITS
    assert len(spec.options) + most <= MAX_OPTIONS
    assert all(len(name) <= MAX_NAME for one in spec.lists for name in one.names)


def test_notation_sorts_texts_and_refuses_too_many() -> None:
    assert CREATORS.notation([OTHER, MINE, MINE]) == (("creator-01", MINE), ("creator-02", OTHER))
    with pytest.raises(BadOptions):
        LIMITS.notation([f"v{number}<=1" for number in range(MAX_VALUE_LIMITS + 1)])


def test_card_by_another_creator_is_not_accepted() -> None:
    newt = owned(())
    by_maker = AcceptedCards((fingerprint(MAKER.public),))
    assert by_maker.objection(newt) is None
    refused = AcceptedCards((fingerprint(CAROL.public),)).objection(newt)
    assert refused is not None and refused.key == "deck.misfit.creator"
    assert dict(refused.args)["card"] == "Newt"


def test_card_of_another_edition_is_not_accepted() -> None:
    assert AcceptedCards(editions=("First", "Second")).objection(owned((), "Second")) is None
    assert AcceptedCards(editions=("First",)).objection(owned((), "Second")) is not None
    assert AcceptedCards(editions=("First",)).objection(owned((), "")) is not None


@pytest.mark.parametrize(
    ("values", "fits"),
    [
        ((("strength", 9),), True),
        ((("strength", 10),), False),
        ((), True),
        ((("Strength", 99),), True),
        ((("strength", "3"),), False),
        ((("strength", 0),), True),
    ],
)
def test_limit_holds_for_numbers_and_for_missing_values(
    values: tuple[tuple[str, int | str], ...], fits: bool
) -> None:
    limit = parse_limit("strength<=9")
    assert limit is not None
    assert (AcceptedCards(limits=(limit,)).objection(owned(values)) is None) is fits


def test_limit_that_no_card_meets_accepts_no_card_with_the_value() -> None:
    accepted = accepted_cards({"limit-01": f"strength>={MAX_INT}"})
    assert accepted.objection(owned((("strength", 99),))) is not None


def test_all_lists_must_be_fulfilled() -> None:
    newt = owned((("strength", 3),), "First")
    fits = ((fingerprint(MAKER.public),), ("First",), (ValueLimit("strength", True, 3),))
    misfits = ((fingerprint(ANN.public),), ("Second",), (ValueLimit("strength", True, 2),))
    for count in range(4):
        for changed in combinations(range(3), count):
            lists = [misfits[one] if one in changed else fits[one] for one in range(3)]
            accepted = AcceptedCards(*lists)  # type: ignore[arg-type]
            assert (accepted.objection(newt) is None) is (not changed)


NO_SALAMANDER = AcceptedCards(limits=(ValueLimit("fire", True, 2),))


def accepting(mode: Mode, accepted: AcceptedCards) -> DeckTerms:
    """Make the terms about decks with these conditions."""
    return DeckTerms(mode, allows, accepted=accepted)


def first_opening(mode: Mode, accepted: AcceptedCards) -> MatchDecks:
    """Let both seats bring decks of salamanders, and open the first slot."""
    said, own = accepting(mode, accepted), own_decks(owned=True)
    until = DeckPhase.SHOW if mode is Mode.OPEN else DeckPhase.PLAY
    decks = run(new_decks(BOUND), own, said, until)
    if mode is Mode.OPEN:
        return apply(decks, 0, step(own[0], decks, said), said)
    return show(decks, 0, own[0].show(decks, [0]), said)


@pytest.mark.parametrize("mode", Mode)
def test_seat_is_named_when_a_card_outside_terms_shows(mode: Mode) -> None:
    assert first_opening(mode, ANY_CARDS).opened
    assert first_opening(mode, AcceptedCards((fingerprint(MAKER.public),), ("First",))).opened
    with pytest.raises(ProtocolViolation) as caught:
        first_opening(mode, NO_SALAMANDER)
    assert caught.value.code is Code.NOT_ACCEPTED


def test_foreign_card_outside_the_terms_is_named_as_not_owned() -> None:
    said = accepting(Mode.CLOSING, NO_SALAMANDER)
    bound = replace(BOUND, identities=(BOB.public, ANN.public))
    own = own_decks(owned=True)
    decks = run(new_decks(BOUND), own, terms(owned=True), DeckPhase.PLAY)
    with pytest.raises(ProtocolViolation) as caught:
        show(replace(decks, bound=bound), 0, own[0].show(decks, [0]), said)
    assert caught.value.code is Code.NOT_OWNED


def test_chooser_names_the_card_and_the_rule_it_breaks() -> None:
    made = game(limit_01="strength<=2")
    refusal = loadout_problem(made, Loadout((owned((("element", "fire"), ("strength", 3))),)))
    assert refusal is not None and refusal.key == "deck.misfit.limit"
    assert dict(refusal.args) | {"card": "Newt", "limit": "strength<=2", "value": 3} == dict(
        refusal.args
    )
