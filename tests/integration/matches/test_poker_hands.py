"""Hands out of a log, in PHH and in the text of PokerStars: pokerkit reads them, plays them by its
own rules, and every player ends with the chips that the log says.
"""

import warnings
from collections.abc import Iterator
from random import Random

import pytest
from pokerkit.notation import HandHistory

from protocol.__main__ import main
from protocol.audit.poker_hands.phh import is_in_phh, phh_lines
from protocol.audit.poker_hands.pokerstars import is_in_pokerstars, pokerstars_lines
from protocol.audit.poker_hands.records import HandRecord, hand_records
from protocol.audit.replay import Replay
from protocol.dealing import Post
from protocol.match.state import Match
from tests.support.log_files import clean
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match


def match(seats: int, seed: int = 1, game: str = "texas-holdem", **options: int | str) -> Offline:
    shared = {"leavers": "threshold"}
    made = make_offline(seats, seed, game, {"hands": 4, **options}, shared, dealing="verified")
    made.bots = ("sensible", "random", "sensible")
    return made


def hands_of(played: Offline) -> tuple[Match, list[HandRecord]]:
    steps = list(Replay(played.file()))
    return steps[-1].after, list(hand_records(steps))


def played_by_pokerkit(history: HandHistory) -> list[int]:
    *_, last = history
    assert not last.status, "the hand is over"
    return [int(chips) for chips in last.stacks]


def read_back(read: Match, hands: list[HandRecord]) -> Iterator[tuple[HandRecord, HandHistory]]:
    histories = list(HandHistory.loads_all("\n".join(phh_lines(read, hands))))
    yield from zip(hands, histories, strict=True)


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {"stack": 60}),
        (3, {"stack": 30, "ante": 1, "rebuys": 2}),
        (4, {"stack": 60, "blind": 5}),
        (3, {"limit": "fixed", "hands": 3}),
        (2, {"stack": 16, "levels": 1, "hands": 6}),
    ],
)
def test_pokerkit_plays_exported_hands_to_the_same_chips(seats, options):
    played = match(seats, seed=seats, **options)
    played.play()
    read, hands = hands_of(played)
    assert [hand.number for hand in hands] == list(range(1, read.game.hand + 1))
    assert all(hand.regular for hand in hands)
    for hand, history in read_back(read, hands):
        assert played_by_pokerkit(history) == list(hand.finishing)
        assert history.finishing_stacks == list(hand.finishing)
        assert history.players == [read.setup.people[seat].name for seat in hand.seats]


def test_only_shown_cards_are_exported():
    played = match(3, seed=2, stack=30)
    played.play()
    read, hands = hands_of(played)
    text = "\n".join(phh_lines(read, hands))
    shown = sum(len(hand.shown) for hand in hands)
    dealt = text.count("d dh ")
    assert 0 < shown < dealt and text.count("????") == dealt - shown


def test_pokerkit_reads_exported_text_of_pokerstars():
    played = match(3, seed=2, stack=60)
    played.play()
    read, hands = hands_of(played)
    text = "\n".join(pokerstars_lines(read, hands))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        histories = list(HandHistory.from_pokerstars(text, error_status=True))
    assert len(histories) == len(hands)
    for hand, history in zip(hands, histories, strict=True):
        chips = dict(zip(history.players, played_by_pokerkit(history), strict=True))
        names = [read.setup.people[seat].name for seat in hand.seats]
        assert [chips[name] for name in names] == list(hand.finishing)


def test_draw_poker_is_exported_to_pokerstars_only():
    played = match(3, game="five-card-draw")
    played.play()
    read, hands = hands_of(played)
    assert not is_in_phh(read) and is_in_pokerstars(read)
    text = "\n".join(pokerstars_lines(read, hands))
    assert text.count("5 Card Draw No Limit") == len(hands)
    assert "posts the ante" in text and ("discards" in text or "stands pat" in text)


def test_checks_and_folds_of_absent_seats_are_exported():
    played = match(3, seed=5)
    rng = Random(5)
    while played.live.match.game is None or played.live.match.game.hand < 2:
        assert sum(played.step(seat) for seat in played.seats)
    away = rng.randrange(3)
    played.catch_up(played.readers[away])
    played.live.offer(played.seats[away].entry(played.readers[away].log, Post("sit_out", [])), away)
    played.play()
    read, hands = hands_of(played)
    later = [hand for hand in hands if hand.number > 2 and away in hand.seats]
    assert later and all(hand.regular for hand in later)
    for hand, history in read_back(read, later):
        assert played_by_pokerkit(history) == list(hand.finishing)
        player = hand.seats.index(away)
        verbs = [action.verb for action in hand.actions if action.player == player]
        assert set(verbs) <= {"fold", "call", "muck"} and verbs


@pytest.mark.parametrize("seed", range(3))
def test_hand_that_ends_by_leaving_is_whole_or_marked(seed):
    """What is exported as regular is so; a hand that other rules do not have is marked."""
    rng = Random(seed)
    played = match(3, seed, hands=3)
    while played.live.match.game is None or played.live.match.game.hand < 1:
        assert sum(played.step(seat) for seat in played.seats)
    for step in range(rng.randrange(8)):
        played.step(played.seats[step % 3])
    leaver = rng.randrange(3)
    played.catch_up(played.readers[leaver])
    played.live.offer(
        played.seats[leaver].entry(played.readers[leaver].log, Post("leave", [])), leaver
    )
    others = [seat for seat in played.seats if seat.number != leaver]
    while sum(played.step(seat) for seat in others):
        pass
    read, hands = hands_of(played)
    for hand, history in read_back(read, [hand for hand in hands if hand.regular]):
        assert played_by_pokerkit(history) == list(hand.finishing)


def test_other_games_have_no_hands():
    played = make_offline(2)
    played.play()
    read, hands = hands_of(played)
    assert not hands and not is_in_phh(read) and not is_in_pokerstars(read)


@pytest.mark.parametrize(("form", "begins"), [("phh", "[1]"), ("pokerstars", "PokerStars Hand #")])
def test_command_prints_hands(tmp_path, capsys, form, begins):
    played = match(2, hands=2)
    played.play()
    path = tmp_path / "a.fairdeal"
    path.write_bytes(played.file())
    assert main(["show", str(path), "--hands", form]) == 0
    assert capsys.readouterr().out.startswith(begins)


def test_command_says_that_a_game_has_no_hands(tmp_path, capsys):
    path = tmp_path / "a.fairdeal"
    path.write_bytes(clean())
    assert main(["show", str(path), "--hands", "phh"]) == 2
    assert "has no such game" in capsys.readouterr().err


def test_pokerstars_title_has_the_usual_limit_of_the_game() -> None:
    """Omaha has pot limit where the terms say nothing."""
    played = match(2, game="omaha", hands=1)
    played.play()
    title = next(pokerstars_lines(*hands_of(played)))
    assert "Omaha Pot Limit (1/2)" in title
