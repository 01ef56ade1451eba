"""Published numbers from a study with other programs, for comparison. `T` is for tables, `M` for
machines.
"""

from typing import NamedTuple

from scripts.ligretto import measures
from scripts.ligretto.measures import Measure, Published
from simulation.models import MachinesModel, Model, TableModel

T = 20_000  # rounds behind each published number about tables
# rounds behind each number about machines; estimated from their scatter, because the study does not
# say
M = 200


class Case(NamedTuple):
    """A model, with its published numbers by column."""

    title: str
    model: Model
    share: float  # share of the requested rounds that are played
    columns: dict[str, tuple[Measure, Published]]


_ROUND = (
    "gridlock",
    "length",
    "length_sd",
    "attempts",
    "late",
    "flips",
    "winner_laid",
    "winner_best",
)
_ROUNDS = {
    (2, 5): "0.740 54.8 17.1 18.6 0.045 73 18.8 0.969",
    (2, 4): "0.844 63.8 18.8 16.9 0.038 80 20.4 0.968",
    (3, 4): "0.374 57.0 18.7 41.2 0.086 129 18.5 0.944",
    (4, 3): "0.164 60.0 19.5 65.9 0.110 180 19.0 0.919",
    (4, 4): "0.083 46.8 16.0 59.2 0.127 131 16.7 0.933",
    (8, 4): "0.000 25.6 6.1 99.4 0.247 103 13.1 0.956",
    (12, 4): "0.000 20.2 4.1 140 0.333 98 11.9 0.972",
}
_RESCUED = {(2, 5): "0.067", (2, 4): "0.155", (3, 4): "0.005", (4, 4): "0.000"}
_NEARER = {0.01: "0.254", 0.02: "0.264", 0.05: "0.281", 0.1: "0.320", 0.2: "0.386"}
_WINDOWS = {0.05: "0.275 0.263 0.255", 0.1: "0.319 0.302 0.289", 0.2: "0.388 0.372 0.367"}
_FASTER = {1.05: "0.275", 1.1: "0.300", 1.25: "0.378", 1.5: "0.485", 2.0: "0.644", 3.0: "0.800"}
_SIGNALS = {
    10: ("0.10 0.50 1 78", "0.11 0.51"),
    50: ("0.11 0.58 26 251", "0.20 0.82"),
    100: ("0.17 0.69 100 463", "0.39 0.99"),
    350: ("0.44 0.97 984 1582", "0.92 1.00"),
    1000: ("0.92 1.00 3956 4546", "1.00 1.00"),
}
_INSTANTS = {
    4: "27 16",
    10: "24 12.6 0.10 0.50",
    50: "",
    100: "13.5 11.1 0.11 0.51",
    350: "10 10.6 0.09 0.50",
    1000: "8 10.4 0.12 0.53",
}
# share of rounds by number of players, because large rounds take longer
_SHARES = {4: 0.1, 10: 0.1, 50: 0.075, 100: 0.05, 350: 0.02, 1000: 0.0075}


def _columns(
    names: tuple[str, ...], texts: str, rounds: int
) -> dict[str, tuple[Measure, Published]]:
    given = zip(names, texts.split(), strict=False)
    return {name: (getattr(measures, name), Published(text, rounds)) for name, text in given}


def _nearer(by: float, windows: float = 0.0) -> TableModel:
    return TableModel(latency=(0.0, by, by, by), windows=windows)


def rounds_at_a_table() -> list[Case]:
    """Return the cases of equal seats without rescues."""
    return [
        Case(f"{seats} | {row}", TableModel(seats, row, rescues=0), 1.0, _columns(_ROUND, texts, T))
        for (seats, row), texts in _ROUNDS.items()
    ]


def rescued() -> list[Case]:
    """Return the same cases with up to 40 rescues."""
    return [
        Case(
            f"{seats} | {row}",
            TableModel(seats, row, rescues=40),
            1.0,
            _columns(("gridlock",), text, T),
        )
        for (seats, row), text in _RESCUED.items()
    ]


def nearer() -> list[Case]:
    """Return the cases in which one of four seats is nearer to the table, without and with
    windows.
    """
    cases = []
    for by, text in _NEARER.items():
        cases.append(Case(f"{by:g} |", _nearer(by), 1.0, _columns(("first_seat",), text, T)))
        for window, drawn in zip((0.25, 0.5, 1.0), _WINDOWS.get(by, "").split(), strict=False):
            title = f"{by:g} | {window:g}"
            cases.append(Case(title, _nearer(by, window), 1.0, _columns(("first_seat",), drawn, T)))
    return cases


def faster() -> list[Case]:
    """Return the cases in which one of four seats thinks faster by a factor."""
    return [
        Case(
            f"{factor:g}", TableModel(think=(1 / factor,)), 1.0, _columns(("first_seat",), text, T)
        )
        for factor, text in _FASTER.items()
    ]


def signals(delta: float) -> list[Case]:
    """Return the cases of machines that get the starting signal one after the other."""
    found = []
    for players, texts in _SIGNALS.items():
        names = ("first_tenth", "first_half", "after_stop", "lays")
        text = texts[delta > 60]
        model = MachinesModel(players, delta=delta, to_end=delta == 60)
        found.append(Case(str(players), model, _SHARES[players], _columns(names, text, M)))
    return found


def instants() -> list[Case]:
    """Return the cases of machines that start at one instant."""
    names = ("milliseconds", "winner_laid", "first_tenth", "first_half")
    return [
        Case(
            str(players),
            MachinesModel(players, instants=True, to_end=False),
            _SHARES[players],
            _columns(names, text, M),
        )
        for players, text in _INSTANTS.items()
    ]
