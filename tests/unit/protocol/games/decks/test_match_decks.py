"""Secret decks: each seat opens exactly what it committed to, and a seat that breaks this is
named.
"""

from dataclasses import replace
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import ProtocolViolation, Refused
from protocol.games.decks import Face, Mode, Owned, ProxyCard
from protocol.games.decks.match_decks import (
    DeckPhase,
    DeckTerms,
    MatchDecks,
    apply,
    close,
    face,
    forfeit,
    new_decks,
    parse,
    request_openings,
    show,
)
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.decks.ownership import NoOwnership
from protocol.games.decks.slot_commitments import opening_bytes, read_opening
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import sign_record
from protocol.ledger.view import evaluate
from tests.support.decks import BOUND, PROXIES, SIZE, brought, cards_of, own_decks, run, step, terms
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, free, traded


def _refused(
    code: Code, decks: MatchDecks, seat: int, action: tuple[object, ...], said: DeckTerms
) -> None:
    with pytest.raises(Refused) as caught:
        apply(decks, seat, action, said)
    assert caught.value.code is code


def _caught(
    code: Code, decks: MatchDecks, seat: int, openings: tuple[bytes, ...], said: DeckTerms
) -> None:
    with pytest.raises(ProtocolViolation) as caught:
        show(decks, seat, openings, said)
    assert caught.value.code is code


@pytest.mark.parametrize("owned", [False, True])
@pytest.mark.parametrize("mode", list(Mode))
def test_honest_programs_bring_and_open_decks_per_mode(mode: Mode, owned: bool) -> None:
    said, own = terms(mode, owned=owned), own_decks(owned=owned)
    decks = brought(own, said)
    assert decks.sizes == (SIZE, SIZE)
    assert len(decks.opened) == (2 * SIZE if mode is Mode.OPEN else 0)
    done = run(close(decks, said), own, said, DeckPhase.DONE)
    assert len(done.opened) == (0 if mode is Mode.HIDDEN else 2 * SIZE)
    assert done.seats_due == () and done.declined is None


def test_slot_shows_image_of_its_card() -> None:
    said, own = terms(), own_decks()
    decks = brought(own, said)
    for seat in (0, 1):
        for piece, wanted in zip(decks.pieces(seat), own[seat].faces(said), strict=True):
            shown = show(decks, seat, own[seat].show(decks, [piece]), said)
            assert face(shown, piece, said) == wanted
    mine = show(
        brought(own_decks(owned=True), terms(owned=True)),
        0,
        own_decks(owned=True)[0].show(brought(own_decks(owned=True), terms(owned=True)), [0]),
        terms(owned=True),
    )
    assert face(mine, 0, terms(owned=True)) == {"name": "Salamander", "fire": 3}


def test_slot_assignment_is_random_and_equal_cards_commit_differently() -> None:
    cards = tuple(ProxyCard(0) for _ in range(20))
    one = OwnDeck(BOUND, 0, Random(1), cards, NoOwnership())
    action = step(one, new_decks(BOUND), terms())
    assert len(set(action[2:])) == 20
    ordered = tuple(map(ProxyCard, range(6)))
    orders = {OwnDeck(BOUND, 0, Random(seed), ordered, NoOwnership()).cards for seed in range(10)}
    assert len(orders) > 5


def test_same_random_source_gives_same_commitments() -> None:
    first, again = (own_decks(owned=True)[0] for _ in range(2))
    assert step(first, new_decks(BOUND), terms(owned=True)) == step(
        again, new_decks(BOUND), terms(owned=True)
    )


def test_slot_opened_as_another_card_names_seat() -> None:
    said, own = terms(), own_decks()
    decks = brought(own, said)
    true = own[0].openings(decks)[0]
    for false in (
        replace(true, card=ProxyCard((true.card.number + 1) % len(PROXIES))),  # type: ignore[union-attr]
        replace(true, card=ProxyCard(10**6)),
        replace(true, salt=bytes(32)),
        replace(own[0].openings(decks)[1], piece=0),
        replace(true, card=cards_of(0)[0][0]),
    ):
        _caught(Code.BAD_SLOT, decks, 0, (opening_bytes(false),), said)


def test_commitment_of_another_seat_opens_no_own_slot() -> None:
    said, own = terms(), own_decks()
    stolen = step(own[0], new_decks(BOUND), said)
    decks = apply(apply(new_decks(BOUND), 0, stolen, said), 1, stolen, said)
    copied = replace(own[0].openings(decks)[0], piece=SIZE)
    _caught(Code.BAD_SLOT, decks, 1, (opening_bytes(copied),), said)


