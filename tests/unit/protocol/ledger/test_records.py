"""Records decode to exactly the signed content, and nothing else decodes (tests 1, 2 and 5 of the
ledger).
"""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.link_checks import check_links
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardTransfer,
    CardType,
    Creator,
    Instance,
    PrintRun,
    Trade,
)
from protocol.ledger.records import (
    content_id,
    image_digest,
    parents,
    read_record,
    record_of,
    sign_content,
    sign_record,
    waive_id,
    waive_of,
)
from protocol.limits import MAX_TRADE_WAIVES
from protocol.wire import decode, encode
from tests.support.ledger import ANN, BOB, EVE, MAKER, TYPE, card, slot_of, trade_of, traded

ONE, TWO = card(0), card(1)
GIVEN = traded(MAKER, ANN, [slot_of(ONE.id), slot_of(TWO.id)])
SWAP = Trade(
    *sorted((ANN.public, BOB.public)),
    tuple(CardTransfer(one, 0, 1, GIVEN.id, None) for one in sorted((ONE.id, TWO.id))),
)
KINDS = {
    "creator": Creator(
        MAKER.public,
        0,
        None,
        "Maker",
        image_digest(b"icon"),
        "https://example.org",
        (ANN.public,),
        1,
    ),
    "type": CardType(
        MAKER.public, TYPE.id, 1, TYPE.id, "Salamander", "First", None, (("fire", 3),), True, "Hot."
    ),
    "run": PrintRun(MAKER.public, "First", 1, ((TYPE.id, 2),), bytes(32), bytes(32), 1),
    "instance": Instance(MAKER.public, TYPE.id, 7, bytes(16)),
    "rules": CardRules(MAKER.public, 0, None, "Duel", 0, bytes(32), (("element", 1), ("fire", 0))),
    "waive": waive_of(SWAP, BOB.public),
    "seen": Attestation(EVE.public, SWAP.transfers[0].slot, content_id(SWAP), 3),
}
WHO = {"waive": BOB, "seen": EVE}


def refusal(raw: bytes) -> Code:
    with pytest.raises(RemoteError) as caught:
        read_record(raw)
    return caught.value.code


def link_refusal(content, *known) -> Code:
    by_id = {record.id: record for record in known}
    with pytest.raises(RemoteError) as caught:
        check_links(content, by_id.get)
    return caught.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_kind_round_trips(kind):
    record = sign_record(KINDS[kind], WHO.get(kind, MAKER))
    assert read_record(record.raw) == record
    assert record.id == content_id(KINDS[kind])
    assert read_content(content_bytes(KINDS[kind])) == KINDS[kind]
    version = 2 if kind in ("trade", "waive") else 1
    assert decode(content_bytes(KINDS[kind]))[:2] == [version, kind]


@pytest.mark.parametrize("kind", [*KINDS, "trade"])
def test_record_with_changed_byte_is_refused(kind):
    record = (
        sign_record(SWAP, ANN, BOB)
        if kind == "trade"
        else sign_record(KINDS[kind], WHO.get(kind, MAKER))
    )
    for at in range(0, len(record.raw), 7):
        spoilt = bytearray(record.raw)
        spoilt[at] ^= 1
        with pytest.raises(RemoteError):
            read_record(bytes(spoilt))


def test_record_fields_are_encoded_unambiguously():
    moved = encode(
        [content_bytes(replace(KINDS["type"], values=(("fir", "e3"),))), decode(TYPE.raw)[1]]
    )
    assert refusal(moved) == Code.BAD_SIGNATURE


@pytest.mark.parametrize(
    "content",
    [
        replace(KINDS["creator"], quorum=2),
        replace(KINDS["creator"], quorum=0),
        replace(KINDS["creator"], witnesses=(ANN.public, ANN.public)),
        replace(KINDS["creator"], revision=1),
        replace(KINDS["creator"], name="Ann\x1b[2J"),
        replace(KINDS["type"], values=(("fire", 3), ("fire", 4))),
        replace(KINDS["type"], type=None),
        replace(KINDS["type"], values=(("fire", True),)),
        replace(KINDS["run"], copies=((TYPE.id, 0),)),
        replace(KINDS["run"], copies=()),
        replace(KINDS["instance"], nonce=bytes(15)),
        replace(KINDS["rules"], required=(("fire", 2),)),
        replace(KINDS["waive"], trade=bytes(31)),
        replace(SWAP, waives=(bytes(32), bytes(32))),
        replace(SWAP, waives=(bytes(31),)),
        replace(SWAP, waives=tuple(bytes([n]) * 32 for n in range(MAX_TRADE_WAIVES + 1))),
        replace(SWAP, a=SWAP.b, b=SWAP.a),
        replace(SWAP, b=SWAP.a),
        replace(SWAP, transfers=()),
        replace(SWAP, transfers=SWAP.transfers[::-1]),
        replace(SWAP, transfers=(SWAP.transfers[0], SWAP.transfers[0])),
        replace(SWAP, transfers=(replace(SWAP.transfers[0], index=0),)),
        replace(SWAP, transfers=(replace(SWAP.transfers[0], sender=2),)),
    ],
    ids=str,
)
def test_malformed_record_is_refused(content):
    with pytest.raises(RemoteError) as caught:
        read_content(content_bytes(content))
    assert caught.value.code == Code.BAD_CONTENT


