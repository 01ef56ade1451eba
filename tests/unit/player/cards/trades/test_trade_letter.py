"""Trades by letters: the time of each signature, the refusals, and letters that arrive twice or
never.
"""

import pytest

from player.cards.storage.ledger_store import LedgerStore
from player.cards.trades.trade_letter import MAGIC, Letter, LetterKind, read_letter, write_letter
from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.bundle import MAGIC as CARDS
from protocol.ledger.bundle import read_bundle, write_bundle
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import image_digest, read_record, sign_record
from protocol.ledger.retention import alarm_records
from protocol.ledger.trading.journal import (
    JournalCount,
    JournalStanding,
    count_signed,
    sign_standing,
)
from protocol.ledger.view import evaluate
from protocol.limits import MAX_BUNDLE, MAX_LETTER_RECORDS, MAX_TRADE_LETTER
from protocol.wire import encode
from tests.support.collectors import Collectors
from tests.support.ledger import CAROL, DAN, EVE, MAKER, TYPE, card, slot_of, traded
from tests.support.stores import left_open
from tests.unit.player.ui.terminal.cards.test_trade_prompt import Both
from tests.unit.player.ui.terminal.cards.test_trade_prompt import owned as serials

ANNS, BOBS = "Salamander#1", "Salamander#3"


@pytest.fixture
def people(tmp_path, monkeypatch) -> Collectors:
    monkeypatch.setenv("LANGUAGE", "en")
    made = Collectors(tmp_path)
    made.everybody_begins()
    return made


def letter(people: Collectors, number: int) -> str:
    return str(people.folder / f"{number}.trade")


def offered(people: Collectors) -> None:
    """Deliver Ann's first letter, and Bob's signature under it."""
    assert (
        people.type(
            "ann",
            "trade",
            "--letter",
            "",
            "--give",
            ANNS,
            "--want",
            BOBS,
            "--out",
            letter(people, 1),
        )
        == 0
    )
    back = ("--give", BOBS, "--want", ANNS, "--yes", "--out", letter(people, 2))
    assert people.type("bob", "trade", "--letter", letter(people, 1), *back) == 0


def owned(people: Collectors, capsys, who: str) -> str:
    capsys.readouterr()
    assert people.type(who, "list") == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_first_signer_reserves_cards_until_the_answer(people, capsys):
    offered(people)
    assert "Salamander #3" in (said := owned(people, capsys, "bob")) and "reserved" in said
    exact = ("--give", ANNS, "--want", BOBS, "--yes", "--out", letter(people, 3))
    assert people.type("ann", "trade", "--letter", letter(people, 2), *exact) == 0
    assert people.type("bob", "trade", "--letter", letter(people, 3)) == 0
    assert "Salamander #1" in (said := owned(people, capsys, "bob")) and "reserved" not in said


@pytest.mark.slow
def test_trade_signed_by_letter_is_finished_in_a_session(people):
    """The answer to a letter may come when the two meet, at a table or over a line."""
    offered(people)
    both = Both(people)
    assert "You get 1 card:" in both.ann.text()
    both.type(("ann", "yes"))
    assert (serials(both.ann), serials(both.bob)) == ([2, 3], [1, 4])


@pytest.mark.slow
@pytest.mark.parametrize("nobodys", ("ffff", "nonsense", "Salamander#999"))
def test_letter_names_unknown_card_or_person(people, capsys, nobodys):
    assert people.type("ann", "show", nobodys) == 2
    said = capsys.readouterr().err
    assert f"no card, trade or person called {nobodys}" in said and "fairdeal cards list" in said


@pytest.mark.slow
def test_letter_read_again_gets_same_bytes_and_no_signature(people, capsys):
    offered(people)
    first = (people.folder / "2.trade").read_bytes()
    back = ("--give", BOBS, "--want", ANNS, "--yes", "--out", letter(people, 2))
    assert people.type("bob", "trade", "--letter", letter(people, 1), *back) == 0
    assert (people.folder / "2.trade").read_bytes() == first
    exact = ("--give", ANNS, "--want", BOBS, "--yes", "--out", letter(people, 3))
    for _ in range(2):
        assert people.type("ann", "trade", "--letter", letter(people, 2), *exact) == 0
    for _ in range(2):
        assert people.type("bob", "trade", "--letter", letter(people, 3)) == 0


