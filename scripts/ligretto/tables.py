"""Tables of docs/ligretto.md: our numbers, with published ones in brackets."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import NormalDist

from scripts.ligretto import measures
from scripts.ligretto.measures import BATCHES, Found, Measure, found, play_rounds
from scripts.ligretto.reference_values import (
    Case,
    faster,
    instants,
    nearer,
    rescued,
    rounds_at_a_table,
    signals,
)
from simulation.models import MachinesModel, Model, RoundResult, TableModel
from simulation.report.statistics import evenness

PAGE = Path(__file__).parents[2] / "docs" / "ligretto.md"
Z = NormalDist().inv_cdf(0.975)
BARE = Found(0.0, 0.0)


def table(titles: str, rows: Iterable[str]) -> str:
    """Format a table in Markdown with right-aligned numbers."""
    line = f"| {titles} |"
    return "\n".join([line, "|" + " ---: |" * (line.count("|") - 1), *rows])


def size_of(case: Case, rounds: int) -> int:
    """Return the number of rounds to play for a case, in whole batches."""
    return max(2 * BATCHES, int(rounds * case.share) // BATCHES * BATCHES)


def text_of(ours: Found) -> str:
    """Format a number with half its 95 % interval, rounded accordingly."""
    reach = Z * ours.error
    decimals = next((digits for digits in range(4) if reach * 10**digits >= 0.95), 3)
    return f"{ours.value:.{decimals}f} ± {reach:.{decimals}f}"


class Study:
    """Comparison of our numbers with published ones. `wrong` lists those that neither chance nor
    rounding explains.
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.compared = 0
        self.wrong: list[str] = []

    def row(self, case: Case, names: Iterable[str]) -> str:
        """Format the numbers of a case, by columns."""
        rounds = play_rounds(case.model, size_of(case, self.rounds))
        return (
            f"| {case.title} | "
            + " | ".join(self.cell(case, name, rounds) for name in names)
            + " |"
        )

    def cell(self, case: Case, name: str, rounds: list[RoundResult]) -> str:
        """Format one number."""
        if name not in case.columns:
            if not case.columns:
                return text_of(found(getattr(measures, name), rounds))
            return ""
        measure, published = case.columns[name]
        ours = found(measure, rounds)
        self.compared += 1
        if not published.agrees(ours, len(rounds)):
            self.wrong.append(f"{case.title}, {name}: {text_of(ours)} and {published.text}")
        return f"{text_of(ours)} ({published.text})"

    def rows(self, cases: Iterable[Case], names: Iterable[str]) -> list[str]:
        """Format the rows of several cases."""
        names = tuple(names)
        return [self.row(case, names) for case in cases]

    def own(self, title: str, model: Model, share: float, chosen: Iterable[Measure]) -> str:
        """Format a row without published numbers."""
        rounds = play_rounds(model, size_of(Case(title, model, share, {}), self.rounds))
        return (
            f"| {title} | "
            + " | ".join(text_of(found(measure, rounds)) for measure in chosen)
            + " |"
        )


ROUND = (
    "gridlock",
    "length",
    "length_sd",
    "attempts",
    "late",
    "flips",
    "winner_laid",
    "winner_best",
)


def table_rounds(study: Study) -> str:
    """Table of rounds of equal seats, without rescues."""
    titles = (
        "seats | row | gridlock | think times | sd | lays tried | late | flips | laid by who "
        "stops | who stops is best"
    )
    return table(titles, study.rows(rounds_at_a_table(), ROUND))


def table_rescues(study: Study) -> str:
    """Table of gridlock with rescues."""
    return table(
        "seats | row | gridlock with up to 40 rescues", study.rows(rescued(), ("gridlock",))
    )


def table_nearer(study: Study) -> str:
    """Table for a seat nearer to the table."""
    return table(
        "nearer by | lots drawn in windows of | its share of stops",
        study.rows(nearer(), ("first_seat",)),
    )


def table_faster(study: Study) -> str:
    """Table for a fast seat."""
    return table("faster by | its share of stops", study.rows(faster(), ("first_seat",)))


def table_news(study: Study) -> str:
    """Table for a near seat, if news take as long as answers, and if the table makes latencies
    equal.
    """
    rows = []
    for by in (0.01, 0.02, 0.05, 0.1, 0.2):
        far = (0.0, by, by, by)
        models = (
            TableModel(latency=far),
            TableModel(latency=far, late_news=True),
            TableModel(latency=far, level=by, late_news=True),
        )
        cells = [
            study.own(f"{by:g}", model, 1.0, [measures.first_seat]).split("|")[2]
            for model in models
        ]
        rows.append(f"| {by:g} |" + "|".join(cells) + "|")
    return table("nearer by | news at once | news as late as answers | the same, levelled", rows)


def table_levelled(study: Study) -> str:
    """Table for equal latencies of all seats."""
    rows = []
    for way in (0.0, 0.05, 0.1, 0.2):
        rounds = play_rounds(TableModel(latency=(way,) * 4, rescues=0), study.rounds)
        stops = measures.stopped_rounds(rounds)
        shares = [sum(one.stop == seat for one in stops) / len(stops) for seat in range(4)]
        length = text_of(found(measures.length, rounds))
        rows.append(
            f"| {way:g} | " + " | ".join(f"{share:.3f}" for share in shares) + f" | {length} |"
        )
    return table("latency of all | first seat | second | third | fourth | think times", rows)


