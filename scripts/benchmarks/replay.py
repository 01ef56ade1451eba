"""Replay of a long log of four-seat dominoes: time to open the file, and time to jump to the
middle.

Opening includes reading and checking the whole log, and listing all positions for jumps. A jump
calculates a frame from a seat's knowledge. A log four times as long is read in pieces, as the
page's server does it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from bots.registry import BOTS
from player.client.seat import Seat
from player.ui.web.replay.serving import LogFile, ReplayRequests
from player.ui.web.replay.single import single_page
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import replay_data, replay_frame, step_marks
from protocol.errors import Refused
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log_file import MAGIC, count_records, encode_record
from protocol.match.log_reader import LogReader
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.match.live_match import LiveMatch
from tests.support.at_once import StoredAtOnce

ROUNDS = 3
NAMES = ("Ann", "Bob", "Cleo", "Dan")
Handler = Callable[[Request], Awaitable[Response]]


def long_log(entries: int, seed: int = 1) -> bytes:
    """Make a log with the first `entries` entries of a match that is not over."""
    rng = Random(seed)
    table = Identity(rng.randbytes(32))
    people = [Identity(rng.randbytes(32)) for _ in NAMES]
    game = Selection("block-dominoes", (("target", 10_000),))
    clock = Allowance().options()
    terms = make_terms(game, Selection("layered"), clock, len(NAMES))
    seated = tuple(Person(name, person.public) for name, person in zip(NAMES, people, strict=True))
    setup = Setup(
        TableIdentity(table.public, "Bench", "main"),
        rng.randbytes(32),
        1_700_000_000,
        terms,
        seated,
    )
    live = StoredAtOnce(table, setup, rng.randbytes(32))
    seats = [Seat(person, number, rng) for number, person in enumerate(people)]
    first = live.records[0]
    reader = LogReader(first.entry, first.head)
    while len(live.records) < entries:
        assert not live.match.over, "no match of this game is so long"
        for seat in seats:
            _step(live, reader, seat, rng)
    return MAGIC + b"".join(encode_record(*record) for record in live.records[:entries])


def _step(live: LiveMatch, reader: LogReader, seat: Seat, rng: Random) -> None:
    for record in live.records[reader.log.next_number :]:
        reader.feed(record.entry, record.head)
    match = reader.match
    post = seat.respond(match)
    if post is None and seat.choices(match):
        post = seat.move(match, BOTS["greedy"](seat.view(match), rng))
    if post is not None:
        try:
            live.offer(seat.entry(reader.log, post), seat.number)
        except Refused:
            return


def open_log(data: bytes) -> tuple[MatchHistory, dict[str, Any]]:
    """Open a log as the page does."""
    history = MatchHistory(data).read()
    marks = [mark for step in history.steps for mark in step_marks(step, english)]
    return history, replay_data(history, count_records(data), marks, english)


def measure(entries: int) -> dict[str, float]:
    """Return medians in seconds and milliseconds, and the bytes of the first tenth as the page gets
    it and as it is in the log.
    """
    data = long_log(entries)
    opens = []
    jumps = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        history, _ = open_log(data)
        opens.append(perf_counter() - begun)
        begun = perf_counter()
        json.dumps(replay_frame(history, entries // 2, 1, english))
        jumps.append(perf_counter() - begun)
    part = long_log(entries // 10)
    return {
        "replay_open_s": median(opens),
        "replay_jump_ms": 1000 * median(jumps),
        "replay_page_bytes": len(single_page(part, "part.fairdeal").encode()),
        "replay_page_log_bytes": len(part),
    }


def measure_pieces(entries: int) -> dict[str, float]:
    """Measure the seconds until a page has all pieces of the longer log, the number of answers, the
    longest of them, and the time for a frame.
    """
    return asyncio.run(_pieces(long_log(entries)))


async def _pieces(data: bytes) -> dict[str, float]:
    requests = ReplayRequests(LogFile("long.fairdeal", data), BUILT_IN, english)
    marks = 0
    took = list[float]()
    while not requests.history.is_complete:
        begun = perf_counter()
        marks += len((await _answer(requests.replay, f"marks={marks}"))["marks"])
        took.append(perf_counter() - begun)
    begun = perf_counter()
    await _answer(requests.frame, f"entry={len(requests.history.steps) // 2}&seat=all")
    return {
        "replay_pieces_s": sum(took),
        "replay_pieces": len(took),
        "replay_piece_longest_ms": 1000 * max(took),
        "replay_pieces_jump_ms": 1000 * (perf_counter() - begun),
    }


async def _answer(asked: Handler, query: str) -> Any:
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "headers": [],
        "query_string": query.encode(),
    }
    return json.loads(bytes((await asked(Request(scope))).body))
