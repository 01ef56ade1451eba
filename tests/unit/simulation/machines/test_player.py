"""One player of the machines, controlled by hand: its answers, and messages without effect."""

import pytest

from protocol.errors import LocalError
from simulation.machines.card_conservation import cards_in_flight
from simulation.machines.messages import (
    COORDINATOR,
    Answer,
    Check,
    End,
    Init,
    Lay,
    LayVerdict,
    Look,
    Lost,
    Points,
    Ready,
    Score,
    Seen,
    Start,
    Stop,
    Wake,
)
from simulation.machines.player import OVERDUE, Player
from simulation.machines.state_tables import PLAYER, PlayerState
from simulation.machines.strategies import Flip, LookAtNeighbour, PutCard, blind, look_first
from tests.support.errors import raises_text

RED, YELLOW = 0, 10  # the first card of a colour
ORDERED = tuple(range(40))  # red 1 to 10 are the stock, yellow 1 to 4 the row
# four open ones
ONES = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    11,
    0,
    10,
    20,
    30,
    *(card for card in range(12, 40) if card % 10),
)
# all ones are last
FEW = (
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


def quiet(sight):
    """Strategy that plays nothing."""
    return
    yield


def scripted(*choices):
    """Return a strategy with these choices that records what it saw."""
    sights = []

    def strategy(sight):
        sights.append(sight)
        for choice in choices:
            sights.append((yield choice))

    return strategy, sights


def dealt(deck, strategy=quiet, me=0, around=(1, 2)):
    """Return a player with its cards."""
    player = Player(me, strategy)
    assert player.receive(COORDINATOR, Init(around, deck, 4), 0) == [(COORDINATOR, Ready())]
    return player


def playing(deck, strategy=quiet, **settings):
    """Return a player that has begun, and its first messages."""
    player = dealt(deck, strategy, **settings)
    (wake,) = player.receive(COORDINATOR, Start(None), 10)
    assert wake == (player.me, Wake(10))
    sent = player.receive(player.me, Wake(10), 10)
    return player, [each for each in sent if not isinstance(each[1], Check)]


def cards(player, *under_way):
    """Count all cards of a player, wherever they are."""
    return cards_in_flight([player], under_way)


def test_player_states_follow_documented_table():
    player = Player(0, quiet)
    assert player.state is PlayerState.CREATED
    seen = [player.state]
    for message in (Init((1,), ORDERED, 4), Start(None), Wake(1), End(5), Points(5, False)):
        player.receive(0 if isinstance(message, Wake) else COORDINATOR, message, 1)
        seen.append(player.state)
    assert seen == [
        PlayerState.CREATED,
        PlayerState.READY,
        PlayerState.READY,
        PlayerState.PLAYING,
        PlayerState.ENDED,
        PlayerState.SCORED,
    ]
    assert {each for row in PLAYER.values() for each in row.values()} | {
        PlayerState.CREATED
    } == set(PlayerState)


@pytest.mark.parametrize("state", PlayerState)
def test_message_unexpected_in_state_changes_nothing(state):
    for message in (
        Start(None),
        Init((1,), ORDERED, 4),
        Points(1, False),
        Lay(1, 41),
        Answer(1, LayVerdict.LAID, None, 0),
    ):
        if type(message) not in PLAYER[state]:
            player = playing(ORDERED)[0]
            player.state = state
            before = cards(player)
            assert player.receive(COORDINATOR, message, 20) == []
            assert (player.state, cards(player)) == (state, before)


def test_player_waits_for_start_instant():
    player = dealt(ORDERED, blind)
    assert player.receive(COORDINATOR, Start(500), 10) == [(0, Wake(500))]
    assert player.receive(0, Wake(500), 499) == [] and player.state is PlayerState.READY
    assert player.receive(COORDINATOR, Start(20), 30) == []  # a second start has no effect
    assert player.receive(0, Wake(500), 500)
    assert player.state is PlayerState.PLAYING


def test_player_opens_own_ones_and_turns_stock():
    player, sent = playing(ONES, blind)
    # red 1, and the cards that came into its slot; the tenth of these is the stop
    assert player.piles.heights == (10, 0, 0, 0)
    assert sent == [(COORDINATOR, Stop(10))]
    assert player.cards.stock() == () and cards(player).total() == 40
    assert player.receive(1, Look(1), 11) == [(1, Seen(1, (11, 10, 20, 30), None, (10, 0, 0, 0)))]


def test_lay_is_accepted_late_or_wrong():
    player, _ = playing(FEW)
    player.piles.lay(RED, 1)
    assert player.receive(1, Lay(1, 40 + RED + 1), 20) == [
        (1, Answer(1, LayVerdict.LAID, None, 20))
    ]
    assert player.receive(2, Lay(1, 80 + RED + 1), 21) == [
        (2, Answer(1, LayVerdict.LATE, 80 + RED + 1, 20))
    ]
    assert player.receive(2, Lay(2, 80 + RED + 3), 22) == [
        (2, Answer(2, LayVerdict.NEVER, 80 + RED + 3, 0))
    ]
    # a one of another player
    assert player.receive(2, Lay(3, 80 + YELLOW), 23) == [
        (2, Answer(3, LayVerdict.NEVER, 80 + YELLOW, 0))
    ]


def test_call_not_next_of_neighbour_is_ignored():
    player, _ = playing(FEW)
    player.piles.lay(RED, 1)
    piece = 40 + RED + 1
    assert player.receive(5, Lay(1, 201), 20) == []  # not a neighbour
    # a neighbour with another player's card
    assert player.receive(1, Lay(1, 80 + RED + 1), 20) == []
    assert player.receive(1, Lay(4, piece), 20) == [(1, Answer(4, LayVerdict.LAID, None, 20))]
    for number in (4, 3):  # a repeated number, and an old one
        assert player.receive(1, Lay(number, piece), 21) == []
        assert player.receive(1, Look(number), 21) == []
    assert player.piles.heights == (2, 0, 0, 0)


def test_only_answer_to_pending_call_counts():
    strategy, sights = scripted(PutCard(0, 1), Flip())
    player, sent = playing(FEW, strategy)
    lay = Lay(1, 12)
    assert sent == [(1, lay)]
    for sender, answer in (
        (2, Answer(1, LayVerdict.LAID, None, 20)),
        (1, Answer(2, LayVerdict.LAID, None, 20)),
        (1, Answer(1, LayVerdict.LATE, 13, 20)),
        (1, Answer(1, LayVerdict.LAID, 12, 20)),
        (1, Answer(1, LayVerdict.NEVER, None, 20)),
        (1, Seen(1, (), None, (0, 0, 0, 0))),
        (COORDINATOR, Answer(1, LayVerdict.LAID, None, 20)),
    ):
        assert player.receive(sender, answer, 20) == []
        assert player.call is not None and cards(player, lay).most_common(1)[0][1] == 1
    player.receive(1, Answer(1, LayVerdict.NEVER, 12, 0), 30)
    assert [sight.result for sight in sights[1:]] == [
        LayVerdict.NEVER,
        LayVerdict.NEVER,
    ] and player.flips == 1


def test_player_waits_for_pending_lay_at_end():
    strategy, _ = scripted(PutCard(0, 1), Flip())
    player, _ = playing(FEW, strategy)
    assert player.receive(COORDINATOR, End(15), 20) == []
    assert player.receive(COORDINATOR, Points(15, False), 21) == []
    ((to, score),) = player.receive(1, Answer(1, LayVerdict.LAID, None, 18), 22)
    assert to == COORDINATOR and isinstance(score, Score)
    assert (score.tally.laid, score.tally.after, score.tally.flips, len(score.stock)) == (
        1,
        1,
        0,
        9,
    )
    assert player.state is PlayerState.SCORED


@pytest.mark.parametrize(("at", "laid"), ((17, 0), (18, 1)))
def test_cards_accepted_after_stop_instant_are_undone(at, laid):
    """The undoing affects the player who laid the card, and the owner of the pile."""
    strategy, _ = scripted(PutCard(0, 1))
    one, _ = playing(FEW, strategy)
    other, _ = playing(FEW, me=1, around=(0, 2))
    other.piles.lay(41 + YELLOW - 1 + 0, 1)
    other.piles.cards[1], other.piles.times[1] = [50, 51], [1, 2]
    ((_, answer),) = other.receive(0, Lay(1, 12), 18)
    one.receive(1, answer, 19)
    for player in (one, other):
        player.receive(COORDINATOR, End(at), 20)
    ((_, score),) = one.receive(COORDINATOR, Points(at, True), 21)
    ((_, others),) = other.receive(COORDINATOR, Points(at, True), 21)
    assert (score.tally.laid, score.tally.after, len(score.stock)) == (laid, 1 - laid, 10 - laid)
    assert (12 in others.piles[1]) == bool(laid)
    assert (12 in score.held) == (not laid)


def test_earlier_stop_undoes_more():
    strategy, _ = scripted(PutCard(0, 1))
    player, _ = playing(FEW, strategy)
    player.receive(1, Answer(1, LayVerdict.LAID, None, 18), 19)
    player.receive(COORDINATOR, End(20), 21)
    scores = [player.receive(COORDINATOR, Points(at, True), 22)[0][1] for at in (20, 18, 17, 17)]
    assert [score.tally.laid for score in scores] == [1, 1, 0, 0]
    assert all(len({*score.stock, *score.held}) == 40 - score.tally.laid for score in scores)


def test_player_after_end_accepts_nothing():
    player, _ = playing(FEW)
    player.piles.lay(RED, 1)
    player.receive(COORDINATOR, End(15), 20)
    piece = 40 + RED + 1
    assert player.receive(1, Lay(1, piece), 21) == [(1, Answer(1, LayVerdict.LATE, piece, 0))]
    assert player.piles.heights == (1, 0, 0, 0)


def test_unresponsive_neighbour_is_reported_lost():
    strategy, _ = scripted(PutCard(0, 2))
    player, _ = playing(FEW, strategy)
    ((to, check),) = player.receive(0, Check(10 + OVERDUE / 2), 10 + OVERDUE / 2)
    assert to == 0 and check.at > 10 + OVERDUE / 2
    assert player.receive(0, Check(10 + OVERDUE), 10 + OVERDUE) == [(COORDINATOR, Lost(2))]


@pytest.mark.parametrize(
    "choice",
    (
        PutCard(5, 1),
        PutCard(4, 1),
        PutCard(-1, 0),
        PutCard(0, 7),
        LookAtNeighbour(7),
        LookAtNeighbour(0),
    ),
)
def test_strategy_requesting_missing_card_gets_an_error(choice):
    with raises_text(LocalError, match="place or a neighbour"):
        playing(FEW, scripted(choice)[0])


def test_strategy_sees_only_what_person_sees():
    strategy, sights = scripted(Flip(), LookAtNeighbour(1))
    player, _ = playing(FEW, strategy)
    player.receive(1, Seen(1, (52, 53, 54, 55), 60, (0, 1, 0, 0)), 20)
    open_cards = {12, 13, 14, 15, player.cards.top}
    for sight in sights:
        told = {
            *sight.row,
            sight.top,
            *(piece for seen in sight.seen.values() for piece in (*seen.row, seen.top)),
        }
        assert told <= open_cards | {None, 52, 53, 54, 55, 60}
        assert sight._fields == ("me", "neighbours", "row", "top", "heights", "seen", "result")


def test_looking_strategy_offers_only_fitting_cards():
    player, sent = playing(FEW, look_first)
    assert sent == [(1, Look(1))]
    (sent,) = player.receive(1, Seen(1, (), None, (0, 2, 0, 0)), 20)
    assert sent == (1, Lay(2, 12))  # yellow 3 onto two yellow cards
    (sent,) = player.receive(1, Answer(2, LayVerdict.LATE, 12, 21), 22)
    assert sent == (2, Look(3)) and player.late == 1


def test_endless_strategy_does_not_delay_others():
    def turning(sight):
        while True:
            yield Flip()

    player, sent = playing(FEW, turning)
    assert sent == [(0, Wake(10))] and player.flips > 1
