"""The study of Ligretto: its numbers are as published, and other results are noticed.

Seeds are fixed, so results repeat exactly. With other seeds, all comparisons together would fail by
chance at most once in a thousand runs.
"""

from itertools import pairwise
from math import isclose, sqrt

import pytest

from scripts.ligretto import measures, model_comparison, tables
from scripts.ligretto.measures import found, play_rounds
from scripts.ligretto.reference_values import instants, nearer, rescued, rounds_at_a_table, signals
from scripts.ligretto.tables import PAGE, PARTS, Study, even_model, insert_tables, marks, places
from simulation.models import TableModel
from simulation.models.random_draws import CELLS, quantiles
from simulation.report.statistics import evenness

UNEVEN = 0.001  # p below which a sample counts as uneven

pytestmark = pytest.mark.slow  # the plotting library takes seconds to load


def test_think_times_have_stated_mean_and_spread():
    bounds = quantiles(0.5)
    cells = list(pairwise(bounds))
    mean = sum(low + high for low, high in cells) / 2 / CELLS
    square = sum(low * low + low * high + high * high for low, high in cells) / 3 / CELLS
    assert isclose(mean, 1.0, abs_tol=1e-4)
    assert isclose(sqrt(square - mean * mean), 0.5, abs_tol=1e-4)
    assert list(bounds) == sorted(bounds)


@pytest.mark.parametrize("cases", (rounds_at_a_table, rescued, nearer))
def test_table_study_matches_published_numbers(cases):
    study = Study(600)
    for case in cases():
        study.row(case, case.columns)
    assert (study.compared, study.wrong) == (sum(len(case.columns) for case in cases()), [])


def test_machines_study_matches_published_numbers():
    study = Study(400)
    for case in [*signals(60.0)[:2], signals(300.0)[1], *instants()[:2]]:
        study.row(case, case.columns)
    assert study.compared and not study.wrong


def test_numbers_other_than_published_are_noticed():
    (case,) = [case for case in nearer() if case.title == "0.2 |"]
    for model in (
        TableModel(latency=(0.0, 0.2, 0.2, 0.2), late_news=True),
        TableModel(latency=(0.0, 0.1, 0.1, 0.1)),
    ):
        study = Study(20_000)
        study.cell(case, "first_seat", play_rounds(model, 4000))
        assert len(study.wrong) == 1


def test_sequential_signals_are_unfair_and_instants_fair():
    uneven, even = (
        evenness(places(play_rounds(even_model(instants=kind), 120, 5), 100))
        for kind in (False, True)
    )
    assert uneven.p is not None and uneven.p < UNEVEN
    assert even.p is not None and even.p > UNEVEN


@pytest.mark.parametrize("way, fair", ((0.1, True), (0.04, False)))
def test_seat_levelled_less_stops_more_rounds(way, fair):
    stops = [one.stop for one in play_rounds(TableModel(latency=(way, 0.1, 0.1, 0.1)), 10_000, 3)]
    off = abs(stops.count(0) / len(stops) - 0.25) / sqrt(0.25 * 0.75 / len(stops))
    assert (off < 3.29) == fair  # 3.29: two-sided, p = UNEVEN


def test_models_agree_for_all_settings():
    assert model_comparison.differing_seeds(range(60)) == []


def test_every_study_table_is_in_the_page():
    page = PAGE.read_text("utf-8")
    assert [
        name for name in PARTS if page.count(marks(name)[0]) != 1 or page.count(marks(name)[1]) != 1
    ] == []
    made = insert_tables(page, {name: f"({name})" for name in PARTS})
    assert all(f"{marks(name)[0]}\n\n({name})\n\n{marks(name)[1]}" in made for name in PARTS)
    assert insert_tables(made, {"even": "again"}).count("again") == made.count("again") + 1


def test_number_is_rounded_to_its_error():
    assert tables.text_of(measures.Found(12.3456, 0.6)) == "12 ± 1"
    assert tables.text_of(measures.Found(0.28349, 0.002)) == "0.283 ± 0.004"
    rounds = play_rounds(TableModel(), 80)
    assert found(measures.gridlock, rounds).value == measures.gridlock(rounds)