def table_ahead(study: Study) -> str:
    """Table for a seat whose program reads its deck, and for one that plans with the cards that it
    has seen.
    """
    kinds = ({}, {"careful": (True,)}, {"ahead": (True,)})
    rows = []
    for seats, row in ((2, 5), (4, 4), (8, 4)):
        among = (*kinds, {"ahead": (True,), "careful": (True,) * seats})
        cells = [
            study.own("", TableModel(seats, row, **kind), 0.5, [measures.first_seat]).split("|")[2]
            for kind in among
        ]
        rows.append(f"| {seats} | {1 / seats:.3f} |" + "|".join(cells) + "|")
    titles = "seats | fair | as the others | plans by what it has seen | plans, and reads its deck"
    return table(titles + " | the same, all others plan", rows)


def table_signals(study: Study, delta: float) -> str:
    """Table of winners if the starting signals go out one after the other."""
    names = ("first_tenth", "first_half", "after_stop", "lays")[: 4 if delta == 60 else 2]
    titles = "players | first tenth | first half" + (
        " | lays after the stop | all lays" if delta == 60 else ""
    )
    return table(titles, study.rows(signals(delta), names))


def table_instants(study: Study) -> str:
    """Table of winners if all players start at one instant, for growing numbers of players."""
    rows = []
    for case in instants():
        rounds = play_rounds(case.model, size_of(case, study.rounds))
        names = ("milliseconds", "winner_laid", "first_tenth", "first_half")
        own = [measures.calls_a_lay, measures.calls_each]
        cells = [
            study.cell(case, name, rounds) if name in case.columns else _bare(name, rounds)
            for name in names
        ]
        cells += [text_of(found(measure, rounds)) for measure in own]
        rows.append(f"| {case.title} | " + " | ".join(cells) + " |")
    titles = (
        "players | ms to the stop | laid by the winner | first tenth | first half | calls a lay | "
        "calls a player"
    )
    return table(titles, rows)


def _bare(name: str, rounds: list[RoundResult]) -> str:
    return text_of(found(getattr(measures, name), rounds))


def table_looking(study: Study) -> str:
    """Table of calls with and without a look first."""
    rows = []
    for players, share in ((4, 0.1), (7, 0.1), (10, 0.1), (100, 0.05), (350, 0.02), (1000, 0.0075)):
        for look in (False, True):
            model = MachinesModel(players, instants=True, to_end=False, look=look)
            title = f"{players} | {'looks first' if look else 'blindly'}"
            chosen = [measures.calls_a_lay, measures.milliseconds, measures.winner_laid]
            rows.append(study.own(title, model, share, chosen))
    return table("players | how | calls a lay | ms to the stop | laid by the winner", rows)


def table_undone(study: Study) -> str:
    """Table of the cost of instants: undone lays."""
    rows = []
    for players, share in ((10, 0.1), (100, 0.02), (1000, 0.004)):
        model = MachinesModel(players, instants=True)
        rounds = play_rounds(model, size_of(Case("", model, share, {}), study.rounds))
        part = found(
            lambda some: (
                measures.after_stop(some) / (measures.after_stop(some) + measures.lays(some))
            ),
            rounds,
        )
        rows.append(f"| {players} | {text_of(part)} |")
    return table("players | share of lays that is undone, δ = 60 µs", rows)


def table_even(study: Study) -> str:
    """Table of the Kolmogorov-Smirnov test for the winner's position in the order of 100
    players.
    """
    rows = []
    for title, model in (
        ("signals, δ = 60 µs", even_model(instants=False)),
        ("instants", even_model(instants=True)),
    ):
        rounds = max(400, study.rounds // 10)
        tested = evenness(places(play_rounds(model, rounds), 100))
        rows.append(f"| {title} | {rounds:,} | {tested.gap or 0:.3f} | {tested.p or 0:.2g} |")
    return table("start and stop | rounds | largest gap | p", rows)


def even_model(*, instants: bool) -> MachinesModel:
    """Make the model for the test. With `instants`, the winner's position should be uniform."""
    return MachinesModel(100, instants=instants, to_end=False)


def places(rounds: Iterable[RoundResult], players: int) -> list[int]:
    """Count the wins of each position in the order of players."""
    counts = [0] * players
    for one in rounds:
        if one.stop is not None:
            counts[one.stop] += 1
    return counts


PARTS: dict[str, Callable[[Study], str]] = {
    "rounds": table_rounds,
    "rescues": table_rescues,
    "nearer": table_nearer,
    "faster": table_faster,
    "news": table_news,
    "levelled": table_levelled,
    "ahead": table_ahead,
    "signals-60": lambda study: table_signals(study, 60.0),
    "signals-300": lambda study: table_signals(study, 300.0),
    "instants": table_instants,
    "looking": table_looking,
    "undone": table_undone,
    "even": table_even,
}


def marks(name: str) -> tuple[str, str]:
    """Return the marks around a table in the page."""
    return f"<!-- {name}: written by scripts/ligretto_study tables -->", f"<!-- {name} ends -->"


def insert_tables(page: str, made: dict[str, str]) -> str:
    """Put the tables into the page."""
    for name, text in made.items():
        begin, end = marks(name)
        before, _, rest = page.partition(begin)
        page = before + begin + "\n\n" + text + "\n\n" + end + rest.partition(end)[2]
    return page


def all_parts(study: Study, only: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each table with its name, when it is made."""
    for name in only:
        yield name, PARTS[name](study)
