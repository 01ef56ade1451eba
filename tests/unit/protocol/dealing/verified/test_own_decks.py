"""Own decks: cards that only the owner turns up, the seats that can read each card, and the deck of
a leaver.
"""

from random import Random

import pytest

from protocol.codes import Code
from protocol.crypto.dlog_proofs import PROOF_SIZE
from protocol.crypto.elgamal import CIPHERTEXT_SIZE, share
from protocol.crypto.group import ELEMENT_BYTES as SIZE_OF_SHARE
from protocol.crypto.shuffle import proof_size
from protocol.dealing import DealLoss
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.stages import ENTRY_SHAPES, VerifiedStage
from protocol.errors import ProtocolViolation, Refused
from protocol.fast_replace import replace
from protocol.games.operations import EVERYBODY, Look, Pile, PutAway, Shuffle, Turn
from protocol.limits import MAX_ENTRY, MAX_PIECES, MAX_PILE
from tests.support.verified import DEALING, VerifiedDeal, begin_piles

SIZE, UP = 5, (1, 3)
SHARED = {"leavers": "threshold"}


def decks(seats: int, size: int = SIZE, up: tuple[int, ...] = UP) -> list[Pile]:
    return [Pile(size, owner=seat, face_up_places=up) for seat in range(seats)]


def ready(
    seats: int = 3, seed: int = 1, options: dict | None = None, piles: list[Pile] | None = None
) -> VerifiedDeal:
    deal = begin_piles(seats, decks(seats) if piles is None else piles, seed, options)
    deal.run()
    assert deal.state.ready
    return deal


def turn(deal: VerifiedDeal, seat: int, *places: int, pile: int | None = None) -> tuple[int, ...]:
    """Let the owner turn up places of its deck; return their pieces."""
    operation = Turn(seat if pile is None else pile, places)
    deal.operate(seat, operation)
    return DEALING.turned_pieces_of(deal.state, [operation])


def order_of(deal: VerifiedDeal, seat: int) -> list[int]:
    """Return the pieces of an own deck in order, by all keys."""
    keys = range(len(deal.seats))
    found = [deal.opened(card, keys) for card in deal.state.context.pile_cards(seat)]
    return [piece for piece in found if piece is not None]


def read_ahead(deal: VerifiedDeal, seat: int, card: int) -> int | None:
    """Return the piece that a seat's program could read of its own deck."""
    half = deal.seats[seat]
    return deal.state.piece_of(card, share(half._x, deal.state.deck[card]))


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "options"), [(2, {}), (3, SHARED), (4, {})])
def test_own_deck_is_shuffled_by_all_with_open_head(seats: int, options: dict) -> None:
    deal = ready(seats, seats, options)
    for seat in range(seats):
        order = order_of(deal, seat)
        assert sorted(order) == list(deal.state.context.pile_cards(seat))
        assert deal.state.turned_up[2 * seat : 2 * seat + 2] == (order[1], order[3])
    assert [(author, kind) for author, kind, _ in deal.entries if kind == "shuffle"] == [
        (author, "shuffle") for _ in range(seats) for author in range(seats)
    ]
    assert [kind for _, kind, _ in deal.entries][-2 * seats :] == ["shares"] * seats + [
        "turn_up"
    ] * seats
    assert all(half.hand == () for half in deal.seats)


@pytest.mark.slow
def test_owner_turns_up_deck_places_alone() -> None:
    deal = ready()
    order = order_of(deal, 1)
    entries = len(deal.entries)
    assert turn(deal, 1, 0) == (order[0],)
    assert turn(deal, 1, 4, 2) == (order[4], order[2])
    assert len(deal.entries) == entries + 2 and deal.state.ready
    assert set(deal.state.turned_up) <= set(deal.state.shown.values()), "the head stays what it was"
    assert len(deal.state.turned_up) == 6


def test_own_deck_is_readable_ahead_only_by_owner() -> None:
    """The screen says so: the owner's program could read it, nobody else can, and no hand has a
    card that is not open.
    """
    deal = ready()
    for seat in range(3):
        for card in deal.state.context.pile_cards(seat):
            if card in deal.state.shown:
                continue
            assert read_ahead(deal, seat, card) is not None
            others = [other for other in range(3) if other != seat]
            assert deal.opened(card, others) is None
    assert all(half.hand == () for half in deal.seats)


