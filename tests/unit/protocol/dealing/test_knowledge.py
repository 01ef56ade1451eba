"""Knowledge of each seat, derived from the log alone: never more than the dealing promises, and
equal to the private halves.
"""

import json
from typing import Any

import pytest

from protocol.audit.knowledge_matrix import apply_entry_facts, knowledge_data
from protocol.audit.replay import Replay
from protocol.audit.report_text import match_phrase_renderer
from protocol.dealing import TABLE, Post
from protocol.dealing.facts import Fact, Reading
from protocol.dealing.knowledge import Knowledge, KnowledgeCell, add_later_knowledge
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.seeded.seat import SeededSeat
from protocol.games.registry import BUILT_IN
from protocol.match.state import Match, MatchStage
from tests.support.knowledge import Watched, can_read, layered_places, says_it_knows
from tests.support.liars import STEPS, Liar
from tests.support.offline import Offline, make_offline
from tests.unit.protocol.match.test_seat_view import DEALT, SHORT

pytestmark = pytest.mark.match
FREE_ENTRIES = 8  # of the many entries in simultaneous play, one in eight is checked
SHARED: dict[str, int | str] = {"leavers": "threshold"}


class Observer:
    """Compares, after each entry, the knowledge from the facts with the cards that the private
    halves can read.
    """

    def __init__(self, offline: Offline) -> None:
        assert isinstance(offline.live, Watched)
        self.offline, self.live, self.looked = offline, offline.live, 0
        self.facts: list[Fact] = []  # of the deal
        # after this number of facts: a seat's actual hand
        self.then: list[tuple[int, Knowledge, int, set[int]]] = []
        offline.live.look = self

    def __call__(self, before: Match, deal: object) -> None:
        known = self.live.known
        assert known is not None
        if self.then and self.then[-1][1].deal != known.deal:
            self.facts, self.then = [], []
        self.facts += self.live.facts
        if before.active_simultaneous is not None and before.next_number % FREE_ENTRIES:
            return
        for seat in self.offline.seats:
            if (
                seat._half is not None
                and seat._half_of == known.deal
                and seat.number in self.live.match.present
            ):
                if getattr(deal, "ready", False):
                    seat._half.next_post(deal)  # the half reads the new entries here
                self.looked += 1
                self.compare(known, deal, seat.number, seat._half)
        table = self.live._half if self.live._half_of == known.deal else None
        mine = {
            place for place in range(len(known.holders)) if can_read(table, deal, place) is not None
        }
        assert says_it_knows(known, TABLE) - known.public.keys() == mine - known.public.keys()

    def compare(self, known: Knowledge, deal: Any, seat: int, half: object) -> None:
        """Check that both agree exactly, and that the pieces equal the public ones."""
        if isinstance(half, LayeredSeat):
            held = layered_places(half, deal)
            drawn = {place for party, place in known.known if party == seat}
            slots, count = known.among.get(seat, ((), 0))
            dealt = held.keys() - drawn
            assert dealt <= set(slots) and len(dealt) == count and drawn <= held.keys()
            self.then.append((len(self.facts), known, seat, set(held)))
        else:
            pieces = {place: can_read(half, deal, place) for place in range(len(known.holders))}
            held = {place: piece for place, piece in pieces.items() if piece is not None}
            assert (
                says_it_knows(known, seat) | known.public.keys()
                == held.keys() | known.public.keys()
            )
        assert all(
            known.public[place] == held[place] for place in known.public.keys() & held.keys()
        )
        if getattr(deal, "ready", False):
            own = (
                held
                if isinstance(half, LayeredSeat | SeededSeat)
                else {p for p in held if known.holders[p] == seat}
            )
            decks = set(deal.context.owners)  # piles that nobody looks into
            assert (
                set(half.hand)
                == {held[place] for place in own if place not in known.public} - decks
            )

    def look_back(self) -> None:
        """Check by the openings at the end what each seat knew at every earlier moment."""
        for count, known, seat, held in self.then:
            told = add_later_knowledge(known, self.facts[count:])
            assert {
                place for party, place in told.known if party == seat
            } | told.public.keys() == held | told.public.keys()


