"""Sizes in games by rule files: what a match keeps is bounded, whatever its rules do."""

import tracemalloc

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games.scripted.engine.budget import RuleBudget, RuleBudgetSpent, judgement_size
from protocol.games.scripted.engine.moves import hand_of
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.limits import MAX_SCRIPT_MARKS, MAX_SCRIPT_QUEUE, SCRIPT_NOTED_SIZE
from protocol.rules import RuleError
from tests.support.scripts import ClearTable, script
from tests.unit.protocol.games.scripted.engine.test_engine import GO, mini

MOST = 8 << 20  # bytes of memory that a match by any rule file may take


def begun(text: str, seats: int = 2) -> ClearTable:
    found = ClearTable(script(text, seats), 3, texts=text)
    assert found.onward() is not None, found.state.error
    return found


def repeated(found: ClearTable, times: int) -> int:
    """Post `GO` for whoever is asked until it is refused; return the number of entries."""
    for number in range(times):
        if code_of_go(found) is not None:
            return number
        want = found.onward()
        assert want is not None
        found.post(want.seats[0], GO)
    return times


def code_of_go(found: ClearTable) -> Code | None:
    """Return the code with which `GO` is refused to whoever is asked."""
    want = found.onward()
    assert want is not None, found.state.error
    try:
        found.game.check(found.state, want.seats[0], GO)
    except Refused as refused:
        return refused.code
    return None


# --- effects that wait ---

ASKS = "[ask([me], ['go']), {}]"


def test_effects_behind_a_question_cannot_grow_without_bound():
    found = begun(mini(ASKS.format("*").replace(", *", "] + [say('a')] * 200 + [")))
    assert 5 < repeated(found, 200) < 50
    assert code_of_go(found) is Code.TOO_COSTLY
    assert sum(effect.size for effect in found.state.queue) <= MAX_SCRIPT_QUEUE


def test_long_texts_in_effects_count_by_their_characters():
    found = begun(mini("[ask([me], ['go'])] + [say('a' * 320)] * 20"))
    assert repeated(found, 200) == MAX_SCRIPT_QUEUE // (20 * 22)


@pytest.mark.parametrize("value", ["[[0]]", "{}", "range(3)", "[{}]", "[(0,)]"])
def test_nested_argument_of_an_effect_is_an_error(value):
    found = begun(mini(f"[ask([me], ['go']), ['show', {value}]]"))
    found.post(0, GO)
    assert found.onward() is None and found.state.error.key in (
        "script.effect.arguments",
        "rules.wrong",
    )


# --- marks ---


def test_marks_of_all_cards_are_bounded_together():
    number = "(g['turns'] * 10 + n)"
    marks = f"[mark({number} % 40, 'a%d' % ({number} // 40), 1) for n in range(10)]"
    text = mini(f"{marks} + [end_turn()]").replace('g["turns"] > 3', "False")
    found = begun(text.replace("range(8)]", "range(40)]"))
    assert repeated(found, 200) == MAX_SCRIPT_MARKS // 10
    assert sum(map(len, found.state.marks)) == MAX_SCRIPT_MARKS
    assert code_of_go(found) is Code.TOO_COSTLY


# --- actions that are to be judged ---

ENDLESS = mini(
    "[move_all('deck', 'pile'), move_all('pile', 'deck'), end_turn()]",
    "def judge(g, me, act, hand): return True\n",
).replace('g["turns"] > 3', "False")


def test_actions_to_be_judged_are_bounded_by_size():
    text = ENDLESS.replace("range(8)]", "range(300)]")
    found = begun(text)
    size = judgement_size(
        found.game.table(found.state),
        found.state,
        hand_of(found.game.table(found.state), found.state, 0),
    )
    tracemalloc.start()
    try:
        assert repeated(found, 400) == 400
        assert tracemalloc.get_traced_memory()[0] < MOST
    finally:
        tracemalloc.stop()
    assert len(found.state.noted) == SCRIPT_NOTED_SIZE // size
    assert sum(one.size for one in found.state.noted) <= SCRIPT_NOTED_SIZE


