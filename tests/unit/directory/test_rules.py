"""The rules of a directory, without sockets: which reports count."""

import pytest

from directory.rules import Caller, DirectoryBounds, Registry
from protocol.codes import Code
from protocol.directory.report import sign_report
from protocol.identity.address import Address
from protocol.identity.keys import Identity
from protocol.messages.directory import Listed, Refused
from tests.support.directories import ANN, BOB, DIRECTORY, NOW, PUBLIC, claimed, report

RELAY = Address("relay.example.org", 443, "wss")
NONCE = b"n" * 32
HERE = Caller(PUBLIC, PUBLIC, NONCE)


def registry(*relays, may_list=None, **bounds) -> Registry:
    values = {} if may_list is None else {"may_list": may_list}
    return Registry(DIRECTORY.public, relays, DirectoryBounds(**bounds), **values)


def answer(board, made, identity=ANN, caller=HERE, now=NOW, ticks=0.0, **values):
    return board.answer(claimed(made, identity, NONCE, **values), caller, now, ticks)


def code_of(said) -> Code | None:
    return said.code if isinstance(said, Refused) else None


def test_report_from_its_own_address_is_listed():
    board = registry()
    assert answer(board, report()) == Listed(300)
    assert board.changed
    assert board.list_now(NOW) == [report()]
    assert not board.changed


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.35:7500",
        "[2606:4700::1111]:7500",
        "victim.example.org:7500",
        "wss://victim.example.org/t/abc",
        f"ws://{PUBLIC}:7500/t/abc",
    ],
)
def test_report_with_address_of_another_is_refused(address):
    board = registry(RELAY)
    assert code_of(answer(board, report(address=address))) is Code.WRONG_ADDRESS
    assert not len(board)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.168.1.7", "192.168.1.7:7500"),
        ("127.0.0.1", "127.0.0.1:7500"),
        ("fe80::1", "[fe80::1]:7500"),
        (PUBLIC, f"{PUBLIC}:22"),
        (PUBLIC, f"{PUBLIC}:6379"),
    ],
)
def test_address_that_nobody_may_call_is_refused(host, address):
    said = answer(registry(), report(address=address), caller=Caller(host, host, NONCE))
    assert code_of(said) is Code.WRONG_ADDRESS


def test_address_at_named_relay_is_listed_for_its_own_table():
    own = f"{RELAY}/t/{report().fingerprint}"
    assert answer(registry(RELAY), report(address=own)) == Listed(300)
    assert code_of(answer(registry(), report(address=own))) is Code.WRONG_ADDRESS
    other = report(BOB, address=own)
    assert code_of(answer(registry(RELAY), other, BOB)) is Code.WRONG_ADDRESS


def test_report_with_claim_for_another_nonce_is_refused():
    message = claimed(report(), nonce=b"m" * 32)
    assert code_of(registry().answer(message, HERE, NOW, 0.0)) is Code.BAD_SIGNATURE


def test_report_with_claim_for_another_directory_is_refused():
    said = answer(registry(), report(), directory=BOB.public)
    assert code_of(said) is Code.BAD_SIGNATURE


def test_report_with_claim_of_another_is_refused():
    assert code_of(answer(registry(), report(), BOB)) is Code.BAD_SIGNATURE


def test_report_of_weak_key_is_refused():
    weak = report()._replace(public=bytes([1]) + bytes(31))
    assert code_of(answer(registry(), weak)) is Code.BAD_IDENTITY


@pytest.mark.parametrize("number", [NOW, NOW - 1])
def test_report_that_is_not_newer_is_refused(number):
    board = registry()
    answer(board, report())
    said = answer(board, report(name="old", number=number))
    assert code_of(said) is Code.OUTDATED
    assert [each.name for each in board.list_now(NOW)] == ["Ann's table"]


def test_newer_report_replaces_the_older_one():
    board = registry()
    answer(board, report())
    assert answer(board, report(name="new", number=NOW + 1)) == Listed(300)
    assert [each.name for each in board.list_now(NOW)] == ["new"]