@pytest.mark.slow
def test_letter_with_too_much_is_refused_and_leaves_nothing(people, capsys):
    offered(people)
    good = read_letter((people.folder / "1.trade").read_bytes())
    assert people.type("bob", "export", "--all", "--out", people.folder / "before.cards") == 0
    raws = [encode([0, number.to_bytes(4, "big")]) for number in range(MAX_LETTER_RECORDS + 1)]
    bundle = CARDS + b"".join(len(raw).to_bytes(4, "big") + raw for raw in raws)
    ann = Identity(b"\7" * 32)
    standing = sign_standing(ann, count_signed([]))
    many = Letter(LetterKind.OFFER, ann.public, "ann", standing, None, good.fields, bundle)
    (people.folder / "many.trade").write_bytes(write_letter(ann, many))
    (people.folder / "large.trade").write_bytes(MAGIC + bytes(MAX_TRADE_LETTER))
    (people.folder / "large.cards").write_bytes(CARDS)
    with (people.folder / "large.cards").open("r+b") as file:
        file.truncate(MAX_BUNDLE + 1)
    capsys.readouterr()
    for name, said in (("many", "50001 records"), ("large", "larger than 16 MiB")):
        assert people.type("bob", "trade", "--letter", people.folder / f"{name}.trade")
        assert said in capsys.readouterr().err
    assert people.type("bob", "import", people.folder / "large.cards")
    assert "larger than 128 MiB" in capsys.readouterr().err
    assert people.type("bob", "export", "--all", "--out", people.folder / "after.cards") == 0
    both = [(people.folder / f"{name}.cards").read_bytes() for name in ("before", "after")]
    assert both[0] == both[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "said", "verdict"),
    [("en", "belongs to none of its cards", "1 picture"), ("de", "gehört zu keiner", "1 Bild")],
)
def test_changed_picture_is_said_by_import_and_verify(
    people, capsys, monkeypatch, language, said, verdict
):
    assert people.type("ann", "export", "--all", "--out", people.folder / "all.cards") == 0
    there = read_bundle((people.folder / "all.cards").read_bytes())
    kind = CardType(
        MAKER.public, None, 0, None, "Toad", "", image_digest(b"a picture"), (), True, ""
    )
    records = [*map(read_record, there.raws), sign_record(kind, MAKER)]
    (people.folder / "changed.cards").write_bytes(write_bundle(records, [b"a pikture"]))
    monkeypatch.setenv("LANGUAGE", language)
    capsys.readouterr()
    for command in ("verify", "import"):
        assert people.type("bob", command, people.folder / "changed.cards") == 1
        out = capsys.readouterr().out
        assert said in out and verdict in out and "Toad" in out


@pytest.mark.slow
def test_letter_has_alarms_without_their_parents(people, capsys):
    """Otherwise a person who floods others with alarms about own keys could make their letters too
    long for anybody.
    """
    strange = card(9)
    spent = [traded(MAKER, to, [slot_of(strange.id)]) for to in (EVE, DAN)]
    (people.folder / "flood.cards").write_bytes(write_bundle([TYPE, strange, *spent]))
    assert people.type("ann", "import", people.folder / "flood.cards") == 0
    offered(people)
    bundle = read_letter((people.folder / "1.trade").read_bytes()).opened()
    assert {one.raw for one in spent} <= set(bundle.raws) and strange.raw not in bundle.raws
    assert people.type("ann", "export", "--out", people.folder / "mine.cards") == 0
    given = read_bundle((people.folder / "mine.cards").read_bytes()).raws
    assert {one.raw for one in spent} <= set(given) and strange.raw not in given
    people.type("bob", "alarms")
    assert "1 alarm." in capsys.readouterr().out


def test_alarms_about_concerned_people_go_first():
    one, two = (
        card(1),
        card(
            2,
            by=CAROL,
            kind=sign_record(
                CardType(CAROL.public, None, 0, None, "x", "", None, (), False, ""), CAROL
            ),
        ),
    )
    spends = [
        traded(by, to, [slot_of(what.id)])
        for by, what in ((MAKER, one), (CAROL, two))
        for to in (EVE, DAN)
    ]
    alarms = evaluate([TYPE, one, two, *spends]).alarms
    assert {alarm.key for alarm in alarms} == {MAKER.public, CAROL.public}
    size = sum(len(record.raw) for record in spends[:2])
    for near, found in ((one, spends[:2]), (two, spends[2:])):
        assert set(alarm_records(alarms, [near], size)) == set(found)
    assert alarm_records(alarms, [one], size - 1) == ()


@pytest.mark.slow
def test_letter_without_agreement_is_waived_and_frees_cards(people, capsys):
    offered(people)
    wrong = ("--give", ANNS, "--want", "Salamander#4", "--yes", "--out", letter(people, 3))
    assert people.type("ann", "trade", "--letter", letter(people, 2), *wrong) == 1
    assert "never happened" in capsys.readouterr().out
    assert people.type("bob", "trade", "--letter", letter(people, 3)) == 1
    assert "reserved" not in owned(people, capsys, "bob")
    assert people.type("bob", "alarms") == 0 and "0 alarms." in capsys.readouterr().out
    people.trade("cleo", "Salamander#5", "bob", BOBS)  # and can be traded again, with nobody named
    assert people.type("cleo", "verify", BOBS) == 0


