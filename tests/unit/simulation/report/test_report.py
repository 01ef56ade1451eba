"""Reports of rounds: figures computed by hand, and a fairness test with the right error rates."""

import json
from dataclasses import replace
from math import inf
from random import Random
from xml.etree import ElementTree

import pytest

from protocol.i18n import PSEUDO, english, load_translator
from protocol.view.text import phrase_renderer
from simulation.models import MachinesModel, RoundResult, TableModel
from simulation.models.run import run_rounds
from simulation.pages.markup import inline_style, made
from simulation.pages.report_page import report_page
from simulation.report.aggregation import RoundTally
from simulation.report.number_format import as_data, figure, json_of
from simulation.report.statistics import Estimate, evenness, mean, share, spread
from simulation.report.text import report_lines
from simulation.task import SimulationTask
from simulation.task.task_parser import task_of

SAY = phrase_renderer(english, ())
TWO = SimulationTask(TableModel(seats=2, latency=(0.5, 0.0)), rounds=3)
ROUNDS = (
    RoundResult(0, 30.0, (12, 3), (12, 7), (14, 8), (2, 1), (20, 30), 0, 1),
    RoundResult(1, 50.0, (4, 11), (6, 11), (9, 13), (3, 2), (25, 35), 2, 0),
    RoundResult(None, 70.0, (-8, -10), (2, 4), (2, 4), (0, 0), (60, 70), 12, 0),
)
HOSTILE = ("<img src=x onerror=alert(1)>", "]]>&\x1b[2J\ud800", "\u202eAnn", "Bob")


def report_of(task, rounds):
    tally = RoundTally(task)
    for round_ in rounds:
        tally.add(round_)
    return tally.report()


def test_report_figures_match_calculation_by_hand():
    report = report_of(TWO, ROUNDS)
    assert (report.played, report.stopped.value, report.rescues.value) == (
        3,
        pytest.approx(2 / 3),
        pytest.approx(14 / 3),
    )
    assert (report.length.mean.value, report.length.deviation) == (50.0, 20.0)
    assert (report.length.least, report.length.most, report.length.quantiles[2]) == (
        30.0,
        70.0,
        50.0,
    )
    assert sum(report.length.bars) == 3 and report.length.bars[0] == report.length.bars[-1] == 1
    assert (report.attempts.value, report.laid.value, report.flips.value) == (
        pytest.approx(50 / 3),
        14.0,
        80.0,
    )
    assert (report.tried_per_lay, report.late.value) == (
        pytest.approx(50 / 42),
        pytest.approx(8 / 50),
    )
    assert (report.after_stop.value, report.winner_laid.value, report.winner_first.value) == (
        pytest.approx(1 / 3),
        11.5,
        1.0,
    )
    first, second = report.groups
    assert (first.stops.value, second.stops.value, first.fair) == (0.5, 0.5, 0.5)
    assert (first.points.value, second.points.value) == (pytest.approx(8 / 3), pytest.approx(4 / 3))
    assert (first.late.value, second.late.value) == (pytest.approx(5 / 25), pytest.approx(3 / 25))
    assert (first.latency, second.latency, first.think) == (0.5, 0.0, 1.0)
    assert [ranks.by for ranks in report.ranks] == ["place", "latency"]


def test_many_seats_are_reported_by_tenths():
    task = SimulationTask(MachinesModel(players=25), rounds=1)
    points = tuple(range(25))
    round_ = RoundResult(24, 1.0, points, points, points, (0,) * 25, points, 0, 0)
    groups = report_of(task, [round_]).groups
    assert [(group.first, group.last) for group in groups][:3] == [(0, 1), (2, 4), (5, 6)] and len(
        groups
    ) == 10
    assert groups[-1].last == 24 and sum(group.fair for group in groups) == pytest.approx(1)
    assert [group.stops.value for group in groups] == [0.0] * 9 + [1.0]
    assert groups[1].points.value == 3 and groups[0].latency is None


def test_report_of_no_rounds_has_no_figures():
    report = report_of(TWO, ())
    assert (report.stopped, report.late, report.length.mean, report.tried_per_lay) == (
        *[Estimate(None)] * 3,
        None,
    )
    assert report.groups[0].stops == Estimate(None) and report.ranks[0].evenness.p is None
    said = "\n".join(report_lines(report, SAY))
    assert (
        "Stopped before the end: 0 of 3 rounds were played." in said
        and "Nobody ended a round" in said
    )
    ElementTree.fromstring(report_page(report, "en", SAY))
    stuck = report_of(TWO, ROUNDS[2:])
    assert stuck.stopped.value == 0 and stuck.winner_laid == Estimate(None)


def test_intervals_match_published_values():
    assert share(5, 10) == Estimate(
        0.5, pytest.approx(0.2366, abs=1e-4), pytest.approx(0.7634, abs=1e-4)
    )
    assert share(0, 10) == Estimate(0.0, 0.0, pytest.approx(0.2775, abs=1e-4))
    assert share(10, 10) == Estimate(1.0, pytest.approx(0.7225, abs=1e-4), 1.0)
    assert mean(4, 10.0, 30.0) == (
        Estimate(2.5, pytest.approx(1.2348, abs=1e-4), pytest.approx(3.7652, abs=1e-4)),
        pytest.approx(1.29099, abs=1e-5),
    )
    assert spread([3.0]).bars == (1,) and spread([1.0, 1.0]).bars == (2,)


