"""Rule files that leave a seat no action, or too many: no honest seat is named for a defect of a
file.
"""

from random import Random

import pytest

from protocol.errors import Refused
from protocol.games import Act
from protocol.games.scripted.engine.idle import LEAVE, ChoiceLeft
from protocol.games.scripted.play_test import PlayTest
from protocol.limits import MAX_SCRIPT_CHOICES, MAX_SCRIPT_IDLE
from tests.integration.matches.test_rule_files_hostile import at_table, void
from tests.support.scripts import ClearTable, script
from tests.unit.protocol.games.scripted.engine.test_engine import GO, mini

LEGAL = "def legal(g, me, act): return True"


def begun(text: str, seats: int = 2) -> ClearTable:
    found = ClearTable(script(text, seats), 3, texts=text)
    assert found.onward() is not None, found.state.error
    return found


def only(what: str, more: str = "") -> str:
    """Return the small file with only this action legal."""
    return mini(more=more).replace(LEGAL, LEGAL.replace("True", what))


def test_seat_without_action_ends_turn_and_game_continues():
    found = begun(only("me == 0"))
    found.post(0, GO)
    assert found.onward() == Act((1,)) and found.choices(1) == (LEAVE,)
    found.post(1, LEAVE)
    assert found.onward() == Act((0,)) and LEAVE not in found.choices(0)
    assert found.play().winners == (0,)


def test_idle_seat_follows_lapse_rule_of_file():
    found = begun(
        only("me == 1", "def lapsed(g, me): return [add('points', 1 - me, 1), end_turn()]\n")
    )
    found.post(0, LEAVE)
    assert found.game.scores(found.state) == (0, 1) and found.state.turn == 1


def test_idle_claim_with_judgeable_action_is_refused():
    found = begun(mini())
    with pytest.raises(Refused):
        found.post(0, LEAVE)
    with pytest.raises(Refused):  # the reverse holds: an illegal action stays illegal
        begun(only("act['name'] == 'play'")).post(0, GO)


def test_idle_claim_depending_on_private_card_is_believed():
    found = begun(only("act['name'] == 'play' and act['face']['n'] > 99"))
    assert found.choices(0) == (LEAVE,)
    found.post(0, LEAVE)
    assert found.state.turn == 1


def test_rules_without_any_possible_action_are_wrong():
    found = begun(only("False").replace('return [0] if g["turns"] > 3 else None', "return None"))
    assert found.play().error.key == "script.idle"
    assert [action for _, action in found.moves if action == LEAVE] == [LEAVE] * (
        MAX_SCRIPT_IDLE + 1
    )


def test_seat_left_nothing_by_judge_plays_legally_unnamed():
    found = begun(mini(more="def judge(g, me, act, hand): return False\n"))
    assert GO in found.choices(0)
    assert found.play().error is None and not found.misplays


@pytest.mark.parametrize("choices", [40, 60])
def test_choice_larger_than_program_limit_is_not_asked(choices):
    words = ", ".join(f'"w{number}"' for number in range(choices))
    text = mini().replace('action("go")', f'action("go", target = "deck", choice = [{words}])')
    text = text.replace("range(8)]", "range(26)]")
    found = ClearTable(script(text), texts=text)
    many = choices * (26 - 4) > MAX_SCRIPT_CHOICES
    assert (found.onward() is None) is many
    assert many is (found.state.error is not None and found.state.error.key == "script.choices")


@pytest.mark.match
def test_honest_programs_finish_match_and_nobody_is_named():
    found = at_table(only("False").replace('return [0] if g["turns"] > 3 else None', "return None"))
    found.play()
    void(found)


def test_repeated_claim_of_no_action_is_judged_once():
    found = begun(mini())
    for _ in range(2):
        with pytest.raises(Refused):
            found.post(0, LEAVE)
    assert found.state.idlers == {0: GO}
    # nobody computes it again: the stored result is used
    found.state.idlers[0] = ChoiceLeft.NOTHING
    found.post(0, LEAVE)


