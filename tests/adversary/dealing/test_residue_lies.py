"""Every lie in a residue deal is named at once through its author's own entry."""

from random import Random

import pytest

from protocol.crypto.residue.bit_proof import prove_bits
from protocol.crypto.residue.cards import clear_card, encode
from protocol.crypto.residue.key_proof import prove_key
from protocol.crypto.residue.keys import new_key
from protocol.crypto.residue.shuffle import prove_shuffle, shuffle
from protocol.dealing import Post
from protocol.dealing.residue.chunks import split_shuffle
from protocol.dealing.residue.stages import ResidueStage
from protocol.games.operations import EVERYBODY, LookAt, OpenCard, Pile, Reveal, ShuffleCards
from tests.support.residue import ResidueDeal, begun, residue_deal

RNG = Random(5)


def at_keys() -> ResidueDeal:
    return begun(2, [Pile(3, 1)])


def at_shuffle() -> ResidueDeal:
    """Return a deal in which seat 1 is to shuffle; a body of twelve cards has three chunks."""
    deal = begun(2, [Pile(12, 1)]).run(ResidueStage.SHUFFLE)
    while deal.state.duties()[0].author == 0:
        deal.step(0)
    return deal


def named(deal: ResidueDeal, seat: int, kind: str, *body: object) -> str:
    return deal.lie(seat, Post(kind, list(body)))


def honest(deal: ResidueDeal, seat: int) -> list:
    post = deal.duty(seat)
    assert post is not None
    return post.body


def test_invalid_foreign_or_reused_key_is_named() -> None:
    deal = at_keys()
    m, proof = honest(deal, 1)
    assert named(deal, 1, "key", m + bytes(8), proof) == "bad_modulus"
    assert named(deal, 1, "key", bytes(64), proof) == "bad_modulus"
    other = new_key(RNG, 512)
    assert named(deal, 1, "key", other.public.encoded, proof) == "bad_proof"
    elsewhere = prove_key(other, deal.state.proof_place(0, "key"))
    assert named(deal, 1, "key", other.public.encoded, elsewhere) == "bad_proof"
    deal.step(0)
    copied = deal.entries[0][2]
    assert named(deal, 1, "key", *copied) in ("bad_proof", "bad_modulus")


@pytest.mark.slow
def test_chunks_of_different_bodies_are_named() -> None:
    deal = at_shuffle()
    first = honest(deal, 1)
    whole, _, data = first
    assert named(deal, 1, "chunk", whole, 1, data) == "bad_chunk", "not the next one"
    assert named(deal, 1, "chunk", whole, 0, data[:-1]) == "bad_chunk", (
        "another length than announced by all"
    )
    deal.post(1, Post("chunk", first))
    second = honest(deal, 1)
    assert named(deal, 1, "chunk", *first) == "bad_chunk", "once more"
    assert named(deal, 1, "chunk", bytes(32), *second[1:]) == "bad_chunk", "of another body"


@pytest.mark.slow
def test_body_differing_from_first_chunk_binding_is_named() -> None:
    deal = at_shuffle()
    _, _, data = honest(deal, 1)
    deal.post(1, Post("chunk", [bytes(32), 0, data]))
    while deal.state.partial_shuffle is not None:
        body = honest(deal, 1)
        left = deal.lie(1, Post("chunk", [bytes(32), *body[1:]]))
        if left != "nothing":
            assert left == "bad_chunk"
            return
        deal.post(1, Post("chunk", [bytes(32), *body[1:]]))
    pytest.fail("it stands")


def body_named(
    deal: ResidueDeal, after: tuple, witness: object, before: tuple | None = None, **place: int
) -> str:
    """Return the fault code for a shuffle of a wrong deck that is otherwise correct."""
    said = deal.state.proof_place(
        place.get("seat", 1), "shuffle", place.get("position", deal.state.shuffles)
    )
    proof = prove_shuffle(
        before or deal.state.shuffle_input, after, witness, deal.state.moduli, said, RNG
    )  # type: ignore[arg-type]
    for body in split_shuffle(after, deal.state.moduli, proof):
        code = deal.lie(1, Post("chunk", body))
        if code != "nothing":
            return code
        deal.post(1, Post("chunk", body))
    return "nothing"