def test_intervals_have_their_stated_coverage():
    chance, held = Random(3), 0
    for _ in range(400):
        estimate = share(sum(chance.random() < 0.3 for _ in range(60)), 60)
        held += estimate.low <= 0.3 <= estimate.high
    assert 365 <= held <= 394  # 95 % of 400, four standard deviations either way


def test_kolmogorov_distribution_matches_published_points():
    """Published points of the table: P(K > 1.3581) = 0.05, P(K > 1.6276) = 0.01."""
    for gap, p in ((1.3581, 0.05), (1.6276, 0.01)):
        seen = 10**8
        first = seen // 2 + round(gap * seen**0.5)
        assert evenness([first, seen - first]).p == pytest.approx(p, rel=0.01)
    assert evenness([5, 5]).p == 1.0 and evenness([10**6, 0]).p == 0.0


def test_fairness_test_has_stated_error_rates():
    chance = Random(5)
    called = 0
    for _ in range(300):
        counts = [0] * 100
        for _ in range(100):
            counts[chance.randrange(100)] += 1
        called += evenness(counts).p < 0.05
    assert called <= 28  # 5 % of 300, and three standard deviations more
    assert evenness([40, *[20] * 8, 0]).p < 0.05 < evenness([22, *[20] * 8, 18]).p


@pytest.mark.slow
def test_nearer_seat_is_detected():
    """The report's test, applied to the model: one seat is half a think time nearer."""
    near = SimulationTask(TableModel(latency=(0.5, 0.5, 0.0, 0.5)), rounds=200, seed=2)
    report = report_of(near, run_rounds(near.model, near.seed, near.rounds))
    _, latency = report.ranks
    assert latency.by == "latency" and latency.evenness.p < 0.01
    assert report.groups[2].stops.low > 0.25
    equal = replace(near, model=TableModel())
    assert (
        report_of(equal, run_rounds(equal.model, equal.seed, equal.rounds)).ranks[0].evenness.p
        > 0.05
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de", PSEUDO])
def test_report_texts_exist_in_every_language(language):
    say = phrase_renderer(load_translator(language), ())
    lines = report_lines(report_of(TWO, ROUNDS), say)
    assert lines[0] and not any("simulate." in line or "{" in line for line in lines)
    assert any("66.7 %" in line for line in lines) and any("-2.667" not in line for line in lines)


def test_same_rounds_give_byte_identical_report():
    task = SimulationTask(TableModel(), rounds=5, seed=7)
    one, other = (report_of(task, run_rounds(task.model, task.seed, task.rounds)) for _ in range(2))
    assert json_of(as_data(one)) == json_of(as_data(other))
    assert report_page(one, "en", SAY) == report_page(other, "en", SAY)


def test_report_data_repeats_the_request():
    data = json.loads(json_of(as_data(report_of(replace(TWO, names=("Ann", "Bob")), ROUNDS))))
    assert task_of(data["task"]) == replace(TWO, names=("Ann", "Bob"))
    assert data["groups"][1]["stops"]["value"] == 0.5


def test_page_is_well_formed_and_names_are_escaped():
    task = SimulationTask(TableModel(), rounds=2, names=HOSTILE)
    report = report_of(task, run_rounds(task.model, 1, 2))
    for style in (None, inline_style()):
        page = report_page(report, "en", SAY, style)
        tree = ElementTree.fromstring(page)  # expat is strict
        text = "".join(tree.itertext())
        assert b"<img" not in page and b"\x1b" not in page and b"]]>" not in page
        assert HOSTILE[0] in text and "\ufffdAnn" in text
        kinds = {element.tag.partition("}")[2] for element in tree.iter()}
        assert (
            not kinds & {"script", "img", "iframe", "object", "a", "form"}
            and {"svg", "table"} <= kinds
        )
    assert (
        "<style>" in page.decode()
        and "&lt;" not in page.decode().partition("<style>")[2].partition("</style>")[0]
    )


def test_style_sheet_needs_no_escaping():
    """A stand-alone page may be read as HTML, where the content of a style element is not
    unescaped.
    """
    assert not set("<>&") & set(inline_style().text)


def test_element_texts_and_attributes_are_escaped():
    element = made("p", "a", made("b", '"<'), "]]>", None, title='">', aria_label="x\x00")
    again = ElementTree.fromstring(ElementTree.tostring(element))
    assert "".join(again.itertext()) == 'a"<]]>' and again.attrib == {
        "title": '">',
        "aria-label": "x\ufffd",
    }


def test_report_numbers_are_formatted_by_language():
    assert [figure(number) for number in (0.25, 12.3456, 1234.5, 0, None, -3.14159)] == [
        "0.25",
        "12.35",
        "1,234",
        "0",
        "–",
        "-3.142",
    ]
    with pytest.raises(ValueError, match="JSON"):
        json_of(inf)
