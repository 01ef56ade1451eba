"""Sections of a report for every screen: facts, a table and sentences."""

from dataclasses import dataclass
from typing import Any

from protocol.view.phrase import Phrase, phrase
from protocol.view.text import isolate_name
from simulation.models import MachinesModel
from simulation.report import RankTest, Report, SeatGroup
from simulation.report.number_format import NOTHING, bounds, chance, figure, percent, with_bounds
from simulation.report.statistics import QUANTILES, Estimate
from simulation.task import SimulationTask
from simulation.task.task_parser import DECKS, NAMES, as_json, settings_of

UNEVEN = 0.01  # p-value below which the report calls seats unequal
Text = Phrase | str


@dataclass(frozen=True)
class Section:
    """A section: facts, one for each line, a table with a head, and sentences."""

    title: Phrase
    facts: tuple[tuple[Phrase, str], ...] = ()
    head: tuple[Phrase, ...] = ()
    rows: tuple[tuple[Text, ...], ...] = ()
    says: tuple[Phrase, ...] = ()


def sections_of(report: Report) -> tuple[Section, ...]:
    """Make all sections of a report."""
    return (
        _outcome(report),
        _seats(report),
        _fairness(report),
        _length(report),
        _lays(report),
        _settings(report.task),
    )


def title_of(task: SimulationTask) -> Phrase:
    """Title of a report: model and seats."""
    if isinstance(task.model, MachinesModel):
        key = "simulate.title.machines"
    else:
        key = "simulate.title.table"
    return phrase(key, seats=f"{task.seats:,}", row=task.model.row)


def _outcome(report: Report) -> Section:
    return Section(
        phrase("simulate.outcome"),
        (
            (phrase("simulate.played"), f"{report.played:,}"),
            (phrase("simulate.stopped"), with_bounds(report.stopped, is_share=True)),
            (phrase("simulate.gridlocks"), with_bounds(_rest(report.stopped), is_share=True)),
            (phrase("simulate.rescues"), with_bounds(report.rescues)),
            (phrase("simulate.winner_first"), with_bounds(report.winner_first, is_share=True)),
        ),
        says=()
        if report.played == report.task.rounds
        else (
            phrase("simulate.cut", played=f"{report.played:,}", rounds=f"{report.task.rounds:,}"),
        ),
    )


def _rest(share: Estimate) -> Estimate:
    if share.value is None or share.low is None or share.high is None:
        return share
    return Estimate(1 - share.value, 1 - share.high, 1 - share.low)


def _seats(report: Report) -> Section:
    head = [phrase("simulate.head.who")]
    timed = report.groups[0].think is not None
    head += [phrase("simulate.head.think"), phrase("simulate.head.latency")] if timed else []
    head += [
        phrase("simulate.head.stops"),
        phrase("simulate.head.sure"),
        phrase("simulate.head.fair"),
    ]
    head += [
        phrase("simulate.head.points"),
        phrase("simulate.head.laid"),
        phrase("simulate.head.late"),
    ]
    rows = tuple(_group(group, report.task, timed=timed) for group in report.groups)
    return Section(phrase("simulate.seats"), head=tuple(head), rows=rows)


def _group(group: SeatGroup, task: SimulationTask, *, timed: bool) -> tuple[Text, ...]:
    times = (figure(group.think), figure(group.latency)) if timed else ()
    stops = (percent(group.stops.value), bounds(group.stops, is_share=True), percent(group.fair))
    return (
        who(group, task),
        *times,
        *stops,
        with_bounds(group.points),
        figure(group.laid.value),
        percent(group.late.value),
    )


def who(group: SeatGroup, task: SimulationTask) -> Text:
    """Name a seat, or the first and last seat of a group; numbers count from 1."""
    if group.first < group.last:
        return f"{group.first + 1:,}–{group.last + 1:,}"
    if task.names:
        return isolate_name(task.names[group.first])
    return phrase("match.seat", number=group.first + 1)


def _fairness(report: Report) -> Section:
    facts = tuple(
        (_by(ranks), f"{figure(ranks.evenness.gap)}; p {_p(ranks)}") for ranks in report.ranks
    )
    return Section(
        phrase("simulate.fairness"),
        facts,
        says=(*map(_judged, report.ranks), phrase("simulate.test")),
    )


def _p(ranks: RankTest) -> str:
    said = chance(ranks.evenness.p)
    return said if said.startswith("<") else f"= {said}"


def _by(ranks: RankTest) -> Phrase:
    match ranks.by:
        case "think":
            return phrase("simulate.by.think")
        case "latency":
            return phrase("simulate.by.latency")
    return phrase("simulate.by.place")


def _judged(ranks: RankTest) -> Phrase:
    if ranks.evenness.p is None:
        return phrase("simulate.judged.nothing", by=_by(ranks))
    if ranks.evenness.p < UNEVEN:
        return phrase("simulate.judged.uneven", by=_by(ranks))
    return phrase("simulate.judged.even", by=_by(ranks))


def _length(report: Report) -> Section:
    length = report.length
    marks = [(phrase("simulate.least"), figure(length.least))]
    marks += [
        (phrase("simulate.quantile", part=f"{100 * part:g} %"), figure(value))
        for part, value in zip(QUANTILES, length.quantiles, strict=False)
    ]
    return Section(
        unit_of(report.task),
        (
            (phrase("simulate.mean"), with_bounds(length.mean)),
            (phrase("simulate.deviation"), figure(length.deviation)),
            *marks,
            (phrase("simulate.most"), figure(length.most)),
        ),
    )


def unit_of(task: SimulationTask) -> Phrase:
    """Heading of the section about the length of rounds, with the unit of time."""
    return phrase(
        "simulate.length.machines"
        if isinstance(task.model, MachinesModel)
        else "simulate.length.table"
    )


def _lays(report: Report) -> Section:
    machines = isinstance(report.task.model, MachinesModel)
    return Section(
        phrase("simulate.lays"),
        (
            (
                phrase("simulate.calls" if machines else "simulate.attempts"),
                with_bounds(report.attempts),
            ),
            (phrase("simulate.laid"), with_bounds(report.laid)),
            (phrase("simulate.per_lay"), figure(report.tried_per_lay)),
            (phrase("simulate.late"), with_bounds(report.late, is_share=True)),
            (phrase("simulate.flips"), with_bounds(report.flips)),
            (
                phrase("simulate.after.machines" if machines else "simulate.after"),
                with_bounds(report.after_stop),
            ),
            (phrase("simulate.winner_laid"), with_bounds(report.winner_laid)),
        ),
    )


def _settings(task: SimulationTask) -> Section:
    given = as_json(task)
    facts = [
        (phrase(field.about), _setting(given[field.name]))
        for field in settings_of(task.kind)
        if field.name in given and field.name != NAMES
    ]
    if DECKS in given:
        facts.append((phrase("simulate.field.decks"), "✓"))
    return Section(phrase("simulate.settings"), tuple(facts))


def _setting(value: Any) -> str:
    if isinstance(value, tuple):
        if len(set(value)) == 1:
            return _setting(value[0])
        return ", ".join(map(_setting, value))
    if isinstance(value, bool):
        return "✓" if value else NOTHING
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
