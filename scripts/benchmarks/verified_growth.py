"""Growth of the cost of verified dealing with cards and seats: `scripts/run
scripts.benchmarks.verified_growth`.

Writes the table into docs/measurements.md, between its two marks, and the figure
docs/figures/verified-growth.svg. Needs matplotlib: `pip install -e '.[figures]'`. The modules
`shuffle` and `verified` define the measured figures.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

from scripts.benchmarks import shuffle, verified

SEATS_OF_CARDS = 4
CARDS_OF_SEATS = 52
CARDS = (28, 52, 104, 208)
SEATS = (2, 4, 8)
ROUNDS = 5
DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "measurements.md"
FIGURE = DOCS / "figures" / "verified-growth.svg"
BEGIN = "<!-- growth: written by scripts.benchmarks.verified_growth -->"
END = "<!-- growth ends -->"


class Row(NamedTuple):
    """Figures of one deal. Those of the shuffle do not depend on the number of seats. Those of the
    deal are for all seats together.
    """

    cards: int
    seats: int
    prove_ms: float
    prove_floor_ms: float
    check_ms: float
    check_floor_ms: float
    deal_cpu_s: float
    bytes: float


def measure() -> list[Row]:
    """Measure a row for each number of cards with 4 seats, and for each number of seats with 52
    cards.
    """
    shapes = {(cards, SEATS_OF_CARDS) for cards in CARDS} | {
        (CARDS_OF_SEATS, seats) for seats in SEATS
    }
    shuffles = {cards: shuffle.measure_size(cards, ROUNDS) for cards in CARDS}
    return [_row(cards, seats, shuffles[cards]) for cards, seats in sorted(shapes)]


def _row(cards: int, seats: int, one: dict[str, float]) -> Row:
    print(f"{cards} cards, {seats} seats ...", file=sys.stderr, flush=True)
    deal = verified.cpu(seats, cards, ROUNDS)
    prove = one["shuffle_prove_ms"]
    check = one["shuffle_verify_ms"]
    return Row(
        cards,
        seats,
        prove,
        prove / one["shuffle_prove_floor_ratio"],
        check,
        check / one["shuffle_verify_floor_ratio"],
        deal["verified_deal_cpu_s"],
        deal["verified_deal_bytes"],
    )


def table(rows: list[Row]) -> str:
    """Format the rows as Markdown, by cards, then by seats."""
    lines = [
        "| cards | seats | prove a shuffle, ms | check it, ms | the whole deal, CPU s, all "
        "seats | entries, bytes |",
        "| ---: " * 6 + "|",
    ]
    for row in (*_by_cards(rows), *(row for row in _by_seats(rows) if row.seats != SEATS_OF_CARDS)):
        lines.append(
            f"| {row.cards} | {row.seats} | {row.prove_ms:.1f} | {row.check_ms:.1f} | "
            f"{row.deal_cpu_s:.2f} "
            f"| {row.bytes:,.0f} |"
        )
    return "\n".join(lines)


def _by_cards(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.seats == SEATS_OF_CARDS]


def _by_seats(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.cards == CARDS_OF_SEATS]


def draw(rows: list[Row], path: Path) -> None:
    """Draw four small charts. Equal figures give an equal file."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "fairdeal",
            "svg.fonttype": "none",  # keeps text as text: small and searchable
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 10,
            "axes.titlelocation": "left",
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#dddddd",
            "legend.frameon": False,
            "lines.marker": "o",
            "lines.markersize": 4,
        }
    )
    figure, ((times, deals), (sizes, seats)) = pyplot.subplots(
        2, 2, figsize=(8, 6), layout="constrained"
    )
    cards = _by_cards(rows)
    by_seats = _by_seats(rows)
    for part, color in (("check", "C0"), ("prove", "C1")):
        _line(times, cards, "cards", f"{part}_ms", color=color, label=part)
        _line(times, cards, "cards", f"{part}_floor_ms", color=color, linestyle="--", marker="")
    times.plot([], [], color="grey", linestyle="--", marker="", label="libsodium alone")
    times.legend()
    _line(deals, cards, "cards", "deal_cpu_s")
    _line(sizes, cards, "cards", "bytes", scale=1e-3)
    _line(seats, by_seats, "seats", "deal_cpu_s")
    times.set(title="One shuffle", xlabel="cards", ylabel="ms", xticks=CARDS)
    deals.set(
        title="A whole deal, 4 seats", xlabel="cards", ylabel="CPU seconds, all seats", xticks=CARDS
    )
    sizes.set(title="Its entries, 4 seats", xlabel="cards", ylabel="kB", xticks=CARDS)
    seats.set(
        title="A whole deal, 52 cards",
        xlabel="seats",
        ylabel="CPU seconds, all seats",
        xticks=SEATS,
    )
    for axes in (times, deals, sizes, seats):
        axes.set_ylim(bottom=0)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    path.write_text("\n".join(row.rstrip() for row in path.read_text().splitlines()) + "\n")


def _line(axes: Any, rows: list[Row], x: str, y: str, scale: float = 1.0, **style: str) -> None:
    axes.plot([getattr(row, x) for row in rows], [scale * getattr(row, y) for row in rows], **style)


def write_table(rows: list[Row], page: Path) -> None:
    """Put the table between the marks of the page."""
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{table(rows)}\n\n{END}{rest.split(END)[1]}")


def main() -> int:
    """Measure, and write table and figure."""
    rows = measure()
    write_table(rows, PAGE)
    draw(rows, FIGURE)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
