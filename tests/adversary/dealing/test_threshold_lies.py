"""With leavers=threshold a lie costs as much as leaving: its author is named and out, and the
others play on.
"""

from random import Random

import pytest

from protocol.audit.verdict import audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.verified.stages import VerifiedStage as DealStage
from protocol.errors import Refused
from protocol.match import log
from protocol.match.state import MatchStage
from tests.adversary.cheats.play import FalsePass
from tests.support.liars import STEPS, Liar, flipped
from tests.support.offline import Offline, make_offline
from tests.support.views import legal_in

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}
HOLDEM, DRAW = "texas-holdem", "five-card-draw"


def eager(view, rng):
    """Go all in, exchange as many cards as allowed, and show."""
    return max(
        (action for action in legal_in(view) if action[0] not in ("fold", "muck")),
        key=lambda action: action[1:],
    )


def offline(
    game: str, seats: int = 4, seed: int = 1, liars: tuple[int, ...] = (1,), **more
) -> Offline:
    """Return a match at a table with shared keys and some lying seats."""
    options = more.pop("options", {})
    match = make_offline(
        seats, seed, game, options, SHARED | more, dict.fromkeys(liars, Liar), dealing="verified"
    )
    match.bots = (eager,)
    return match


def liar(match: Offline, seat: int = 1) -> Liar:
    found = match.seats[seat]
    assert isinstance(found, Liar)
    return found


def check_end(match: Offline, *liars: int) -> None:
    """Check that the match was played to its end without the liars, and that everybody names
    exactly them.
    """
    end, report = match.live.match, audit(match.file())
    assert end.over and not match.refused
    assert end.gone == set(liars) and end.receipts == end.present
    assert {fault.seat for fault in report.faults} == set(liars)
    for reader in match.readers:
        match.catch_up(reader)
        assert reader.faults == report.faults


def test_liar_with_everything_in_the_pot_loses_it():
    """Four seats are all in: the one that spoils the board gets no chips back and takes none from
    the others.
    """
    match = offline(HOLDEM, options={"stack": 200})
    seat = liar(match)
    seat.kinds, seat.since = ("shares",), 10_000
    while not (match.live.match.game and match.live.match.game.pot == 800):
        assert any(match.step(player) for player in match.seats)
    seat.since = 0
    match.play()
    check_end(match, 1)
    assert match.live.match.scores[1] == 0 and sum(match.live.match.scores) == 800


@pytest.mark.parametrize("game", [HOLDEM, DRAW, "block-dominoes", "draw-dominoes"])
# a step of own decks alone
@pytest.mark.parametrize("kind", [kind for kind in STEPS if kind != "turn_up"])
def test_lie_at_any_deal_step_costs_only_its_author(game, kind):
    match = offline(game, quorum=2) if kind == "stand_in" else offline(game)
    match.bots = ("greedy", "random")
    seat = liar(match)
    seat.kinds = (kind,)
    if kind == "stand_in":
        while not (match.live.match.deal and match.live.match.deal.stage is DealStage.SHARES):
            assert any(match.step(player) for player in match.seats)
        leave(match, 3)
    match.play()
    if seat.told is None:
        assert kind == "show"  # nobody at poker has to show, nor a seat that is out
    else:
        check_end(match, *((1, 3) if kind == "stand_in" else (1,)))


@pytest.mark.parametrize("game", ["block-dominoes", HOLDEM])
def test_lie_in_a_move_costs_only_its_author(game):
    """A piece is shown with a false proof: the move does not count, and the others play on."""
    match = offline(game)
    seat = liar(match)
    seat.kinds = ("move",)
    match.bots = ("greedy",) if game == "block-dominoes" else (eager,)
    match.play()
    assert seat.told is not None
    check_end(match, 1)


def leave(match: Offline, seat: int) -> None:
    """Let a seat leave for good by its own entry."""
    match.catch_up(match.readers[seat])
    own = next(player for player in match.seats if player.number == seat)
    match.live.offer(own.entry(match.readers[seat].log, Post("leave", [])), seat)
    match.seats.remove(own)


def test_two_successive_liars_are_removed_with_quorum_two():
    match = offline(HOLDEM, seats=5, liars=(1, 3), quorum=2)
    liar(match, 1).kinds = liar(match, 3).kinds = ("shares",)
    match.play()
    check_end(match, 1, 3)
    assert sum(match.live.match.scores) == 1000


def test_second_to_last_liar_leaves_match_to_the_other():
    match = offline("block-dominoes", seats=2)
    match.play()
    check_end(match, 1)
    assert match.live.match.winner == 0


def test_hidden_lie_costs_seat_and_hand_is_void():
    for seed in range(12):
        match = make_offline(
            3, seed, "block-dominoes", {"target": 30}, SHARED, {1: FalsePass}, dealing="verified"
        )
        match.play()
        if match.live.match.faults:
            break
    check_end(match, 1)
    assert {fault.code for fault in match.live.match.faults} == {Code.FALSE_PASS}
    assert match.live.match.winner in (0, 2) and match.live.match.scores[1] < 30