def bad(deal: VerifiedDeal, seat: int, operation: Turn, part: list) -> Code:
    """Return the code for this part; a fault names its author, a refusal nobody."""
    with pytest.raises((ProtocolViolation, Refused)) as wrong:
        DEALING.apply_operations(deal.state, seat, [operation], [part], deal.at)
    return wrong.value.code


def test_lie_about_a_deck_place_is_named() -> None:
    deal, asked = ready(), Turn(0, (2,))
    places, D, proof = deal.seats[0].part(deal.state, asked)
    of_place_4 = deal.seats[0].part(deal.state, Turn(0, (4,)))
    of_seat_1 = deal.seats[1].part(deal.state, Turn(0, (2,)))
    lies = {
        "another place": [places, *of_place_4[1:]],
        "another's share": [places, *of_seat_1[1:]],
        "another share": [places, of_place_4[1], proof],
        "another proof": [places, D, of_place_4[2]],
        "two for one": [places, D + of_place_4[1], proof + of_place_4[2]],
    }
    for part in lies.values():
        with pytest.raises(ProtocolViolation) as lie:
            DEALING.apply_operations(deal.state, 0, [asked], [part], deal.at)
        assert lie.value.code is Code.BAD_PROOF
    with pytest.raises(ProtocolViolation) as lie:
        DEALING.apply_operations(deal.state, 0, [asked], [[places, bytes(32), proof]], deal.at)
    assert lie.value.code is Code.BAD_POINT


def test_impossible_turn_is_refused_without_fault() -> None:
    deal = ready()
    part = deal.seats[0].part
    cases = {
        Code.BAD_ENTRY: (Turn(0, (2,)), []),
        # its deck has moved since its view
        Code.STALE: (Turn(0, (2,)), part(deal.state, Turn(0, (4,)))),
    }
    for code, (operation, given) in cases.items():
        with pytest.raises(Refused) as refused:
            DEALING.apply_operations(deal.state, 0, [operation], [given], deal.at)
        assert refused.value.code is code
    for operation in (
        Turn(1, (2,)),  # another seat's deck
        Turn(0, (1,)),  # turned up when it was dealt
        Turn(0, (2, 2)),
        Turn(0, (2, 5)),  # the place does not exist
    ):
        shown = (
            list(operation.places),
            *part(deal.state, Turn(0, tuple(place % 5 for place in operation.places)))[1:],
        )
        with pytest.raises(Refused) as refused:
            DEALING.apply_operations(deal.state, 0, [operation], [list(shown)], deal.at)
        assert refused.value.code is Code.NOT_HELD


def test_deck_place_is_turned_up_once() -> None:
    """Two entries for one place are both in transit: the second finds it open."""
    deal = ready()
    part = deal.seats[0].part(deal.state, Turn(0, (2,)))
    turn(deal, 0, 2)
    with pytest.raises(Refused) as refused:
        DEALING.apply_operations(deal.state, 0, [Turn(0, (2,))], [part], deal.at)
    assert refused.value.code is Code.NOT_HELD


@pytest.mark.slow
def test_deal_progress_never_decreases() -> None:
    deal = begin_piles(3, decks(3), 2)
    seen = [deal.state.progress()[1]]
    while any(
        deal.step(seat) for seat in range(3) if seen.append(deal.state.progress()[1]) is None
    ):
        pass
    assert seen == sorted(seen) and seen[0] == 0 and seen[-1] == 100
    assert len({percent for percent in seen if 15 <= percent < 80}) == 9, (
        "one for each of nine shuffles"
    )


def test_own_deck_is_never_dealt_from() -> None:
    deal = ready()
    with pytest.raises(Refused) as refused:
        DEALING.apply_operations(deal.state, EVERYBODY, [Look(1, EVERYBODY, 1)], [[]], deal.at)
    assert refused.value.code is Code.NOT_IN_STOCK
    with pytest.raises(Refused) as refused:  # nor while it is dealt again, and belongs to nobody
        DEALING.apply_operations(
            deal.state, EVERYBODY, [Shuffle(1), Look(1, EVERYBODY, 1)], [[], []], deal.at
        )
    assert refused.value.code is Code.NOT_IN_STOCK
    with pytest.raises(Refused) as refused:
        DEALING.apply_operations(deal.state, 0, [PutAway((0,))], [[]], deal.at)
    assert refused.value.code is Code.NOT_HELD