def test_record_with_weak_key_is_refused():
    weak = bytes([1]) + bytes(31)  # the neutral element: one signature fits every message
    assert refusal(
        encode([content_bytes(replace(KINDS["instance"], creator=weak)), weak + bytes(32)])
    ) == (Code.BAD_IDENTITY)
    named = replace(KINDS["creator"], witnesses=(weak,))
    assert refusal(encode([content_bytes(named), sign_content(MAKER, named)])) == Code.BAD_IDENTITY


def test_trade_requires_both_signatures():
    """Test 2: one good signature twice, or one missing."""
    first, second = (
        sign_content(one, SWAP) for one in sorted((ANN, BOB), key=lambda one: one.public)
    )
    assert record_of(SWAP, first, second)
    for signatures in ((first, first), (second, first), (first,), (first, second, second), ()):
        with pytest.raises(RemoteError) as caught:
            record_of(SWAP, *signatures)
        assert caught.value.code in (Code.BAD_SIGNATURE, Code.BAD_CONTENT)


def test_card_of_another_creator_cannot_be_made():
    foreign = Instance(EVE.public, TYPE.id, 0, bytes(16))
    assert link_refusal(foreign, TYPE) == Code.WRONG_CREATOR
    assert link_refusal(trade_of(EVE, BOB, [slot_of(ONE.id)]), ONE, TYPE) == Code.WRONG_CREATOR
    assert link_refusal(replace(KINDS["run"], creator=EVE.public), TYPE) == Code.WRONG_CREATOR
    assert link_refusal(replace(KINDS["type"], creator=EVE.public), TYPE) == Code.WRONG_CREATOR


def test_frozen_type_keeps_its_values():
    check_links(KINDS["type"], {TYPE.id: TYPE}.get)
    for other in (
        {"values": (("fire", 4),)},
        {"frozen": False},
        {"type": bytes(32)},
        {"revision": 2},
    ):
        assert link_refusal(replace(KINDS["type"], **other), TYPE) == Code.WRONG_LINK


def test_trade_names_origin_of_the_card():
    known = [TYPE, ONE, TWO, GIVEN]
    good = trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 1, GIVEN.id, None)])
    check_links(good, {record.id: record for record in known}.get)
    for wrong in (
        trade_of(BOB, ANN, [CardTransfer(ONE.id, 0, 1, GIVEN.id, None)]),  # it came to Ann
        trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 2, GIVEN.id, None)]),
        trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 1, TYPE.id, None)]),
        trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 2, GIVEN.id, GIVEN.id)]),
    ):
        assert link_refusal(wrong, *known) == Code.WRONG_LINK


def test_two_trades_cannot_depend_on_each_other():
    """Test 5: with indices alone it would be possible; with hashes one trade would have to name its
    own descendant.
    """
    first = trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 2, GIVEN.id, bytes(32))])
    second = trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 2, GIVEN.id, content_id(first))])
    named = replace(first, transfers=(replace(first.transfers[0], over=content_id(second)),))
    assert content_id(named) != content_id(first)
    assert content_id(first) in parents(second)


def test_signature_of_a_stranger_is_refused():
    assert refusal(
        encode(
            [content_bytes(KINDS["instance"]), sign_content(Identity(bytes(32)), KINDS["instance"])]
        )
    ) == (Code.BAD_SIGNATURE)


def test_waive_is_known_by_trade_and_signer():
    assert content_id(KINDS["waive"]) == waive_id(content_id(SWAP), BOB.public)


@pytest.mark.parametrize("kind", ["trade", "waive"])
def test_record_of_version_one_is_refused(kind):
    content = SWAP if kind == "trade" else KINDS[kind]
    said = [1, *decode(content_bytes(content))[1:]]
    with pytest.raises(RemoteError) as caught:
        read_content(encode(said))
    assert caught.value.code == Code.BAD_CONTENT


def test_listed_waives_are_parents_of_a_trade():
    listing = replace(SWAP, waives=(bytes(32),))
    assert set(parents(listing)) == {*parents(SWAP), bytes(32)}
