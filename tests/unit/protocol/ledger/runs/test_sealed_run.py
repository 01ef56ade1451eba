"""A run is exactly what was signed before the first sale, and later changes are detected."""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import NONCE_SIZE
from protocol.ledger.record_contents import CardTransfer, CardType, Instance, PrintRun, Trade
from protocol.ledger.records import sign_record
from protocol.ledger.runs.run_opening import (
    check_run_opening,
    duplicate_serials,
    read_opening,
    unsealed_issues,
    write_opening,
)
from protocol.ledger.runs.sealed_run import RunPlan, build_run, check_pack, pack_count
from protocol.limits import MAX_RUN_CARDS
from tests.support.errors import raises_text

ANN, BOB = (Identity(bytes([number]) * 32) for number in (1, 2))


def type_of(name, creator=ANN):
    return sign_record(
        CardType(creator.public, None, 0, None, name, "first", None, (("strength", 3),), True, ""),
        creator,
    )


OAK, ASH = type_of("Oak"), type_of("Ash")


def plan(**copies):
    return RunPlan("first", 0, copies or {OAK.id: 9, ASH.id: 6}, 3)


@cache
def sealed():
    return build_run(ANN, plan(), Random(1))


def cards_of(run):
    return {id_: record.content for id_, record in run.cards.items()}


def refused(code, call, *args):
    with pytest.raises(RemoteError) as error:
        call(*args)
    assert error.value.code is code


def test_run_has_planned_copies_in_whole_verifiable_packs():
    run = sealed()
    assert len(run.packs) == pack_count(run.run) == 5
    assert [len(pack.instances) for pack in run.packs] == [3] * 5
    for pack in run.packs:
        check_pack(run.run, pack, run.path(pack.number))
    run_id, packs = read_opening(write_opening(run.record.id, run.packs))
    assert (run_id, packs) == (run.record.id, run.packs)
    check_run_opening(run.run, packs, cards_of(run))


def test_card_order_is_random_and_hidden_before_opening():
    one, other = (build_run(ANN, plan(), Random(seed)) for seed in (2, 3))
    assert one.run.packs != other.run.packs and one.run.instances != other.run.instances
    assert "Pack(" not in repr(one) and "Instance(" not in repr(one)


def test_pack_other_than_sealed_is_refused():
    """Test 13: the creator swaps a pack after the buyer's coin."""
    run = sealed()
    pack, other = run.packs[2], run.packs[3]
    path = run.path(2)
    for swapped in (
        replace(other, number=2),
        replace(pack, salt=other.salt),
        replace(pack, instances=other.instances),
        replace(pack, instances=(*sorted((other.instances[0], *pack.instances[:2])),)),
        replace(pack, instances=pack.instances[::-1]),
        replace(pack, instances=pack.instances[:2]),
        replace(pack, instances=(pack.instances[0], *pack.instances[:2])),
        replace(pack, number=9),
        other,
    ):
        refused(Code.BAD_SEALED_PACK, check_pack, run.run, swapped, path)
    refused(Code.BAD_MERKLE_PROOF, check_pack, run.run, pack, path[:1])
    refused(Code.BAD_SEALED_PACK, check_pack, replace(run.run, number=1), pack, path)
    refused(Code.BAD_SEALED_PACK, check_pack, replace(run.run, edition="second"), pack, path)


@pytest.mark.parametrize(
    "copies", [{}, {OAK.id: 4}, {OAK.id: 3, ASH.id: 0}, {OAK.id: 3 * MAX_RUN_CARDS}]
)
def test_impossible_run_is_refused_with_advice(copies):
    with pytest.raises(LocalError):
        build_run(ANN, RunPlan("first", 0, copies, 3), Random(1))


def test_run_not_divisible_into_packs_is_refused():
    refused(Code.BAD_RUN, pack_count, replace(sealed().run, pack_size=4))
    refused(Code.BAD_RUN, pack_count, replace(sealed().run, copies=((OAK.id, 3 * MAX_RUN_CARDS),)))


def lying_run(change):
    """Return a run of Ann's with honestly sealed packs and a false record."""
    run = sealed()
    lie = change(run.run)
    assert isinstance(lie, PrintRun)
    return sign_record(lie, ANN).content


def test_opened_run_differing_from_signature_proves_it():
    run, cards = sealed(), cards_of(sealed())
    rare = lying_run(
        lambda signed: replace(signed, copies=tuple(sorted({OAK.id: 3, ASH.id: 12}.items())))
    )
    refused(Code.BAD_RUN, check_run_opening, rare, run.packs, cards)
    refused(
        Code.BAD_RUN,
        check_run_opening,
        lying_run(lambda signed: replace(signed, instances=bytes(32))),
        run.packs,
        cards,
    )
    refused(Code.BAD_RUN, check_run_opening, run.run, run.packs, dict(list(cards.items())[1:]))
    one, other = list(cards)[:2]
    refused(
        Code.BAD_RUN, check_run_opening, run.run, run.packs, {**cards, one: replace(cards[other])}
    )
    refused(
        Code.BAD_RUN,
        check_run_opening,
        run.run,
        run.packs,
        {**cards, one: replace(cards[one], creator=BOB.public)},
    )


def test_opening_of_another_run_proves_nothing():
    run = sealed()
    other = build_run(ANN, plan(), Random(4))
    refused(Code.BAD_SEALED_PACK, check_run_opening, run.run, other.packs, cards_of(other))
    refused(Code.BAD_SEALED_PACK, check_run_opening, run.run, run.packs[:4], cards_of(run))
    for data in (b"", b"\xc0", write_opening(run.record.id, run.packs)[:-1]):
        with pytest.raises(RemoteError):
            read_opening(data)


def given(*instances):
    """Return trades by which Ann first gives these to Bob."""
    a, b = sorted((ANN.public, BOB.public))
    side = int(a != ANN.public)
    return sign_record(
        Trade(a, b, tuple(CardTransfer(one, side, 0, None, None) for one in sorted(instances))),
        ANN,
        BOB,
    )


def extra(type_id, serial):
    return sign_record(Instance(ANN.public, type_id, serial, bytes(NONCE_SIZE)), ANN)


def test_sale_beyond_an_opened_run_is_proven():
    run = sealed()
    more = extra(OAK.id, 77)
    honest, beyond_it = given(*run.packs[0].instances), given(more.id)
    records = [*run.cards.values(), more, honest, beyond_it, extra(type_of("Elm").id, 0)]
    assert unsealed_issues({run.run: run.packs}, records) == (beyond_it,)
    # signed, and given to nobody
    assert unsealed_issues({run.run: run.packs}, [*run.cards.values(), more, honest]) == ()


def test_duplicate_card_number_is_detected_in_any_run():
    run = sealed()
    card = next(iter(run.cards.values()))
    twin = extra(card.content.type, card.content.serial)
    assert {one.id for one in duplicate_serials([*run.cards.values(), twin])[0]} == {
        card.id,
        twin.id,
    }
    assert duplicate_serials(run.cards.values()) == ()


def test_cards_that_fill_no_packs_are_refused_with_fitting_numbers():
    with raises_text(LocalError, match="Print 2 more with --copies, or take --pack-size 6"):
        build_run(ANN, RunPlan("first", 0, {bytes(32): 258}, 5), Random(1))