def watched(
    game: str, dealing: str, options: dict, seats: int = 3, seed: int = 3, **more
) -> Offline:
    offline = make_offline(seats, seed, game, options, dealing=dealing, table_type=Watched, **more)
    offline.bots = ("random",)
    return offline


@pytest.mark.parametrize(("game", "dealing", "options"), [row for row in DEALT if row[1] != "none"])
def test_facts_match_the_private_halves(game, dealing, options):
    offline = watched(
        game,
        dealing,
        options,
        seats=2 if game in SHORT else min(3, BUILT_IN.specs[game].seats[1]),
        seed=SHORT.get(game, 3),
    )
    observer = Observer(offline)
    offline.play()
    match = offline.live.match
    assert match.over and not match.faults and observer.looked > 50
    observer.look_back()
    assert bool(observer.then) is (dealing == "layered")


def test_knowledge_matches_seats_when_others_replace_a_leaver():
    offline = watched("draw-dominoes", "verified", {}, seats=4, dealing_options=SHARED)
    observer = Observer(offline)
    while len(offline.live.match.action_entries) < 3:
        assert any(offline.step(seat) for seat in offline.seats)
    gone = offline.seats.pop(1)
    offline.catch_up(offline.readers[1])
    offline.live.offer(gone.entry(offline.readers[1].log, Post("leave", [])), 1)
    offline.play()
    assert offline.live.match.over and offline.live.match.gone == {1} and observer.looked


@pytest.mark.parametrize("kind", [*STEPS, "move"])
@pytest.mark.parametrize("leavers", ["void", "threshold"])
def test_lie_adds_no_knowledge(kind, leavers):
    """Up to the lie and, where the others play on, after it."""
    liar = type("OneLiar", (Liar,), {"kinds": (kind,)})
    options: dict = {} if leavers == "void" else SHARED
    offline = watched(
        "draw-dominoes", "verified", {}, seat_types={1: liar}, dealing_options=options
    )
    lied: list[tuple[Fact, ...]] = []

    def look(before: Match, deal: object) -> None:
        live = offline.live
        if len(live.match.faults) > len(before.faults):
            lied.append(live.facts)

    offline.live.look = look
    offline.play()
    assert all(
        not isinstance(fact, Reading) and getattr(fact, "party", None) != 1
        for facts in lied
        for fact in facts
    )


def last_knowledge(offline: Offline) -> list[tuple[Knowledge, Match]]:
    """Return the knowledge at the end of each deal, and the state at that time."""
    ends: dict[int, tuple[Knowledge, Match]] = {}
    known = None
    for step in Replay(offline.file()):
        known, facts = apply_entry_facts(known, step.before, step.entry, step.after)
        if known is not None:
            ends[known.deal] = known, step.after
            drawn = knowledge_data(known, facts, step.after, match_phrase_renderer(step.after))
            assert json.loads(json.dumps(drawn)) == drawn
            assert len(drawn["cells"]) == len(drawn["parties"]) == len(drawn["seats"])
            assert all(len(row) == drawn["pieces"] for row in drawn["cells"])
            assert all("{" not in fact["text"] for fact in drawn["facts"])
    return list(ends.values())


@pytest.mark.parametrize(
    ("dealing", "hidden"), [("layered", False), ("commutative", False), ("verified", True)]
)
def test_permanently_hidden_cards_match_the_dealing(dealing, hidden):
    offline = watched("block-dominoes", dealing, {})
    offline.play()
    ((known, _),) = last_knowledge(offline)
    cells = {cell for row in known.cells for cell in row}
    assert cells == (
        {KnowledgeCell.PUBLIC, KnowledgeCell.SEALED} if hidden else {KnowledgeCell.PUBLIC}
    )


def test_page_gets_knowledge_of_every_deal():
    offline = watched("five-card-draw", "verified", {"hands": 2})
    offline.play()
    assert [known.deal for known, _ in last_knowledge(offline)] == [0, 1]
    assert offline.live.match.closed_deal is None and offline.live.match.stage is MatchStage.OVER
