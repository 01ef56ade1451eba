"""Figures of docs/ligretto.md, as SVG: `scripts/ligretto_study figures`. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # imported after the choice of its backend

from scripts.ligretto import measures
from scripts.ligretto.measures import play_rounds
from simulation.models import MachinesModel, Model, TableModel

FOLDER = Path(__file__).parents[2] / "docs" / "figures"
# inches
SIZE = (4.6, 3.2)
WIDE = (9.2, 3.2)
PARTS = 10  # number of equal parts of the order of players


def saved(figure: Any, name: str) -> None:
    """Save a small file, the same bytes for the same numbers."""
    figure.tight_layout()
    matplotlib.rcParams["svg.hashsalt"], matplotlib.rcParams["svg.fonttype"] = "fairdeal", "none"
    figure.savefig(FOLDER / f"ligretto-{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def labelled(axes: Any, along: str, up: str) -> None:
    """Label both axes, and add a legend."""
    axes.set_xlabel(along)
    axes.set_ylabel(up)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def order(rounds: int) -> None:
    """Draw the winner's position in the order of players, by tenths."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=WIDE, sharey=True)
    for players, share in ((10, 0.5), (50, 0.2), (100, 0.1), (350, 0.05), (1000, 0.025)):
        for axes, instants in ((left, False), (right, True)):
            found = play_rounds(
                MachinesModel(players, instants=instants, to_end=False),
                max(80, int(rounds * share)),
            )
            tenths = [0] * PARTS
            for one in measures.stopped_rounds(found):
                tenths[PARTS * (one.stop or 0) // players] += 1
            shares = [count / len(found) for count in tenths]
            axes.plot(range(1, PARTS + 1), shares, marker=".", label=f"{players} players")
    left.set_title("signals, 60 µs apart", fontsize=9)
    right.set_title("instants", fontsize=9)
    labelled(left, "tenth of the order", "share of wins")
    labelled(right, "tenth of the order", "")
    saved(figure, "order")


def lined(
    axes: Any, label: str, along: Sequence[float], models: Sequence[Model], rounds: int
) -> None:
    """Draw the first seat's share of stops as lines."""
    axes.plot(
        along,
        [measures.first_seat(play_rounds(model, rounds)) for model in models],
        marker=".",
        label=label,
    )


def share(rounds: int) -> None:
    """Draw the first seat's share against speed, and against latency, with windows and with equal
    latencies.
    """
    figure, (left, right) = pyplot.subplots(1, 2, figsize=WIDE)
    factors = (0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0)
    ways = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)
    for seats in (2, 4, 8):
        lined(
            left,
            f"{seats} seats",
            factors,
            [TableModel(seats, think=(1 / factor,)) for factor in factors],
            rounds,
        )
    labelled(left, "speed of the first seat (others: 1)", "its share of stops")
    kinds: dict[str, dict[str, float]] = {
        "order of arrival": {},
        "lots in windows of 0.5": {"windows": 0.5},
        "news as late": {"late_news": True},
        "levelled": {"level": 0.4},
    }
    for label, kind in kinds.items():
        models = [TableModel(latency=(0.0, way, way, way), **kind) for way in ways]  # type: ignore[arg-type]
        lined(right, label, ways, models, rounds)
    labelled(right, "how much nearer it is, in think times", "")
    saved(figure, "share")


def length(rounds: int) -> None:
    """Draw the length of rounds."""
    figure, axes = pyplot.subplots(figsize=SIZE)
    for seats, row in ((2, 5), (3, 4), (4, 4), (8, 4), (12, 4)):
        times = [
            one.duration
            for one in measures.stopped_rounds(play_rounds(TableModel(seats, row), rounds))
        ]
        axes.hist(
            times,
            bins=range(0, 160, 4),
            density=True,
            histtype="step",
            label=f"{seats} seats, row of {row}",
        )
    labelled(axes, "think times to the stop", "density")
    saved(figure, "length")


def late(rounds: int) -> None:
    """Draw the share of late lays against the number of seats."""
    figure, axes = pyplot.subplots(figsize=SIZE)
    seats = range(2, 13)
    for way in (0.0, 0.2):
        shares = [
            measures.late(play_rounds(TableModel(count, latency=(way,) * count), rounds // 2))
            for count in seats
        ]
        axes.plot(seats, shares, marker=".", label=f"latency {way:g}")
    labelled(axes, "seats", "share of lays that is late")
    saved(figure, "late")


def calls(rounds: int) -> None:
    """Draw the calls per lay, with and without a look first."""
    figure, axes = pyplot.subplots(figsize=SIZE)
    players = (2, 3, 4, 5, 7, 10, 30, 100, 300, 1000)
    for look in (False, True):
        models = [MachinesModel(count, instants=True, to_end=False, look=look) for count in players]
        sizes = [max(40, rounds // (8 + count)) for count in players]
        found = [
            measures.calls_a_lay(play_rounds(model, size))
            for model, size in zip(models, sizes, strict=True)
        ]
        axes.plot(players, found, marker=".", label="looking first" if look else "blindly")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    labelled(axes, "players", "calls a lay")
    saved(figure, "calls")


def draw(rounds: int) -> None:
    """Draw all figures."""
    for picture in (order, share, length, late, calls):
        picture(rounds)