def _with(decks: tuple[Owned, ...]) -> tuple[MatchDecks, OwnDeck]:
    said = terms(owned=True)
    own = own_decks(owned=True)
    own[0] = OwnDeck(BOUND, 0, Random(5), decks, NoOwnership())
    return brought(own, said), own[0]


def test_card_of_another_person_names_its_player() -> None:
    theirs = cards_of(1)[0][0]
    decks, own = _with((theirs,))
    _caught(Code.NOT_OWNED, decks, 0, own.show(decks, [0]), terms(owned=True))
    # only its creator has a card without a trade
    decks, own = _with((replace(theirs, trades=()),))
    _caught(Code.NOT_OWNED, decks, 0, own.show(decks, [0]), terms(owned=True))
    mine = cards_of(0)
    decks, own = _with((replace(mine[0][0], trades=mine[1][0].trades),))  # a trade of another card
    _caught(Code.NOT_OWNED, decks, 0, own.show(decks, [0]), terms(owned=True))


def test_creator_has_own_card_without_a_trade() -> None:
    kind = sign_record(CardType(ANN.public, None, 0, None, "Own", "E", None, (), True, ""), ANN)
    copy = card(1, kind, ANN)
    decks, own = _with((Owned(copy.raw, (kind.raw,)),))
    assert show(decks, 0, own.show(decks, [0]), DeckTerms(Mode.CLOSING, lambda faces: True)).opened


def test_type_unsigned_by_card_creator_is_invalid() -> None:
    """The type may be the player's own, another creator's, or a changed frozen one: commitments to
    it open nothing.
    """
    made = cards_of(0)[0][0]
    forged = sign_record(
        CardType(ANN.public, None, 0, None, "Salamander", "First", None, (("fire", 99),), True, ""),
        ANN,
    )
    revised = sign_record(
        CardType(
            MAKER.public,
            TYPE.id,
            1,
            TYPE.id,
            "Salamander",
            "First",
            None,
            (("fire", 99),),
            True,
            "",
        ),
        MAKER,
    )
    for types in ((forged.raw,), (TYPE.raw, revised.raw), (TYPE.raw, TYPE.raw), (made.instance,)):
        decks, own = _with((made,))
        false = replace(own.openings(decks)[0], card=replace(made, types=types))
        _caught(Code.BAD_SLOT, decks, 0, (opening_bytes(false),), terms(owned=True))


def test_committed_revision_is_the_one_played() -> None:
    loose = sign_record(
        CardType(MAKER.public, None, 0, None, "Newt", "First", None, (("fire", 1),), False, ""),
        MAKER,
    )
    later = sign_record(
        CardType(
            MAKER.public, loose.id, 1, loose.id, "Newt", "First", None, (("fire", 2),), False, ""
        ),
        MAKER,
    )
    copy = card(1, loose)
    given = traded(MAKER, ANN, free(evaluate([loose, copy]), copy))
    old, new = (
        Owned(copy.raw, types, (given.raw,)) for types in ((loose.raw,), (loose.raw, later.raw))
    )
    said = DeckTerms(Mode.CLOSING, lambda faces: True)
    decks, own = _with((old,))
    _caught(
        Code.BAD_SLOT, decks, 0, (opening_bytes(replace(own.openings(decks)[0], card=new)),), said
    )
    assert face(show(decks, 0, own.show(decks, [0]), said), 0, said)["fire"] == 1


def test_copy_used_twice_in_deck_names_seat() -> None:
    mine = cards_of(0)[0][0]
    decks, own = _with((mine, mine))
    _caught(
        Code.BAD_DECK,
        decks,
        0,
        own.show(decks, [0, 1]),
        DeckTerms(Mode.CLOSING, lambda faces: True),
    )


@pytest.mark.parametrize("mode", [Mode.OPEN, Mode.CLOSING])
def test_surplus_card_is_named_when_deck_opens(mode: Mode) -> None:
    said, own = terms(mode), own_decks(count=SIZE + 1)
    decks = run(
        new_decks(BOUND), own, said, DeckPhase.SHOW if mode is Mode.OPEN else DeckPhase.PLAY
    )
    decks = close(decks, said) if mode is Mode.CLOSING else decks
    with pytest.raises(ProtocolViolation) as caught:
        apply(decks, 0, step(own[0], decks, said), said)
    assert caught.value.code is Code.BAD_DECK