def test_action_to_be_judged_keeps_nothing_that_was_said():
    text = ENDLESS.replace("[move_all", "[say('a' * 200)] * 30 + [move_all", 1)
    found = begun(text)
    assert repeated(found, 30) == 30
    assert len(found.state.noted) == 30
    assert all(one.before.said[1] == () and not one.before.noted for one in found.state.noted)


@pytest.mark.match
@pytest.mark.parametrize(("name", "seats"), [("crazy-eights", 4), ("mau-mau-shared", 4)])
def test_supplied_games_need_less_than_half_of_the_size(name, seats):
    for seed in range(6):
        found = ClearTable(script(name, seats), seed)
        most = 0
        while (want := found.onward()) is not None:
            seat = want.seats[0]
            found.post(seat, found.rng.choice(found.choices(seat)))
            most = max(most, sum(one.size for one in found.state.noted))
        assert most < SCRIPT_NOTED_SIZE // 2


# --- what a seat had seen ---

TOGETHER = """
def to_act(g): return [s for s in range(g["seats"]) if s not in g["out"]]
"""
# once a card lies open, a seat has to say `go`
BLIND = (
    "def judge(g, me, act, hand): return act['name'] == 'go' or not [f for f in g['faces'] if f]\n"
)


def play(found: ClearTable, seat: int):
    """Return an action of the seat that lays a card."""
    return next(action for action in found.choices(seat) if action[0] == "play")


def test_judge_sees_no_card_shown_by_another_meanwhile():
    """All choose at once; a choice that is logged first must not change what the others may do."""
    text = mini("[end_turn()] if me == 2 else []", TOGETHER + BLIND).replace(
        'turns"] > 3', 'turns"] > 1'
    )
    found = begun(text, 3)
    actions = [play(found, seat) for seat in range(3)]
    for seat, action in enumerate(actions):
        found.post(seat, action)
    assert found.play().error is None and not found.misplays


def test_offers_do_not_depend_on_choices_of_others():
    found = begun(mini("[]", TOGETHER + BLIND), 3)
    before = [found.choices(seat) for seat in range(3)]
    found.post(0, play(found, 0))
    assert [found.choices(seat) for seat in (1, 2)] == before[1:]


def test_legal_does_not_depend_on_choices_of_others():
    text = mini("[]", TOGETHER).replace(
        "act): return True", "act): return not [f for f in g['faces'] if f]"
    )
    found = begun(text, 3)
    actions = [play(found, seat) for seat in range(3)]
    for seat, action in enumerate(actions):
        found.post(seat, action)
    assert found.state.error is None and found.state.acted


def test_judge_sees_nobody_leave_meanwhile():
    """An action chosen before a seat left may be logged after it."""
    # who goes while nobody has left is named; who goes after somebody has left is not
    text = mini(
        "[end_turn()]",
        "def judge(g, me, act, hand): return len(g['out']) == 0 or act['name'] == 'go'\n",
    )
    found = begun(text, 3)
    action = play(found, 0)
    found.state = found.game.forfeit(found.state, 2)
    found.post(0, action)
    while (want := found.onward()) is not None:
        found.post(want.seats[0], GO)
    assert found.state.error is None and not found.misplays


def test_trial_costs_do_not_depend_on_choices_of_others():
    """Cards that others have shown may make an action dear; a seat that chose it before is not refused."""
    open_cards = "len([f for f in g['faces'] if f])"
    text = mini(f"[say('a')] * (60 * ({open_cards} - 1)) + []", TOGETHER)
    found = begun(text, 3)
    actions = [play(found, seat) for seat in range(3)]
    for seat in (0, 1, 2):
        assert play(found, seat) == actions[seat]
        found.post(seat, actions[seat])


def test_calls_of_budgets_end_with_the_budget():
    """The last call of a search gets what is left, and not the steps of a whole call."""
    contract = parse_contract(mini(more="def slow(n): return len([x for x in range(n)])\n"))
    budget = RuleBudget(contract, 1_000)
    assert budget.call("slow", 100) == 100
    with pytest.raises(RuleBudgetSpent):
        budget.call("slow", 1_000)
    with pytest.raises(RuleError):
        RuleBudget(contract, 100_000).call("slow", "a")