@pytest.mark.slow
def test_own_decks_coexist_with_dealt_piles() -> None:
    piles = [Pile(6, 1), *decks(2)]
    deal = ready(2, 4, piles=piles)
    assert [len(half.hand) for half in deal.seats] == [1, 1]
    assert len(deal.state.stock) == 4 and len(deal.state.turned_up) == 4
    deal.operate(EVERYBODY, Look(1, EVERYBODY))
    assert (
        deal.state.turned_up[0] in deal.state.context.pile_cards(0)
        and len(deal.state.turned_up) == 5
    )
    turn(deal, 1, 0, pile=2)
    deal.close()
    assert deal.state.result is not None
    assert [len(hand) for hand in deal.state.result.dealt] == [1, 1]
    assert (
        set(deal.state.shown) >= {0, 1}
        and len(set(deal.state.shown) & set(deal.state.context.pile_cards(2))) == 3
    )


@pytest.mark.parametrize("options", [{}, SHARED])
@pytest.mark.slow
def test_own_deck_can_be_dealt_again(options: dict) -> None:
    """The whole deck is hidden again, shuffled by all, and its head turned up; the other decks stay
    unchanged.
    """
    deal = ready(3, 5, options)
    turn(deal, 1, 0)
    head, order = deal.state.turned_up, order_of(deal, 1)
    deal.operate(EVERYBODY, Shuffle(1))
    new = order_of(deal, 1)
    assert deal.state.ready and sorted(new) == sorted(order)
    assert deal.state.turned_up == (*head[:2], new[1], new[3], *head[4:])
    assert turn(deal, 1, 0) == (new[0],)
    assert {card for card in deal.state.context.pile_cards(1) if card in deal.state.shown} == {
        5,
        6,
        8,
    }
    old = deal.seats[1].part(deal.state, Turn(1, (4,)))
    deal.operate(EVERYBODY, Shuffle(1))
    assert bad(deal, 1, Turn(1, (4,)), old) is Code.BAD_PROOF, (
        "what opened a place before opens nothing now"
    )


# --- leaving ---


def leave(deal: VerifiedDeal, seat: int) -> None:
    """Let a seat leave, and the others do what they must."""
    left = DEALING.leave(deal.state, seat, deal.at)
    assert not isinstance(left, DealLoss)
    deal.state = left
    deal.entries.append((seat, "leave", []))
    run_without(deal, seat)


def run_without(deal: VerifiedDeal, *gone: int) -> None:
    others = [number for number in range(len(deal.seats)) if number not in gone]
    while any(deal.step(number) for number in others):
        assert deal.state.stage is not VerifiedStage.SHUFFLE or not deal.state.is_dead(
            deal.state.pile[0]
        )