def test_forbidden_card_in_hidden_deck_is_named_when_shown() -> None:
    def fits(shown: tuple[Face, ...]) -> bool:
        return all(card["strength"] != 0 for card in shown)

    said, own = DeckTerms(Mode.HIDDEN, lambda faces: True, PROXIES, fits=fits), own_decks()
    decks = brought(own, said)
    weak = next(piece for piece, one in own[0].openings(decks).items() if one.card == ProxyCard(0))
    _caught(Code.BAD_DECK, decks, 0, own[0].show(decks, [weak]), said)


def test_revealed_slot_is_opened_before_anything_else() -> None:
    said, own = terms(), own_decks()
    decks = request_openings(brought(own, said), [1, SIZE])
    assert decks.seats_due == (0, 1)
    decks = apply(decks, 1, step(own[1], decks, said), said)
    assert decks.seats_due == (0,)
    decks = apply(decks, 0, step(own[0], decks, said), said)
    assert (
        decks.seats_due == ()
        and set(decks.faces) == {1, SIZE}
        and request_openings(decks, [1, SIZE]).seats_due == ()
    )


def test_program_opens_only_revealed_slots_by_itself() -> None:
    said, own = terms(), own_decks()
    decks = request_openings(request_openings(brought(own, said), [1]), [2])
    with pytest.raises(Refused):
        apply(decks, 0, ("open", *own[0].show(decks, [1, 2, 3])), said)
    assert decks.to_open(0) == (1, 2) and not close(decks, terms(Mode.HIDDEN)).requested


def test_leaver_owes_nothing_and_others_still_open_decks() -> None:
    """The winner by the other's leaving has won nothing with an illegal deck."""
    said, own = terms(), own_decks()
    decks = forfeit(brought(own, said), 0, said)
    decks = close(decks, said)
    assert decks.seats_due == (1,)
    decks = apply(decks, 1, step(own[1], decks, said), said)
    assert decks.phase is DeckPhase.DONE
    # before the game began
    assert close(forfeit(new_decks(BOUND), 0, said), said).phase is DeckPhase.DONE


def test_slot_opened_wrongly_twice_or_early_is_refused() -> None:
    said, own = terms(), own_decks()
    decks = brought(own, said)
    with pytest.raises(Refused):
        show(decks, 1, own[0].show(decks, [0]), said)
    once = show(decks, 0, own[0].show(decks, [0]), said)
    with pytest.raises(Refused):
        show(once, 0, own[0].show(decks, [0]), said)
    _refused(Code.NOT_YOUR_TURN, decks, 0, ("open", *own[0].show(decks, [1])), said)
    _refused(Code.NOT_YOUR_TURN, decks, 0, step(own[0], new_decks(BOUND), said), said)
    _refused(Code.BAD_ACTION, new_decks(BOUND), 0, ("deck", "hidden", bytes(32)), said)


@pytest.mark.parametrize(
    "raw",
    [
        ["deck"],
        ["deck", "closing"],
        ["deck", "nothing", bytes(32)],
        ["deck", "closing", bytes(31)],
        ["deck", "closing", *[bytes(32)] * 121],
        ["open"],
        ["open", 3],
        ["open", *[b"x"] * 41],
        ["open", bytes(41 * 1024)],
        ["agree", 1],
        ["decline", b""],
        ["dispute", 1],
        ["dispute", b"", b""],
        ["dispute", 1, 2],
        ["answer", 1],
        ["answer", *[b""] * 301],
    ],
)
def test_deck_entries_of_wrong_shape_are_refused(raw: list[object]) -> None:
    with pytest.raises(Refused) as caught:
        parse(raw)
    assert caught.value.code is Code.BAD_ACTION


@pytest.mark.parametrize("raw", [b"", b"\xc0", bytes(20_000), 3, [], None])
def test_opening_is_decoded_strictly(raw: object) -> None:
    with pytest.raises(Refused) as caught:
        read_opening(raw)
    assert caught.value.code is Code.BAD_ACTION


def test_opening_round_trips() -> None:
    decks = brought(own_decks(owned=True), terms(owned=True))
    for opening in own_decks(owned=True)[0].openings(decks).values():
        assert read_opening(opening_bytes(opening)) == opening


def test_objection_to_open_deck_ends_match_and_names_nobody() -> None:
    class Wary(NoOwnership):
        def accepts(self, card: Owned, holder: bytes) -> bool:
            return holder != BOB.public

    said, own = terms(Mode.OPEN, owned=True), own_decks(owned=True)
    own[0] = OwnDeck(BOUND, 0, Random(0), tuple(one for one, _ in cards_of(0)), Wary())
    decks = run(new_decks(BOUND), own, said, DeckPhase.DONE)
    assert decks.declined == 0 and decks.seats_due == ()
