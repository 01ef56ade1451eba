"""Whole rounds of the machines in virtual time: no card is lost, work is independent of the number
of players, and every round ends.
"""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from protocol.limits import MACHINES_ANSWER_SECONDS, MAX_NEIGHBOURS
from simulation.machines.card_conservation import cards_in_flight, missing_cards
from simulation.machines.coordinator import Coordinator, RoundPlan, RoundScore, VoidRound
from simulation.machines.messages import (
    COORDINATOR,
    Answer,
    End,
    Lay,
    LayVerdict,
    Look,
    Points,
    Ready,
    Score,
    Seen,
    Start,
    Stop,
    Tally,
)
from simulation.machines.player import Player
from simulation.machines.result import as_round, from_plain, to_plain
from simulation.machines.state_tables import COORDINATOR as PHASES
from simulation.machines.state_tables import CoordinatorPhase
from simulation.machines.strategies import STRATEGIES, blind
from simulation.machines.virtual_time import VirtualRound
from simulation.models import CARDS, MachinesModel
from simulation.models.machines_round import neighbours
from simulation.models.random_draws import shuffled

# all ones are last
STUCK = (
    *range(1, 10),
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    *range(21, 30),
    *range(31, 40),
    0,
    10,
    20,
    30,
)


def decks(players, seed=1):
    random = Random(seed)
    return tuple(tuple(shuffled(random)) for _ in range(players))


def world(players, seed=1, strategy="blind", **plan):
    timing = MachinesModel(players, look=strategy == "look")
    return VirtualRound(
        RoundPlan(decks(players, seed), **plan), STRATEGIES[strategy], timing, Random(seed).random
    )


def every_card_once(world):
    """Check the number of all cards, once all have been dealt."""
    if all(player.neighbours for player in world.players):
        there = cards_in_flight(world.players, world.under_way(), world.coordinator.undone_after)
        assert there == Counter(range(CARDS * len(world.players)))


@pytest.mark.parametrize("instants", (False, True), ids=("signals", "instants"))
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("players", (2, 5, 9))
@pytest.mark.slow
def test_every_card_exists_once_after_each_event(players, strategy, instants):
    here, events = world(players, 3, strategy, instants=instants, lead=2_000, patience=8_000), []

    def watch(seen):
        events.append(seen.now)
        if not len(events) % 7 or len(events) < 100:  # each kind of event is checked in some round
            every_card_once(seen)

    outcome = here.play(watch)
    assert isinstance(outcome, RoundScore) and len(events) > 100
    assert missing_cards(outcome.scores).cards == ()


class Liar(Player):
    """Player that accepts a card, and answers that it did not fit."""

    def _lay(self, sender, lay, now):
        sent = super()._lay(sender, lay, now)
        return [
            (to, answer._replace(verdict=LayVerdict.NEVER, piece=lay.piece)) for to, answer in sent
        ]


class Thief(Player):
    """Player that claims to have accepted a card, and has not."""

    def _lay(self, sender, lay, now):
        return (
            [(sender, Answer(lay.number, LayVerdict.LAID, None, now))]
            if super()._lay(sender, lay, now)
            else []
        )


@pytest.mark.parametrize("kind", (Liar, Thief))
@pytest.mark.slow
def test_neighbour_misreporting_acceptance_is_detected(kind):
    here = world(5, 4)
    here.players[2] = kind(2, blind, here.players[2].costs)
    with pytest.raises(AssertionError):
        here.play(every_card_once)
    here = world(5, 4)
    here.players[2] = kind(2, blind, here.players[2].costs)
    outcome = here.play()
    assert isinstance(outcome, VoidRound) and outcome.why == "cards" and outcome.cards
    assert kind is Thief or 2 in outcome.players


class Boaster(Player):
    """Player that claims one more laid card than it has."""

    def receive(self, sender, message, now):
        sent = super().receive(sender, message, now)
        return [(to, _boasting(said)) for to, said in sent]


def _boasting(said):
    return (
        said._replace(tally=said.tally._replace(laid=said.tally.laid + 1))
        if isinstance(said, Score)
        else said
    )


@pytest.mark.slow
def test_false_claim_of_points_is_detected():
    here = world(5, 4)
    here.players[2] = Boaster(2, blind, here.players[2].costs)
    outcome = here.play()
    assert isinstance(outcome, VoidRound) and (outcome.why, outcome.players, outcome.cards) == (
        "cards",
        (2,),
        (),
    )


@pytest.mark.parametrize("players", (2, 3, 7, 8, 9, 50))
def test_neighbours_are_symmetric_few_and_others(players):
    around = [neighbours(each, players) for each in range(players)]
    for me, others in enumerate(around):
        assert len(set(others)) == len(others) == min(players - 1, MAX_NEIGHBOURS)
        assert me not in others and all(me in around[other] for other in others)


@pytest.mark.slow
def test_machines_round_repeats_for_same_seed():
    assert world(8, 5).play() == world(8, 5).play() != world(8, 6).play()