MOMENTS = [(VerifiedStage.SHUFFLE, step) for step in (0, 2, 5, 8, 11, 15)] + [
    (stage, step) for stage in (VerifiedStage.SHARES, VerifiedStage.TURN_UP) for step in range(4)
]


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "posted"), MOMENTS)
def test_leaver_during_own_deck_deal_leaves_dead_deck(stage: VerifiedStage, posted: int) -> None:
    """The leaver goes after any number of entries of a stage, posted in any order, with or without
    its own entry.
    """
    deal, rng = begin_piles(4, decks(4, 3, (0, 2)), 7, SHARED), Random(posted)
    deal.run(until=stage)
    for _ in range(posted):
        author = rng.choice(deal.state.duties()).author
        assert deal.state.stage is stage and deal.step(author)
    leaver, before = rng.randrange(4), len(deal.entries)
    leave(deal, leaver)
    check_dead(deal, leaver)
    later = deal.entries[before:]
    given = [len(body[0]) // SIZE_OF_SHARE for _, kind, body in later if kind == "shares"]
    assert set(given) <= {6}, (
        "of the two decks of the others that are left, and of the dead one nothing"
    )


def check_dead(deal: VerifiedDeal, leaver: int) -> None:
    """Check that the others have what they need of their decks, and that nothing is asked about the
    leaver's.
    """
    state = deal.state
    assert state.ready and not state.is_stuck and state.requested == ()
    heads = [piece for piece in state.turned_up if piece not in state.context.pile_cards(leaver)]
    assert len(heads) == 6
    for seat in {0, 1, 2, 3} - {leaver}:
        order = order_of(deal, seat)
        assert sorted(order) == list(state.context.pile_cards(seat))
        assert turn(deal, seat, 1) == (order[1],)
    entries = len(deal.entries)
    deal.state = DEALING.apply_operation(deal.state, EVERYBODY, Shuffle(leaver), [], deal.at)
    assert deal.state.ready and len(deal.entries) == entries, "a dead deck is not dealt anew"


@pytest.mark.slow
@pytest.mark.parametrize(
    "stage", [VerifiedStage.SHUFFLE, VerifiedStage.SHARES, VerifiedStage.TURN_UP]
)
@pytest.mark.parametrize("leaver", [1, 2])
def test_leaver_during_redeal_of_own_deck_is_handled(stage: VerifiedStage, leaver: int) -> None:
    """The leaver is the owner of that deck, or another seat; the deck may be the only one that is
    being dealt.
    """
    deal = ready(4, 9, SHARED, decks(4, 3, (0, 2)))
    deal.state = DEALING.apply_operation(deal.state, EVERYBODY, Shuffle(1), [], deal.at)
    deal.entries.append((0, "move", []))
    deal.run(until=stage)
    leave(deal, leaver)
    check_dead(deal, leaver)


def test_leaver_without_shared_keys_voids_the_deal() -> None:
    deal = ready()
    assert DEALING.leave(deal.state, 1, deal.at) is DealLoss.VOID


@pytest.mark.slow
@pytest.mark.parametrize("present", [(0, 2), (2,)])
def test_own_deck_of_earlier_leaver_is_never_viewed(present: tuple[int, ...]) -> None:
    """The pile of the leaver keeps the numbers of its pieces; nobody shuffles it. A seat that is
    alone waits for nobody.
    """
    deal = begin_piles(3, decks(3), 3)
    halves = zip(range(3), deal.seats, strict=True)
    here = replace(deal.state.context, present=present)
    deal.state = DEALING.begin(here, 0)
    deal.seats = [VerifiedSeat(here, seat, half._key, half._rng) for seat, half in halves]
    run_without(deal, *{0, 1, 2}.difference(present))
    assert (
        deal.state.ready
        and [kind for _, kind, _ in deal.entries].count("shuffle") == len(present) ** 2
    )
    assert [piece // SIZE for piece in deal.state.turned_up] == [
        seat for seat in present for _ in UP
    ]
    assert turn(deal, 2, 0)[0] in here.pile_cards(2)


# --- nine decks of forty ---


def test_entry_fits_posts_for_nine_decks_of_forty() -> None:
    """The largest possible bodies: a shuffle of one pile, and shares of all places of all decks."""
    overhead = 300  # an entry's other fields, its signature, and the heads of all of them
    bodies = {
        "shuffle": [CIPHERTEXT_SIZE * MAX_PILE, proof_size(MAX_PILE)],
        "shares": [SIZE_OF_SHARE * MAX_PIECES, PROOF_SIZE * MAX_PIECES],
        "stand_in": [SIZE_OF_SHARE * MAX_PIECES, PROOF_SIZE * MAX_PIECES],
        "turn_up": [SIZE_OF_SHARE * MAX_PILE, PROOF_SIZE * MAX_PILE],
    }
    for kind, sizes in bodies.items():
        assert (
            ENTRY_SHAPES[kind]([bytes(size) for size in sizes])
            and sum(sizes) + overhead <= MAX_ENTRY
        )
        assert not ENTRY_SHAPES[kind]([bytes(sizes[0] + 1), bytes(sizes[1])])
    context = begin_piles(9, decks(9, 40), 1).state.context
    assert context.piece_count == 360 <= MAX_PIECES and context.pile_cards(8)[-1] == 359