@pytest.mark.parametrize("game", [HOLDEM, DRAW, "block-dominoes", "draw-dominoes"])
@pytest.mark.parametrize("stage", [DealStage.SHUFFLE, DealStage.SHARES])
def test_leaving_after_key_sharing_gets_no_friend_new_cards(game, stage):
    """The accomplice tells its friend its hand, and leaves if that is bad: the friend has to play
    on as before.
    """
    match = make_offline(4, 3, game, {}, SHARED, dealing="verified")
    accomplice, friend = match.seats[1], match.seats[0]
    deal = lambda: match.live.match.deal  # noqa: E731
    while not (deal() and deal().stage is stage):
        assert any(match.step(player) for player in match.seats)
    if stage is DealStage.SHARES:  # all but the accomplice give their shares
        while sum(match.step(player) for player in match.seats if player is not accomplice):
            """They go on as far as they can."""
    deck = deal().deck
    leave(match, 1)
    while match.live.match.stage is MatchStage.DEALING:
        assert any(match.step(player) for player in match.seats)
    assert match.live.match.deal_number == 0
    friend.respond(match.live.match)  # the friend looks at its cards
    assert len(friend.hand) == deal().context.dealt_per_seat
    assert (
        len(deal().hidden_of(1)) == deal().context.dealt_per_seat
    )  # the other seats do not hear of these
    assert stage is DealStage.SHUFFLE or deal().deck == deck
    match.play()
    end = match.live.match
    assert end.over and end.gone == {1} and end.receipts == end.present and not match.refused


def test_two_leavers_before_dealing_cause_a_new_deal():
    """Fewer seats than the quorum stay and no card is known: only a deal is lost."""
    match = make_offline(4, 3, HOLDEM, {}, SHARED, dealing="verified")
    while not (match.live.match.deal and match.live.match.deal.stage is DealStage.SHARES):
        assert any(match.step(player) for player in match.seats)
    leave(match, 1)
    leave(match, 2)
    assert match.live.match.deal_number == 1
    match.play()
    assert (
        match.live.match.over
        and match.live.match.receipts == {0, 3}
        and sum(match.live.match.scores) == 800
    )


@pytest.mark.parametrize("seed", range(16))
def test_lie_never_pays_more_than_a_fold(seed):
    """At any moment of any match: nobody else is named, no chip is lost, and the liar keeps only
    its chips outside the pot.
    """
    rng = Random(seed)
    game, seats = rng.choice((HOLDEM, DRAW)), rng.choice((3, 4))
    match = make_offline(
        seats,
        3,
        game,
        {"hands": 2, "stack": 40},
        SHARED,
        dict.fromkeys(range(seats), Liar),
        dealing="verified",
    )
    # the same keys each time, and so the same first deal, which is used differently
    match.rng = Random(seed)
    match.bots = ("sensible", "random", eager)
    for player in match.seats:
        liar(match, player.number).since = 10_000
    guilty, since = rng.randrange(seats), rng.randrange(2 * seats, 120)
    while match.live.match.next_number < since and not match.live.match.over:
        assert any(match.step(player) for player in match.seats)
    liar(match, guilty).since = 0
    liar(match, guilty).kinds = (*STEPS, "move")
    before = match.live.match.scores
    while guilty in match.live.match.present and not match.live.match.over:
        before = match.live.match.scores
        assert any(match.step(player) for player in match.seats)
    match.play()
    end = match.live.match
    check_end(match, *((guilty,) if liar(match, guilty).told is not None else ()))
    assert sum(end.scores) == 40 * seats
    if guilty in end.gone:
        assert end.scores[guilty] <= before[guilty] and end.winner != guilty


@pytest.mark.parametrize("leavers", ["threshold", "void"])
def test_false_proof_is_checked_once_and_author_then_refused(leavers):
    """The liar is out, or the match is over: its later posts are refused before any of their
    content is checked.
    """
    match = offline("block-dominoes", leavers=leavers)
    seat = liar(match)
    seat.kinds = ("shuffle",)
    while seat.told is None:
        assert any(match.step(player) for player in match.seats)
    live = match.live
    false = log.decode_entry(live.records[seat.told].entry)
    assert [fault.entry for fault in live.match.faults] == [seat.told]
    again = seat.entry(live.log, Post(false.kind, false.body))
    with pytest.raises(Refused) as refusal:
        live.offer(again, 1)
    assert refusal.value.code is (Code.NOT_NOW if leavers == "threshold" else Code.MATCH_OVER)


def test_proof_out_of_turn_is_refused_before_checking():
    match = offline("block-dominoes", liars=())
    while not any(duty.kind == "shuffle" for duty in match.live.match.duties()):
        assert any(match.step(player) for player in match.seats)
    (duty,) = match.live.match.duties()
    turn, other = match.seats[duty.author], match.seats[(duty.author + 1) % 4]
    honest = turn.respond(match.live.match)
    # posted by the seat in turn this would be a fault
    false = Post("shuffle", [honest.body[0], flipped(honest.body[1], 40)])
    with pytest.raises(Refused) as refusal:
        match.live.offer(other.entry(match.live.log, false), other.number)
    assert refusal.value.code is Code.NOT_NOW
