"""Comparison of all dealings on the same tasks in one process: CPU time of a seat, and growth of
the log.

`hands`: a pack of 52 cards dealt to four seats, 13 each, and the close. `decks`: two seats with a
deck of 60 loose hidden cards each. Both draw seven at once, then one by one until each has 30, and
the close. CPU time is that of one seat: its private half (mean of all), and one fold of all
entries. Bytes are those of the dealing's entries with signatures and heads.

scripts/dealings [--write] [--rounds N]

prints the measured cells of the table in docs/dealings.md, or writes them there. `–` means that the
dealing does not offer the task.

`seeded_deal_ms`: one of two seats has a hidden deck of 60 and looks at all of it at once; both
seats and one fold. `seeded_draws_ms` and `seeded_draws_bytes`: the same for 60 draws one by one,
without the hiding.
"""

import re
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import TABLE, DealContext, Post
from protocol.dealing.registry import DEALINGS
from protocol.games.operations import EVERYBODY, Lay, LookAt, Operation, Pile, ShuffleCards
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, make_entry
from protocol.match.log_file import encode_record
from scripts.benchmarks.verified import deal_of

SHEET = Path(__file__).parents[2] / "docs" / "dealings.md"
# numbers of cards; SEATS is a number of seats
PACK = 52
SEATS = 4
DECK = 60
FIRST = 7
DRAWN = 30
HEAD = bytes(64)
AUTHOR = Identity(bytes(32))


class Cost(NamedTuple):
    """Cost of a task: CPU seconds of one seat, and bytes of the log."""

    seconds: float
    size: int


class Deal:
    """A deal of honest parties. It measures the time of all private halves together, and that of
    one fold.
    """

    def __init__(self, name: str, dealt: tuple[DealContext, list[MatchKey], Any]) -> None:
        context, keys, rng = dealt
        self.dealing = DEALINGS[name]
        self.halves_s = 0.0
        self.fold_s = 0.0
        self.size = 0
        self.at = 0
        begun = time.process_time()
        self.halves: dict[int, Any] = {
            seat: self.dealing.seat_half(context, seat, key, rng) for seat, key in enumerate(keys)
        }
        if (table := self.dealing.table_half(context, rng)) is not None:
            self.halves[TABLE] = table
        self.halves_s += time.process_time() - begun
        self.state: Any = self.dealing.begin(context, 0)
        self.run()

    def run(self) -> None:
        """Post duties of all seats until none is left."""
        while self.state.result is None and sum(self._step(author) for author in self.halves):
            pass

    def _step(self, author: int) -> bool:
        begun = time.process_time()
        post: Post | None = self.halves[author].next_post(self.state)
        self.halves_s += time.process_time() - begun
        if post is None or self.state.result is not None:
            return False
        self.at += 1
        entry = make_entry(
            AUTHOR,
            HEAD[:32],
            EntryContent(author, self.at, (self.at, HEAD[:32]), post.kind, post.body),
        )
        self.size += len(encode_record(entry, HEAD))
        self._fold(lambda: self.dealing.apply(self.state, author, post.kind, post.body, self.at))
        return True

    def want(self, *operations: Operation) -> None:
        """Apply operations that rules ask for, and run all duties that follow."""
        parts: list[list[Any]] = [[] for _ in operations]
        self.at += 1
        self._fold(
            lambda: self.dealing.apply_operations(self.state, EVERYBODY, operations, parts, self.at)
        )
        self.run()

    def close(self) -> None:
        """Close the deal."""
        self.at += 1
        self._fold(lambda: self.dealing.close(self.state, (), self.at))
        self.run()

    def _fold(self, transition: Any) -> None:
        begun = time.process_time()
        self.state = transition()
        self.fold_s += time.process_time() - begun

    def cost(self) -> Cost:
        """Return the cost of a closed deal for one seat."""
        assert self.state.result is not None and not self.state.result.faults
        return Cost(self.halves_s / len(self.halves) + self.fold_s, self.size)