@pytest.mark.slow
def test_reserved_card_is_promised_again_only_after_warning(people, capsys):
    offered(people)
    assert (
        people.type(
            "cleo", "trade", "--letter", "", "--give", "Salamander#5", "--out", letter(people, 4)
        )
        == 0
    )
    back = ("--give", BOBS, "--want", "Salamander#5", "--yes", "--out", letter(people, 5))
    assert people.type("bob", "trade", "--letter", letter(people, 4), *back) == 1
    assert "an alarm names you" in capsys.readouterr().out
    assert not (people.folder / "5.trade").exists()


@pytest.mark.slow
def test_letter_against_own_policy_is_not_signed(people, capsys):
    assert people.type("bob", "policy", "certified", "only") == 0
    assert (
        people.type("ann", "trade", "--letter", "", "--give", ANNS, "--out", letter(people, 1)) == 0
    )
    back = ("--give", BOBS, "--want", ANNS, "--yes", "--out", letter(people, 2))
    assert people.type("bob", "trade", "--letter", letter(people, 1), *back) == 2
    assert "policy" in capsys.readouterr().err
    assert "reserved" not in owned(people, capsys, "bob")


@pytest.mark.slow
def test_own_or_foreign_letter_is_not_answered(people, capsys):
    offered(people)
    assert people.type("ann", "trade", "--letter", letter(people, 1), "--give", ANNS) == 2
    assert "your own letter" in capsys.readouterr().err
    assert people.type("cleo", "trade", "--letter", letter(people, 2), "--yes") == 2
    assert people.type("ann", "trade", "--letter", people.starter) == 2
    assert "is not a readable letter" in capsys.readouterr().err


@pytest.mark.slow
def test_letter_from_old_data_folder_is_noticed_and_unsigned(people, capsys):
    offered(people)
    store = left_open(LedgerStore(people.folder / "ann", people.people["ann"].public, None))
    store.journal.store_standing(
        people.people["bob"].public, sign_standing(people.people["bob"], JournalCount(9, bytes(32)))
    )
    store.close()
    exact = ("--give", ANNS, "--want", BOBS, "--yes", "--out", letter(people, 3))
    assert people.type("ann", "trade", "--letter", letter(people, 2), *exact) == 0
    assert people.type("bob", "trade", "--letter", letter(people, 3)) == 0
    assert people.type("bob", "trade", "--letter", "", "--give", "Salamander#4") == 2
    assert "old copy" in capsys.readouterr().err
    assert people.type("bob", "mend") == 1
    assert people.type("bob", "mend", "--yes") == 0
    assert (
        people.type(
            "bob", "trade", "--letter", "", "--give", "Salamander#4", "--out", letter(people, 4)
        )
        == 0
    )


ME = Identity(b"\7" * 32)


def written(**changed: object) -> bytes:
    usual = {
        "kind": LetterKind.OFFER,
        "key": ME.public,
        "name": "Eve",
        "standing": sign_standing(ME, count_signed(())),
        "yours": None,
        "fields": ([], ["Ember"], []),
        "bundle": write_bundle([]),
    }
    return write_letter(ME, Letter(**(usual | changed)))


def test_letter_shows_its_written_content():
    made = read_letter(written())
    assert (made.kind, made.key, made.name, made.fields) == (
        LetterKind.OFFER,
        ME.public,
        "Eve",
        ([], ["Ember"], []),
    )
    assert made.opened().raws == ()


def test_letter_with_any_changed_byte_is_refused():
    data = written()
    for at in range(len(data)):
        with pytest.raises(RemoteError):
            read_letter(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    for cut in (0, 10, len(data) - 1):
        with pytest.raises(RemoteError):
            read_letter(data[:cut])


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"kind": "gift"}, Code.BAD_MESSAGE),
        ({"fields": ()}, Code.BAD_MESSAGE),
        ({"fields": ([b"short"], [], [])}, Code.BAD_MESSAGE),
        ({"kind": LetterKind.SIGNED, "fields": (b"", b"s" * 64)}, Code.BAD_MESSAGE),
        ({"standing": JournalStanding(0, bytes(32), b"short")}, Code.BAD_MESSAGE),
        ({"name": "the table"}, Code.BAD_NAME),
    ],
)
def test_letter_of_another_shape_is_refused(changed, code):
    with pytest.raises(RemoteError) as refused:
        read_letter(written(**changed))
    assert refused.value.code is code


def test_letter_with_weak_key_or_foreign_signature_is_refused():
    body, _, signature = wire.decode(written()[len(MAGIC) :])
    for key, code in (
        (bytes(32), Code.BAD_IDENTITY),
        (Identity(b"\6" * 32).public, Code.BAD_SIGNATURE),
    ):
        with pytest.raises(RemoteError) as refused:
            read_letter(MAGIC + wire.encode([body, key, signature]))
        assert refused.value.code is code