@pytest.mark.slow
def test_doubled_swapped_or_marked_card_is_named() -> None:
    deal = at_shuffle()
    before, moduli = deal.state.shuffle_input, deal.state.moduli
    doubled = (before[0], before[0], *before[2:])
    after, witness = shuffle(doubled, moduli, RNG)
    assert body_named(deal, after, witness) == "bad_proof"
    deal = at_shuffle()
    foreign = (clear_card(0, 4, deal.state.moduli), *deal.state.shuffle_input[1:])
    after, witness = shuffle(foreign, deal.state.moduli, RNG)
    assert body_named(deal, after, witness) == "bad_proof"


@pytest.mark.slow
def test_number_other_than_a_bit_is_named() -> None:
    deal = at_shuffle()
    after, _ = shuffle(deal.state.shuffle_input, deal.state.moduli, RNG)
    for number in (0, deal.state.moduli[0]):
        raw = encode(after, deal.state.moduli)
        spoilt = number.to_bytes(64, "little") + raw[64:]
        body = honest(deal, 1)
        assert named(deal, 1, "chunk", body[0], 0, spoilt + body[2][len(spoilt) :]) == "bad_number"


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [{"seat": 0}, {"position": 0}])
def test_proof_for_other_seat_or_shuffle_is_named(
    elsewhere: dict[str, int],
) -> None:
    deal = at_shuffle()
    after, witness = shuffle(deal.state.shuffle_input, deal.state.moduli, RNG)
    assert body_named(deal, after, witness, **elsewhere) == "bad_proof"


@pytest.mark.slow
def test_wrong_missing_large_or_foreign_bits_are_named() -> None:
    deal = begun(2, [Pile(6, 2)]).run(ResidueStage.TELL)
    bits, proof = honest(deal, 0)
    assert named(deal, 0, "tell", bytes([bits[0] ^ 1]) + bits[1:], proof) == "bad_proof"
    assert (
        named(deal, 0, "tell", bits[2:], proof)
        == named(deal, 0, "tell", bits + bits[:2], proof)
        == "bad_proof"
    )
    assert named(deal, 0, "tell", bits[:1] + b"\xff" + bits[2:], proof) == "bad_proof"
    assert named(deal, 0, "tell", bits[::-1], proof) == "bad_proof"
    deal.step(0)
    assert named(deal, 1, "tell", bits, proof) == "bad_proof", "those of the neighbour"


@pytest.mark.slow
def test_bits_from_another_opening_are_named() -> None:
    deal = residue_deal(2, [Pile(4, loose=True)]).want(
        ShuffleCards((0, 1, 2, 3)), LookAt((0,), (1,))
    )
    deal.begin(EVERYBODY, LookAt((2,), (1,)))
    numbers = deal.state.numbers(0, 2)
    _, proof = prove_bits(
        deal.seats[0]._secret,
        numbers,
        deal.state.proof_place(0, "tell", deal.state.tellings - 1),
        RNG,
    )
    assert named(deal, 0, "tell", honest(deal, 0)[0], proof) == "bad_proof"


@pytest.mark.slow
def test_showing_a_piece_not_held_is_named() -> None:
    deal = residue_deal(2, [Pile(6, 2)])
    mine, other = deal.seats[0].hand
    card = next(card for card in deal.state.hidden_of(0) if deal.opened(card) == mine)
    assert deal.refused(0, Reveal(mine), parts=[[5]]) == "not_held"
    deal.begin(0, Reveal(other), parts=[[card]])
    assert deal.lie(0, deal.duty(0) or Post("", [])) == "bad_opening"


@pytest.mark.slow
def test_opening_a_loose_card_as_another_is_named() -> None:
    deal = residue_deal(3, [Pile(4, loose=True)]).want(
        ShuffleCards((0, 1, 2, 3)), LookAt((1, 2), (0,))
    )
    deal.begin(0, OpenCard(1, deal.seats[0].visible_cards[2]))
    assert deal.state.duties() == ((0, "tell"),), "nobody else can be blamed"
    assert deal.lie(0, deal.duty(0) or Post("", [])) == "bad_opening"
    deal.state = deal.states[-1]
    assert deal.refused(1, OpenCard(1, 0)) == "not_held"


@pytest.mark.slow
def test_chunk_not_due_is_refused() -> None:
    deal = at_shuffle()
    assert [duty.author for duty in deal.state.duties()] == [1]
    ready = residue_deal(2, [Pile(3, 1)])
    assert ready.state.duties() == () == ready.state.pending_work
