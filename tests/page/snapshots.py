"""Snapshots of real matches, as the program sends them, for tests of the page's modules."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count, takewhile
from typing import Any

from player.client.events import Happened
from player.presenter.match_data import deeds_data, faults_data, people_data, view_data
from protocol.games import Hand
from protocol.i18n import english
from protocol.match.seat_view import ClientKnowledge, view_of
from protocol.match.state import Match, MatchStage
from protocol.view.text import phrase_renderer
from protocol.view.view import View
from tests.golden.play import Moment, play
from tests.golden.scenarios import SCENARIOS, Scenario
from tests.support.offline import NAMES

Json = dict[str, Any]
Wanted = Callable[[View], bool]
MATCHES = SCENARIOS | {
    "line": Scenario("line", "draw-dominoes", "layered", 4, {"hand": 6, "target": 60}, seed=3),
    "six": Scenario(
        "six",
        "texas-holdem",
        "commutative",
        6,
        {"hands": 3, "stack": 200},
        bots=("sensible",),
        seed=7,
    ),
    "ten": Scenario(
        "ten",
        "texas-holdem",
        "commutative",
        10,
        {"hands": 3, "stack": 200},
        bots=("sensible",),
        seed=7,
    ),
}
LONG = (
    "Wilhelmina Featherstonehaugh-Cholmondeley of Upper Slaughter",
    "דניאלה בן־דוד",
    "<img onerror=alert(1)>",
    "李小龙",
)


@cache
def _played(name: str) -> tuple[list[Moment], Iterator[Moment]]:
    """Return the moments of a match that are already played, and an iterator over the rest."""
    return [], play(MATCHES[name])


def moments(name: str) -> Iterator[Moment]:
    """Yield the moments of a match, which is played only as far as needed."""
    seen, rest = _played(name)
    for number in count():
        if number == len(seen):
            try:
                seen.append(next(rest))
            except StopIteration:
                return
        yield seen[number]


def snapshot(
    match: Match, you: int | None, hand: Hand, names: Sequence[str] = NAMES, **more: Any
) -> Json:
    """Make the snapshot for one seat's page at a moment. `more` replaces fields."""
    seats = match.setup.seats
    aside = ClientKnowledge(
        waited=dict.fromkeys(range(seats), 21_000),
        connected=dict.fromkeys(range(seats), True),
        log_path="draw-2026.fairdeal",
    )
    view = view_of(match, you, hand, aside)
    view = replace(view, seats=tuple(replace(seat, name=names[seat.seat]) for seat in view.seats))
    say = phrase_renderer(english, names, you)
    people = [
        person._replace(name=name) for person, name in zip(match.setup.people, names, strict=False)
    ]
    plain = {
        "serial": 1,
        "stage": "match",
        "view": view_data(view, say),
        "connection": "Connected to the table.",
        "away": False,
        "behind": False,
        "status": "Your move is on its way.",
        "dealing": "Everybody shuffles in turn, and proves it.",
        "trust": ["Nobody else can see your hand.", "If somebody leaves, the others play on."],
        "verdict": None,
        "faults": faults_data(match.faults, phrase_renderer(english, names)),
        "people": people_data(people, you, {}, english),
        "missing": 0,
        "lobby": None,
        "again": False,
        "bots": False,
    }
    return plain | more


def found(
    name: str, wanted: Wanted, names: Sequence[str] = NAMES, watching: bool = False, **more: Any
) -> Json:
    """Return the snapshot of a match's first moment at which a seat has a suitable view: that
    seat's, or a spectator's if `watching`.
    """
    for moment in moments(name):
        if moment.after.stage is not MatchStage.PLAYING:
            continue
        for seat, hand in moment.hands.items():
            if wanted(view_of(moment.after, seat, hand)):
                you, held = (None, ()) if watching else (seat, hand)
                return snapshot(moment.after, you, held, names, **more)
    raise LookupError(name)


def ended(name: str, you: int | None = 0, **more: Any) -> Json:
    """Return the snapshot at a match's end."""
    *_, last = moments(name)
    return snapshot(
        last.after, you, last.hands.get(you or 0, ()) if you is not None else (), **more
    )


def dealt(name: str) -> Json:
    """Return a snapshot during a deal."""
    moment = next(
        moment
        for moment in moments(name)
        if moment.after.stage is MatchStage.DEALING and moment.after.deal
    )
    return snapshot(moment.after, 0, ())


@cache
def story(name: str, entries: int, you: int | None = 0) -> list[Json]:
    """Return the news of a match's first entries, as the stream sends them."""
    happened = [
        Happened(moment.before, moment.entry, moment.after)
        for moment in takewhile(lambda moment: moment.before.next_number < entries, moments(name))
        if moment.entry is not None
    ]
    return [deed for event in happened for deed in deeds_data(event, you, english)]


def kinds(view: View) -> set[str]:
    """Return the kinds of offered choices."""
    return {offer.kind for offer in view.offers}


def both_ends(view: View) -> bool:
    """Check that a tile fits at both ends of a long line."""
    long = len(getattr(view.board, "tiles", ())) > 5
    return long and any(len(piece.offers) == 2 for piece in view.hand)


def stuck(view: View) -> bool:
    """Check that drawing is the only choice."""
    return kinds(view) == {"draw"} and len(getattr(view.board, "tiles", ())) > 4


def on_the_flop(view: View) -> bool:
    """Check that the seat may raise with cards on the board."""
    return bool(getattr(view.board, "cards", ())) and bool(kinds(view) & {"bet", "raise"})


def exchanging(view: View) -> bool:
    """Check that the seat may exchange cards."""
    return "exchange" in kinds(view)


def waiting(view: View) -> bool:
    """Check that another seat is to act, with cards on the board and the own hand still in play."""
    own = view.seats[view.you or 0].game
    return not view.offers and len(getattr(view.board, "cards", ())) >= 3 and own.held > 0


OVER = {
    "verdict": {"clean": True, "lines": ["Verdict: no cheating found. Winner: Ann, 545 entries"]},
    "stage": "over",
}
SHOTS: dict[str, Callable[[], Json]] = {  # all kinds of views of the match screen
    "dominoes": lambda: found("line", both_ends),
    "drawing": lambda: found("line", stuck),
    "holdem": lambda: found("six", on_the_flop),
    "waiting": lambda: found("six", waiting),
    "exchange": lambda: found("five-card-draw verified", exchanging),
    "long": lambda: found("line", both_ends, LONG),
    "spectator": lambda: found("six", on_the_flop, watching=True),
    "behind": lambda: found("line", both_ends, behind=True),
    "away": lambda: found(
        "line", both_ends, away=True, connection="No connection to the table, 12 s."
    ),
    "dealing": lambda: dealt("draw verified"),
    "fault": lambda: ended("block false pass", stage="over"),
    "over": lambda: ended("draw layered", again=True, **OVER),
}


@cache
def shot(name: str) -> Json:
    """Return a snapshot, which must not be changed. Its match is played now, so that collecting
    tests plays none.
    """
    return SHOTS[name]()