def test_claim_too_costly_to_check_is_believed():
    """The last of many choices is legal, and finding it exceeds the budget of all: no table stops
    for it.
    """
    words = [f"w{number}" for number in range(60)]
    text = only(
        "act['name'] == 'go' and [x for x in range(work(act))] == []",
        "def work(act): return STEPS\n",
    )
    text = text.replace('action("go")', f'action("go", choice = {words})')
    cheap, costly = (
        "4000 if act['choice'] != 'w59' else 0".replace("4000", size) for size in ("10", "4000")
    )
    with pytest.raises(Refused):
        begun(text.replace("STEPS", cheap)).post(0, LEAVE)
    found = begun(text.replace("STEPS", costly))
    found.game.check(found.state, 0, LEAVE)
    assert found.state.idlers == {0: ChoiceLeft.UNKNOWN}


def test_final_judging_is_bounded_and_names_seat_once():
    """A liar after very expensive judging goes free; a blocked table would be worse."""
    judge = (
        "def judge(g, me, act, hand): return DEAR < 0 or act['name'] == 'play' or g['turns'] < 75\n"
    )
    named = {}
    for dear in ("1", " + ".join(["len([0] * 4000)"] * 4)):
        text = mini(more=judge.replace("DEAR", dear)).replace('g["turns"] > 3', 'g["turns"] > 80')
        found = begun(text)
        while (asked := found.onward()) is not None:
            found.post(*asked.seats, GO)
        named[dear] = {one.seat for one in found.misplays}
        assert len(found.misplays) == len(named[dear])
    assert list(named.values()) == [{0, 1}, set()]


JUDGE = "def judge(g, me, act, hand): return act['name'] == '{}'\n"


@pytest.mark.parametrize("legal", ["True", "act['name'] == 'go' or act['face']['n'] >= 0"])
def test_unshowable_card_names_nobody(legal):
    text = only(legal, JUDGE.format("flip"))
    text = text.replace('action("go")', 'action("go"), action("flip", card = "deck", face = "up")')
    found = begun(text)
    found.play()
    assert found.state.winners == (0,) and not found.misplays


def test_hand_unknown_to_its_owner_names_nobody():
    text = mini(more=JUDGE.format("play"))
    text = text.replace(
        'for s in range(g["seats"])]', 'for s in (0, 1)] + [shuffle("hand", s) for s in (0, 1)]'
    )
    found = begun(text)
    assert found.choices(0) == (GO,)
    found.play()
    assert found.state.winners == (0,) and not found.misplays


def test_action_unjudgeable_at_end_takes_win_from_nobody():
    text = mini(
        more="def judge(g, me, act, hand): return 1 % 0 if me == 1 else act['name'] == 'play'\n"
    )
    found = begun(text)
    while (asked := found.onward()) is not None:
        found.post(*asked.seats, GO)
    assert (
        found.state.error is None
        and found.state.winners == (0,)
        and {one.seat for one in found.misplays} == {0}
    )


ASKS = """
def to_act(g): return [1 - g["turn"]]
def left(g, seat): return [end_turn()]
"""


def test_endless_claim_of_no_action_does_not_void_match():
    found = begun(only("'face' in act and act['face']['n'] >= 0", ASKS))
    while (asked := found.onward()) is not None:
        assert asked.seats == (1,) and LEAVE not in found.choices(1)
        found.post(1, LEAVE)
    assert (found.state.winners, found.state.error, found.misplays) == ((0,), None, ())
    assert len([action for _, action in found.moves if action == LEAVE]) == MAX_SCRIPT_IDLE + 1


def test_visibly_blocked_seat_loses_nothing_by_claim():
    found = begun(
        only("act['name'] == 'play' and False", ASKS).replace('face = "up"', 'face = "down"')
    )
    while found.onward() is not None:
        found.post(1, LEAVE)
    assert found.state.winners == () and found.state.error.key == "script.idle"


def test_row_broken_by_action_names_nobody():
    found = begun(
        only("act['name'] == 'play' and act['face']['n'] > 99 or act['name'] == 'go' and me == 1")
    )
    found.post(0, LEAVE)
    assert found.state.believed == {0}
    found.post(1, GO)
    assert (found.state.idle, found.state.believed) == (0, frozenset())


def test_play_test_reports_idle_seats_to_author():
    found = PlayTest(mini(more="def judge(g, me, act, hand): return 1 % 0\n"), 2, Random(1))
    said = list(found.play(None, lambda offers: offers[0].action))
    assert found.has_error and said[-1].key == "script.broken"
