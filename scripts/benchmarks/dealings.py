"""All dealings at the same tasks, in one process: what a seat computes, and what the log grows by.

`hands`: a pack of 52 cards, four seats, 13 each, and the close. `decks`: two seats, a deck of 60
loose cards each, all hidden; both draw seven at once, then one after the other until each has 30,
and the close. CPU time is that of one seat: its own half (the mean of all), and a fold of all
entries. Bytes are those of the dealing's own entries with their signatures and heads.

    scripts/dealings [--write] [--rounds N]

prints the measured cells of the table in docs/dealings.md, or writes them there; `–` is for what is
not offered.

`seeded_deal_ms`: one of two seats has a deck of 60 hidden and looks at all of it at once, both
seats and one fold. `seeded_draws_ms` and `seeded_draws_bytes`: the same for 60 draws one after the
other, without the hiding.
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
# cards, but for the seats
PACK = 52
SEATS = 4
DECK = 60
FIRST = 7
DRAWN = 30
HEAD = bytes(64)
AUTHOR = Identity(bytes(32))


class Cost(NamedTuple):
    """What a task came to: seconds of CPU of one seat, and bytes of log."""

    seconds: float
    size: int


class Deal:
    """A deal of honest parties; the time of all halves together, and that of one fold."""

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
        """Let everybody post until nobody has to."""
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
        """What rules want, and all that follows from it."""
        parts: list[list[Any]] = [[] for _ in operations]
        self.at += 1
        self._fold(
            lambda: self.dealing.apply_operations(self.state, EVERYBODY, operations, parts, self.at)
        )
        self.run()

    def close(self) -> None:
        """The end of the deal."""
        self.at += 1
        self._fold(lambda: self.dealing.close(self.state, (), self.at))
        self.run()

    def _fold(self, transition: Any) -> None:
        begun = time.process_time()
        self.state = transition()
        self.fold_s += time.process_time() - begun

    def cost(self) -> Cost:
        """Of a deal that is closed, for one seat."""
        assert self.state.result is not None and not self.state.result.faults
        return Cost(self.halves_s / len(self.halves) + self.fold_s, self.size)


def hands(name: str, seed: int) -> Cost:
    """A pack that is dealt out."""
    deal = Deal(name, deal_of(SEATS, (Pile(PACK, PACK // SEATS),), seed))
    deal.close()
    return deal.cost()


def decks_of(size: int) -> tuple[Pile, ...]:
    """A loose pile for each of two seats."""
    return tuple(Pile(size, owner=seat, loose=True) for seat in (0, 1))


def decks(name: str, seed: int) -> Cost:
    """Two decks, of each of which half is drawn."""
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
    """What each task costs with this dealing: seconds and kilobytes, or two dashes."""
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


def written(text: str, measured: Callable[[str], Sequence[str]]) -> str:
    """Put the measured cells of a dealing in place of the four that end its row; leave other tables
    alone.
    """

    def row(found: re.Match[str]) -> str:
        cells = "".join(f" {cell} |" for cell in measured(found["dealing"]))
        return found[0].removesuffix(found["cells"]) + cells

    return FIGURES.sub(row, text)


def measure(rounds: int) -> dict[str, float]:
    """Medians over so many deals."""
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
    """The command line."""
    parser = ArgumentParser(description="Measure all dealings at the same tasks.")
    parser.add_argument(
        "--write", action="store_true", help="write the cells into docs/dealings.md"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="deals of each kind, of which the median counts"
    )
    given = parser.parse_args(arguments)
    if given.write:
        text = written(SHEET.read_text("utf-8"), lambda name: cells(name, given.rounds))
        SHEET.write_text(text, "utf-8")
        return
    for name in DEALINGS:
        print(f"{name:12}", *(f"{cell:>8}" for cell in cells(name, given.rounds)))


if __name__ == "__main__":
    main()