def test_player_work_is_independent_of_player_count():
    """The messages that one player sends and receives in 2 ms with six neighbours do not grow with
    five times as many players.
    """
    busiest = {}
    for players in (10, 50):
        here = world(players, 2, instants=True, lead=players * 61.0)
        sent, heard = Counter(), Counter()
        begins = players * 61.0 * 2
        here.begin()
        while here.now < begins + 2_000 and here.coordinator.outcome is None:
            _, _, to, sender, message = here.events[0]
            if isinstance(message, Lay | Look | Answer | Seen):
                sent[sender] += 1
                heard[to] += 1
            here.step()
        busiest[players] = max((sent + heard).values())
        assert all(len(player.heard) <= MAX_NEIGHBOURS for player in here.players)
    assert 50 < busiest[50] <= busiest[10] * 1.2


@pytest.mark.slow
def test_with_instants_cards_after_stop_do_not_count():
    here = world(40, 4, instants=True, strategy="look")
    outcome = here.play()
    round_ = as_round(outcome)
    assert round_.after_stop > 0
    times = [at for player in here.players for pile in player.piles.times for at in pile]
    assert max(times) <= outcome.duration + here.coordinator.started
    assert sum(round_.laid) == len(times)
    assert round_.points[round_.stop] == round_.laid[round_.stop] >= 10


def test_round_ends_although_nobody_can_lay():
    plan = RoundPlan((STUCK,) * 3, patience=5_000)
    outcome = VirtualRound(plan, blind, MachinesModel(3), Random(1).random).play()
    assert (outcome.stop, outcome.duration) == (None, 5_000)
    assert as_round(outcome).points == (-20, -20, -20)


class Dead(Player):
    """Player that dies in the middle of a round."""

    def receive(self, sender, message, now):
        return [] if now > 2_000 else super().receive(sender, message, now)


def test_dead_player_voids_round_and_is_named():
    here = world(4, 2)
    here.players[3] = Dead(3, blind, here.players[3].costs)
    outcome = here.play()
    assert isinstance(outcome, VoidRound) and (outcome.why, outcome.players) == ("silent", (3,))
    assert outcome.at <= (MACHINES_ANSWER_SECONDS + 1.5) * 1e6


def coordinator(players=2, **settings):
    """Return a coordinator that has dealt."""
    chief = Coordinator(RoundPlan(decks(players), **settings))
    chief.begin(0)
    return chief


def scored(chief, at=5):
    """Send scores as dealt: nobody has laid anything."""
    pieces = [[40 * each + card for card in deck] for each, deck in enumerate(chief.plan.decks)]
    return [
        Score(at, Tally(0, 0, 0, 0, 0, 0), tuple(deck[:10]), tuple(deck[10:]), ((), (), (), ()))
        for deck in pieces
    ]


def test_player_never_ready_is_named():
    chief = coordinator(3)
    chief.receive(1, Ready(), 5)
    chief.receive(
        COORDINATOR,
        next(m for _, m in Coordinator(chief.plan).begin(0) if hasattr(m, "at")),
        chief.until,
    )
    assert chief.outcome == VoidRound("unready", (0, 2), 0)


def test_player_without_score_report_is_named():
    chief = coordinator()
    (*_, (_, check)) = [*chief.receive(0, Ready(), 1), *chief.receive(1, Ready(), 2)]
    (*_, (_, check)) = chief.receive(1, Stop(5), 6)
    chief.receive(0, scored(chief)[0], 7)
    assert chief.receive(COORDINATOR, check, check.at - 1) == [] and chief.outcome is None
    chief.receive(COORDINATOR, check, check.at)
    assert chief.outcome == VoidRound("unscored", (1,), check.at - 2)


@pytest.mark.parametrize("instants", (False, True), ids=("signals", "instants"))
def test_first_stop_counts_or_earliest_with_instants(instants):
    chief = coordinator(instants=instants, lead=1)
    for each in (0, 1):
        chief.receive(each, Ready(), 2)
    sent = chief.receive(1, Stop(5), 6)
    assert [message for _, message in sent[:4]] == [
        End(5),
        End(5),
        Points(5, instants),
        Points(5, instants),
    ]
    assert chief.receive(0, Stop(4), 7) == []
    first, second = scored(chief)
    chief.receive(0, first, 8)
    again = chief.receive(1, second, 9)
    if instants:
        assert [message for _, message in again[:2]] == [Points(4, True)] * 2
        assert chief.receive(0, first, 10) == []  # to the first question
        for each, score in enumerate(scored(chief, 4)):
            chief.receive(each, score, 11)
    assert chief.outcome.stop == (0 if instants else 1)


@pytest.mark.parametrize("phase", CoordinatorPhase)
def test_message_out_of_phase_changes_nothing(phase):
    for message in (Ready(), Stop(1), scored(coordinator())[0], Start(1), End(1), Lay(1, 1)):
        if type(message) not in PHASES[phase]:
            chief = coordinator()
            chief.phase = phase
            assert chief.receive(1, message, 5) == []
            assert (chief.phase, chief.outcome, chief.ready, chief.scores, chief.first) == (
                phase,
                None,
                set(),
                {},
                None,
            )


def test_outcome_survives_transport_between_processes():
    outcome = world(4, 2).play()
    assert from_plain(to_plain(outcome)) == outcome
    void = VoidRound("cards", (1, 2), 5, (41,))
    assert from_plain(to_plain(void)) == void


@pytest.mark.slow
def test_times_of_a_pile_increase():
    here = world(9, 3)
    here.play()
    for player in here.players:
        for times in player.piles.times:
            assert all(one <= other for one, other in pairwise(times))