@pytest.mark.parametrize("expires", [NOW, NOW - 1, NOW + 1_021, 2**62])
def test_report_with_life_out_of_bounds_is_refused(expires):
    assert code_of(answer(registry(), report(expires=expires))) is Code.OUTDATED


def test_report_is_dropped_when_it_expires():
    board = registry()
    answer(board, report())
    assert board.list_now(NOW + 899)
    assert not board.list_now(NOW + 900)
    # and its place at the address is free
    assert not board._listed_of


def test_tables_of_one_address_are_bounded():
    board = registry(tables_of_address=2)
    for number in range(1, 4):
        identity = Identity(bytes([number]) * 32)
        said = answer(board, report(identity), identity)
    assert code_of(said) is Code.TOO_MANY_HERE
    elsewhere = "93.184.216.35"
    moved = report(identity, address=f"{elsewhere}:7500")
    caller = Caller(elsewhere, elsewhere, NONCE)
    assert answer(board, moved, identity, caller) == Listed(300)


def test_table_that_moves_frees_its_place():
    board = registry(tables_of_address=1)
    answer(board, report())
    caller = Caller("93.184.216.35", "93.184.216.35", NONCE)
    moved = report(number=NOW + 1, address="93.184.216.35:7500")
    assert answer(board, moved, caller=caller) == Listed(300)
    assert answer(board, report(BOB), BOB) == Listed(300)


def test_tables_in_all_are_bounded_for_newcomers():
    board = registry(tables=1)
    answer(board, report())
    assert code_of(answer(board, report(BOB), BOB)) is Code.TOO_MANY
    assert answer(board, report(number=NOW + 1)) == Listed(300)


def test_reports_of_one_address_are_bounded_before_they_are_read():
    board = registry(reports_of_address=(2, 0.01))
    lies = claimed(report(), BOB)
    for _ in range(2):
        assert code_of(board.answer(lies, HERE, NOW, 0.0)) is Code.BAD_SIGNATURE
    said = answer(board, report())
    assert said == Refused(Code.TOO_MANY_HERE, 100)
    caller = Caller("93.184.216.35", "93.184.216.35", NONCE)
    other = report(BOB, address="93.184.216.35:7500")
    assert answer(board, other, BOB, caller) == Listed(300)


def test_reports_in_all_are_bounded():
    board = registry(reports=(1, 1.0))
    assert answer(board, report()) == Listed(300)
    caller = Caller("93.184.216.35", "93.184.216.35", NONCE)
    other = report(BOB, address="93.184.216.35:7500")
    assert answer(board, other, BOB, caller) == Refused(Code.TOO_MANY, 1)
    assert answer(board, other, BOB, caller, ticks=1.0) == Listed(300)


def test_list_of_before_a_restart_counts_again():
    board = registry()
    late = sign_report(report(BOB)._replace(expires=NOW), BOB)
    board.restore([report(), late], NOW)
    assert board.list_now(NOW) == [report()]
    assert code_of(answer(board, report())) is Code.OUTDATED
    assert answer(board, report(number=NOW + 1)) == Listed(300)


def test_restart_gives_an_address_no_more_places():
    board = registry(tables_of_address=1)
    board.restore([report()], NOW)
    bob = sign_report(report(BOB), BOB)
    assert code_of(answer(board, bob, BOB)) is Code.TOO_MANY_HERE
    assert answer(board, report(number=NOW + 1)) == Listed(300)


def test_flood_from_many_addresses_pushes_nobody_out_of_the_list():
    board = registry(reports=(2, 0.001))
    assert answer(board, report()) == Listed(300)
    codes = [
        code_of(answer(board, report(BOB), BOB, caller=Caller(host, host, NONCE)))
        for host in ("198.18.0.1", "198.18.0.2")
    ]
    assert codes == [Code.WRONG_ADDRESS, Code.TOO_MANY]
    assert answer(board, report(number=NOW + 1)) == Listed(300)
