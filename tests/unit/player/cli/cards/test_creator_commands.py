"""`fairdeal creator` at the command line."""

import pytest

from player.cards.collection import Collection
from player.cards.creator.element_set.cards import CARDS
from player.cards.creator.run_store import DiskSaleStore, lock_runs, stored_runs
from player.storage.identity_file import read_keyfile
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.records import image_digest
from protocol.ledger.runs.sealed_run import pack_count
from tests.support.creators import Creators


@pytest.fixture
def people(tmp_path, monkeypatch):
    return Creators(tmp_path, monkeypatch)


def types_of(people):
    with people.program("new") as program:
        return {kind.name: kind for _, kind in program.collection.index.types.values()}


@pytest.mark.slow
def test_element_set_is_created_once_with_faces(people, capsys):
    assert people.type("new", "--name", "Maker", "--set", "elements") == 0
    assert people.type("new", "--set", "elements") == 0
    kinds = types_of(people)
    assert set(kinds) == {card.name for card in CARDS} and all(
        kind.frozen for kind in kinds.values()
    )
    with people.program("new") as program:
        for card in CARDS:
            assert kinds[card.name].image == image_digest(card.face)
            assert program.collection.store.image(kinds[card.name].image) == card.face
        # no new record was made
        assert program.collection.index.creators[program.collection.me][1].revision == 0
    said = capsys.readouterr()
    assert "Maker (you)" in said.out and "Maker" not in said.err


@pytest.mark.slow
def test_run_is_sealed_privately_and_collection_lacks_its_cards(
    people,
):
    people.type("new", "--set", "elements")
    assert people.type("run") == 0
    (kept,) = stored_runs(people.folder / "maker")
    assert (pack_count(kept.sealed.run), len(kept.sealed.cards)) == (50, 250)
    assert {
        path.stat().st_mode & 0o777
        for path in (people.folder / "maker" / "creator").glob("*.sealed")
    } == {0o600}
    with people.program("new") as program:
        assert (
            kept.sealed.record.id in program.collection.records
            and not program.collection.index.instances
        )


def small_run(people, *words):
    people.type("new", "--name", "Maker")
    people.type(
        "type", "Oak", "--edition", "Trees", "--value", "strength=7", "--value", "kind=wood"
    )
    return people.type("run", "--copies", "Oak=6", "--pack-size", "2", *words)


@pytest.mark.slow
def test_card_types_are_created_revised_and_frozen(people):
    assert small_run(people) == 0
    assert (
        people.type("revise", "oak", "--text", "It has seen you before.", "--value", "strength=8")
        == 0
    )
    oak = types_of(people)["Oak"]
    assert (oak.revision, oak.text, oak.values) == (
        1,
        "It has seen you before.",
        (("strength", 8),),
    )
    assert (
        people.type("type", "Ash", "--edition", "Trees", "--value", "strength=5", "--frozen") == 0
    )
    assert people.type("revise", "Ash", "--value", "strength=6") == 2
    assert people.type("revise", "Ash", "--name", "Old Ash") == 0
    assert types_of(people)["Old Ash"].values == (("strength", 5),)


def test_serial_numbers_continue_in_the_next_run(people):
    small_run(people)
    assert people.type("run", "--copies", "Oak=4", "--pack-size", "2") == 0
    first, second = stored_runs(people.folder / "maker")
    assert [kept.sealed.run.number for kept in (first, second)] == [0, 1]
    serials = [
        sorted(card.content.serial for card in kept.sealed.cards.values())
        for kept in (first, second)
    ]
    assert serials == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]


@pytest.mark.parametrize(
    "words",
    [
        ("type", "Oak"),
        ("new", "--link", "http://example.org"),
        ("new", "--witness", "abc"),
        ("new", "--witness", "ab" * 32, "--quorum", "2"),
        ("new", "--name", "x" * 61),
        ("new", "--name", "a\x1b[2J"),
        ("run",),
        ("sell",),
        ("open",),
    ],
)
def test_impossible_arguments_are_refused_with_advice(people, words, capsys):
    assert people.type(*words) == 2
    assert "fairdeal:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("type", "Oak", "--edition", "Trees"),
        ("type", "Fir", "--value", "strength"),
        ("type", "Fir", "--image", "/nowhere"),
        ("type", "Fir", "--image", __file__),
        ("revise", "Oak"),
        ("revise", "Elm", "--text", "x"),
        ("run", "--edition", "Rocks"),
        ("run", "--copies", "Oak"),
        ("run", "--copies", "Oak=5", "--pack-size", "2"),
        ("run", "--copies", "Oak=0"),
        ("run", "--pack-size", "65"),
        ("sell", "abcd1234"),
        ("sell", "--price", "63"),
        ("open",),
    ],
)
def test_arguments_contradicting_existing_cards_are_refused(people, words, capsys):
    small_run(people)
    capsys.readouterr()
    assert people.type(*words) == 2
    assert "fairdeal:" in capsys.readouterr().err


def test_run_damaged_on_disk_is_not_sold(people):
    small_run(people)
    (path,) = (people.folder / "maker" / "creator").glob("*.sealed")
    raw = path.read_bytes()
    for at in range(0, len(raw), len(raw) // 12):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        with pytest.raises(LocalError):
            stored_runs(people.folder / "maker")


def test_sale_numbers_continue_after_restart_with_one_sale_pending(
    people,
):
    small_run(people)
    data = people.folder / "maker"
    assert read_keyfile(data) is not None
    with people.program("sell") as program:
        for number in range(3):
            till = DiskSaleStore(
                stored_runs(data), 0, Collection(program.collection.store, program.collection.me)
            )
            (stock,) = till.stock()
            assert till.begin(stock.run_id) == number
            with pytest.raises(RemoteError) as error:
                till.begin(stock.run_id)
            assert error.value.code is Code.NOT_NOW


def test_second_program_cannot_sell_from_same_folder(tmp_path):
    with lock_runs(tmp_path), pytest.raises(LocalError), lock_runs(tmp_path):
        raise AssertionError("both are in")


@pytest.mark.parametrize("command", ["new", "type", "revise", "run", "sell", "open", "check"])
def test_creator_describes_every_command(people, command, capsys):
    with pytest.raises(SystemExit):
        people.type(command, "--help")
    assert len(capsys.readouterr().out) > 300
