"""`python -P -m protocol ledger verify FILE` reports what a file proves to everybody."""

import pytest

from protocol.__main__ import main
from protocol.identity.keys import short_fingerprint
from protocol.ledger.bundle import write_bundle
from protocol.ledger.record_contents import CardTransfer, CardType
from protocol.ledger.records import image_digest, sign_record
from protocol.ledger.verify.command import verify_records
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, card, maker, slot_of, traded

ONE = card(0)
GIVEN = traded(MAKER, ANN, [slot_of(ONE.id)])
TO_BOB, TO_CAROL = (
    traded(ANN, who, [CardTransfer(ONE.id, 0, 1, GIVEN.id, None)]) for who in (BOB, CAROL)
)


@pytest.fixture
def said(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")

    def run(*records, raw=b""):
        path = tmp_path / "some.cards"
        path.write_bytes(raw or write_bundle(records))
        status = main(["ledger", "verify", str(path)])
        return status, capsys.readouterr().out

    return run


def test_verify_names_owner_of_each_card(said):
    status, out = said(maker(), TYPE, ONE, GIVEN, TO_BOB)
    assert status == 0
    assert f"Salamander, copy 0 ({ONE.id.hex()[:8]})" in out
    assert short_fingerprint(BOB.public) in out


def test_verify_names_a_double_spender(said):
    status, out = said(TYPE, ONE, GIVEN, TO_BOB, TO_CAROL)
    assert status == 1
    assert f"ALARM: {short_fingerprint(ANN.public)} gave one card away twice" in out
    assert "burnt" in out


def test_verify_accepts_two_trades_alone_as_proof(said):
    """Test 3: the alarm needs no other data."""
    status, out = said(TO_BOB, TO_CAROL)
    assert status == 1
    assert f"ALARM: {short_fingerprint(ANN.public)}" in out


def test_verify_reports_missing_records(said):
    assert said(TYPE, ONE, TO_BOB)[0] == 3


def test_verify_reports_file_of_another_format(said):
    assert said(raw=b"hello")[0] == 1


@pytest.mark.parametrize("order", [1, -1])
def test_verify_with_a_damaged_file_names_cheats_of_others(said, tmp_path, capsys, order):
    proof, damaged = tmp_path / "proof.cards", tmp_path / "damaged.cards"
    proof.write_bytes(write_bundle([TO_BOB, TO_CAROL]))
    damaged.write_bytes(write_bundle([TYPE]) + bytes(4))
    assert main(["ledger", "verify", *map(str, [proof, damaged][::order])]) == 1
    out = capsys.readouterr().out
    assert f"ALARM: {short_fingerprint(ANN.public)}" in out and "damaged.cards is not a file" in out
    proof.write_bytes(write_bundle([TYPE]))
    assert main(["ledger", "verify", str(proof), str(damaged)]) == 1
    assert capsys.readouterr().out.endswith("Something is wrong.\n")


def test_invalid_record_is_reported_by_its_number():
    spoilt = bytearray(GIVEN.raw)
    spoilt[-1] ^= 1
    found = verify_records([TYPE.raw, bytes(spoilt)])
    assert [(number, str(code)) for number, code in found.wrong] == [(2, "bad_signature")]
    assert found.status == 1


def test_verify_says_which_picture_was_changed(said):
    face = b"a picture"
    kind = CardType(MAKER.public, None, 0, None, "Toad", "", image_digest(face), (), True, "")
    data = write_bundle([sign_record(kind, MAKER)], [b"another", face])
    other = write_bundle([sign_record(kind, MAKER)], [b"another"])
    assert said(raw=data)[0] == 1
    status, out = said(raw=other)
    assert status == 1 and "picture 1" in out and "Toad" in out
    assert said(raw=write_bundle([sign_record(kind, MAKER)], [face]))[0] == 0
    assert said(raw=write_bundle([sign_record(kind, MAKER)]))[0] == 0