def hands(name: str, seed: int) -> Cost:
    """Measure the task `hands`."""
    deal = Deal(name, deal_of(SEATS, (Pile(PACK, PACK // SEATS),), seed))
    deal.close()
    return deal.cost()


def decks_of(size: int) -> tuple[Pile, ...]:
    """Make a loose pile for each of two seats."""
    return tuple(Pile(size, owner=seat, loose=True) for seat in (0, 1))


def decks(name: str, seed: int) -> Cost:
    """Measure the task `decks`."""
    deal = Deal(name, deal_of(2, decks_of(DECK), seed))
    cards = [tuple(range(seat * DECK, (seat + 1) * DECK)) for seat in (0, 1)]
    deal.want(*map(ShuffleCards, cards), *(LookAt(cards[seat][:FIRST], (seat,)) for seat in (0, 1)))
    for place in range(FIRST, DRAWN):
        for seat in (0, 1):
            deal.want(LookAt(cards[seat][place : place + 1], (seat,)))
    deal.close()
    return deal.cost()


TASKS = {
    "hands": (hands, Lay((Pile(PACK, PACK // SEATS),))),
    "decks": (decks, Lay(decks_of(DECK))),
}


def cells(name: str, rounds: int) -> list[str]:
    """Return the cells of a dealing's row: seconds and kilobytes for each task, or two dashes."""
    found: list[str] = []
    for task, lay in TASKS.values():
        if name not in DEALINGS or not DEALINGS[name].supports(lay):
            found += ["–", "–"]
            continue
        costs = [task(name, seed) for seed in range(rounds)]
        seconds = median(cost.seconds for cost in costs)
        size = median(cost.size for cost in costs)
        found += [f"{seconds:.3g}", f"{size / 1000:,.0f}"]
    return found


FIGURES = re.compile(r"^\| `(?P<dealing>\w+)` \| .*?(?P<cells>(?: [\d.,–]+ \|){4})$", re.MULTILINE)


def insert_cells(text: str, measured: Callable[[str], Sequence[str]]) -> str:
    """Replace the last four cells of each dealing's row by measured ones. Other tables stay as they
    are.
    """

    def row(found: re.Match[str]) -> str:
        cells = "".join(f" {cell} |" for cell in measured(found["dealing"]))
        return found[0].removesuffix(found["cells"]) + cells

    return FIGURES.sub(row, text)


def measure(rounds: int) -> dict[str, float]:
    """Return medians over `rounds` deals."""
    hidden = ShuffleCards(tuple(range(DECK)))
    runs = []
    for seed in range(rounds):
        begun = time.process_time()
        at_once = Deal("seeded", deal_of(2, decks_of(DECK), seed))
        at_once.want(hidden, LookAt(hidden.cards, (0,)))
        whole = time.process_time() - begun
        single = Deal("seeded", deal_of(2, decks_of(DECK), seed))
        single.want(hidden)
        size = single.size
        begun = time.process_time()
        for card in hidden.cards:
            single.want(LookAt((card,), (0,)))
        runs.append((whole, time.process_time() - begun, single.size - size))
    deal, draws, log = (median(run[place] for run in runs) for place in range(3))
    return {
        "seeded_deal_ms": deal * 1000,
        "seeded_draws_ms": draws * 1000,
        "seeded_draws_bytes": log,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = ArgumentParser(description="Measure all dealings at the same tasks.")
    parser.add_argument(
        "--write", action="store_true", help="write the cells into docs/dealings.md"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="deals of each kind, of which the median counts"
    )
    given = parser.parse_args(arguments)
    if given.write:
        text = insert_cells(SHEET.read_text("utf-8"), lambda name: cells(name, given.rounds))
        SHEET.write_text(text, "utf-8")
        return
    for name in DEALINGS:
        print(f"{name:12}", *(f"{cell:>8}" for cell in cells(name, given.rounds)))


if __name__ == "__main__":
    main()
