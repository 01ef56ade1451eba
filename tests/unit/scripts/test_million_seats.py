"""Arithmetic of a million seats: the page has what the script computes, and it grows with the seats."""

from pathlib import Path

from scripts.million_seats import LOADS, cores_of, page, rows, seats_of_core

PAGE = Path(__file__).resolve().parents[3] / "docs/million-seats.md"


def test_page_has_what_the_script_computes():
    between = PAGE.read_text().split("<!-- seats: written by scripts.million_seats -->")[1]
    assert between.split("<!-- seats end -->")[0].strip() == page(1_000_000)


def test_needs_grow_with_the_seats():
    assert sum(load.share for load in LOADS) == 1
    for load in LOADS:
        core = int(seats_of_core(load) / load.share)
        assert cores_of(load, core) == 1 and cores_of(load, 2 * core + 2) >= 2
    few, many = dict(rows(1_000)), dict(rows(10_000_000))
    assert few["entries a second"] == "132" and many["entries a second"] == "1,319,444"
