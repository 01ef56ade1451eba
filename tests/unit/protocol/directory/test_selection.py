"""Filter, order and a seat anywhere; and what ten thousand tables cost."""

from random import Random
from time import process_time

import pytest

from protocol.directory.report import TableReport
from protocol.directory.selection import Order, first_valid, matching, ordered, seat_anywhere
from protocol.directory.table_list import decode_list, encode_list
from protocol.identity.keys import Identity
from tests.support.directories import ANN, BOB, DIRECTORY, NOW, many_reports, report

TABLES = 10_000
MOST = 0.1  # seconds of processor time for list, filter, order, twenty rows and a seat


def names(reports: list[TableReport]) -> list[str]:
    return [each.name for each in reports]


def test_matching_drops_expired_full_and_other_games():
    kept = report(name="kept")
    late = report(name="late", expires=NOW)
    full = report(name="full", free=0)
    other = report(name="other", games=("nim",))
    reports = [kept, late, full, other]
    assert names(matching(reports, NOW, "draw-dominoes")) == ["kept"]
    assert names(matching(reports, NOW)) == ["kept", "other"]
    assert names(matching(reports, NOW, only_free=False)) == ["kept", "full", "other"]


def test_order_of_rows_is_as_asked():
    reports = [
        report(name="b", taken=0, free=9),
        report(name="C", taken=1, free=1),
        report(name="a", taken=5, free=0),
    ]
    assert names(ordered(reports, Order.NAME)) == ["a", "b", "C"]
    assert names(ordered(reports, Order.PEOPLE)) == ["a", "C", "b"]
    assert names(ordered(reports, Order.FREE)) == ["C", "a", "b"]


def test_row_with_wrong_signature_is_not_shown():
    good = report()
    bad = report(BOB)._replace(name="another")
    assert first_valid([bad, good, good], 2) == ([good], 1)


def test_seat_anywhere_is_by_lot_among_those_with_people():
    waiting = [report(Identity(bytes([n]) * 32), name=str(n), taken=1) for n in range(1, 6)]
    empty = report(BOB, name="empty", taken=0)
    full = report(name="full", taken=9, free=0)
    rng = Random(3)
    found = {seat_anywhere([empty, full, *waiting], rng).name for _ in range(200)}
    assert found == {"1", "2", "3", "4", "5"}
    assert seat_anywhere([empty, full], rng) == empty
    assert seat_anywhere([full], rng) is None


def test_seat_anywhere_passes_over_lies():
    private = report(ANN, address="192.168.1.1:7500")
    forged = report(BOB)._replace(free=2)
    good = report(Identity(b"g" * 32), taken=0)
    assert seat_anywhere([private, forged, good], Random(1)) == good
    assert seat_anywhere([private, forged], Random(1)) is None


@pytest.mark.slow
def test_ten_thousand_tables_cost_little_to_browse():
    data = encode_list(many_reports(TABLES, signed=200), 3, NOW + 900, DIRECTORY)

    def browse() -> float:
        begun = process_time()
        found = decode_list(data)
        rows = ordered(matching(found.reports, NOW, "nim"), Order.FREE)
        first_valid(rows, 20)
        seat_anywhere(rows, Random(1))
        return process_time() - begun

    assert min(browse() for _ in range(5)) < MOST


def test_part_of_a_name_is_found_in_any_case():
    attic, corner = report(name="Attic"), report(BOB, name="Corner Straße")
    assert matching([attic, corner], NOW, name=" STRASSE") == [corner]
    assert matching([attic, corner], NOW, name="nobody") == []
