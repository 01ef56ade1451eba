"""Hold'em of six bots in six processes: time that people would wait for the deal and for each
street.

The deal lasts from the entry that ended the last hand (or the last roster nonce) to the entry after
which the first seat may act. This is the time from the button to the first action, without
thinking. A street lasts from the action that asks for cards to the entry that turns them up. Hands
are left out once a seat has lost all chips. Times come from one player's file of arrival times next
to its log.
"""

import statistics
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.audit.fairness.arrival_times import SUFFIX, ArrivalTimes, parse_times
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from protocol.match.log_reader import LogReader
from protocol.match.state import Match, MatchStage
from scripts.benchmarks.process import run_program, run_table

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay")
LONGEST = 8  # maximum of hands in a match
STREETS = {3: "flop", 4: "turn", 5: "river"}
TERMS = ("--game", "texas-holdem", "--seats", str(len(NAMES)), "--option", "stack=2000")

Spans = dict[str, list[float]]  # name of the deal or street -> seconds


def spans(log: bytes, times: ArrivalTimes) -> Spans:
    """Calculate the duration of each deal and street from a log and the arrival times of its
    entries.
    """
    found: Spans = {"deal": [], **{street: [] for street in STREETS.values()}}
    (first, head), *rest = read_records(log)
    reader = LogReader(first, head)
    begun: int | None = None  # index of the entry that asked for cards
    for number, (raw, head) in enumerate(rest, 1):
        before = reader.match
        reader.feed(raw, head)
        after = reader.match
        if after.stage is MatchStage.DEALING and (
            before.stage is not MatchStage.DEALING or decode_entry(raw).kind == "nonce"
        ):
            begun = number
        elif after.stage is MatchStage.PLAYING and begun is not None:
            if begun in times and number in times and len(after.game.players) == len(NAMES):
                found[_what(before, after)].append((times[number].at - times[begun].at) / 1000)
            begun = None
        if after.deal_number != before.deal_number:
            begun = number
    return found


def _what(before: Match, after: Match) -> str:
    if after.game.hand == before.game.hand:
        return STREETS[len(after.game.board)]
    return "deal"


def play(folder: Path, hands: int) -> Spans:
    """Play a match of `hands` hands. Return the durations that the first player saw."""
    log = folder / f"{NAMES[0]}.fairdeal"
    with ExitStack() as stack:
        _, link = stack.enter_context(run_table(*TERMS, "--option", f"hands={hands}"))
        players = []
        for name in NAMES:
            own = (
                "--data",
                str(folder / name),
                "--log",
                str(folder / f"{name}.fairdeal"),
                "--quiet",
            )
            arguments = (str(link), "--name", name, "--bot", "sensible", *own)
            players.append(stack.enter_context(run_program("player", *arguments)))
        for player in players:
            player.wait(1800)
    return spans(log.read_bytes(), parse_times(log.with_suffix(SUFFIX).read_text()))


def measure(deals: int) -> dict[str, float]:
    """Return medians over at least `deals` deals, with every street at least once, and the slowest
    deal.
    """
    found: Spans = {"deal": []}
    while len(found["deal"]) < deals or not all(found.values()):
        with TemporaryDirectory() as folder:
            for what, seconds in play(Path(folder), min(deals, LONGEST)).items():
                found.setdefault(what, []).extend(seconds)
    figures = {f"holdem_{what}_s": statistics.median(seconds) for what, seconds in found.items()}
    return figures | {"holdem_deal_s_worst": max(found["deal"]), "holdem_deals": len(found["deal"])}
