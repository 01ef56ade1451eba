"""Invariants of every round in the model of a table, for all random draws."""

from dataclasses import replace

import pytest

from simulation.models import TableModel
from simulation.models.run import run_rounds

TABLES = (
    TableModel(),
    TableModel(seats=2, row=5, rescues=40),
    TableModel(seats=3, latency=(0.0, 0.2, 0.1), think=(1.0, 2.0)),
    TableModel(seats=6, row=3, windows=0.5, latency=(0.1,)),
)


@pytest.mark.parametrize("table", TABLES)
def test_counts_of_a_round_are_consistent(table):
    for round_ in run_rounds(table, 5, 40):
        assert sum(round_.laid) + sum(round_.late) == sum(round_.attempts)
        assert all(
            -20 <= points <= laid for points, laid in zip(round_.points, round_.laid, strict=True)
        )
        if round_.stop is not None:
            assert round_.points[round_.stop] == round_.laid[round_.stop] >= 10


def test_table_model_repeats_for_same_seed():
    assert (
        list(run_rounds(TableModel(), 1, 5))
        == list(run_rounds(TableModel(), 1, 5))
        != list(run_rounds(TableModel(), 2, 5))
    )


def test_levelling_makes_near_seats_equally_distant():
    near = TableModel(latency=(0.0, 0.2, 0.2, 0.2), level=0.2)
    assert list(run_rounds(near, 3, 5)) == list(run_rounds(replace(near, latency=(0.2,) * 4), 3, 5))
