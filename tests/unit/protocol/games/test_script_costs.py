"""Costs of entries in games by rule files, in steps: too expensive ones are refused to their
author, without a fault.
"""

import pytest

from protocol.codes import Code
from protocol.errors import ProtocolViolation, Refused
from protocol.games import Act
from protocol.games.decks import ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.engine.budget import EFFECT_STEPS, work_limit
from protocol.games.scripted.engine.idle import LEAVE
from protocol.games.scripted.loadout import loadout_problem
from protocol.games.scripted.play_test import check_game
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.limits import (
    MAX_DECK,
    MAX_RULE_NAMES,
    MAX_SCRIPT_ACTIONS,
    MAX_SCRIPT_MARKS,
    MAX_SCRIPT_QUEUE,
    RULE_CALL_STEPS,
    SCRIPT_DECK_STEPS,
    SCRIPT_ENTRY_STEPS,
    SCRIPT_IDLE_STEPS,
    SCRIPT_JUDGE_STEPS,
    SCRIPT_NOTED_SIZE,
)
from protocol.rules import RuleError, load, parse
from tests.adversary.games.test_rule_files import OWN, refusal
from tests.support.hostile_rules import COSTLY, WORK
from tests.support.scripts import ClearTable, script
from tests.unit.protocol.games.scripted.engine.test_engine import GO, mini

NEARLY = 11_500  # steps for `work`, just below the limit of a call
TOO_MUCH = ("script.steps", "script.costly")
BURNS = f"work({SCRIPT_ENTRY_STEPS}) or "


def begun(text: str, seats: int = 2) -> ClearTable:
    found = ClearTable(script(text, seats), 3, texts=text)
    assert found.onward() is not None, found.state.error
    return found


def dear(what: str, more: str = "") -> str:
    """Return the small file in which `go` does this, and laying a card ends the turn."""
    return mini(f"{what} if act['name'] == 'go' else [end_turn()]", more)


def lay(found: ClearTable, seat: int):
    return next(action for action in found.choices(seat) if action[0] == "play")


def test_several_calls_within_call_limit_are_refused_together():
    found = begun(dear(COSTLY["forty-three functions"], WORK))
    before = found.state
    assert refusal(found, GO) is Code.TOO_COSTLY and found.state is before
    assert GO not in found.choices(0) and LEAVE not in found.choices(0)
    found.post(0, lay(found, 0))
    assert found.onward() == Act((1,)) and found.state.error is None


@pytest.mark.parametrize(
    "text",
    [
        *(dear(effects, WORK).replace("range(8)", "range(200)") for effects in COSTLY.values()),
        dear("[end_turn()]", f"{WORK}def turn_ends(g, me): return work({NEARLY}) or []\n"),
        dear(
            "[end_turn()]",
            f"{WORK}def turn_begins(g, me): return work({NEARLY} if g['turns'] > 1 else 0) or []\n",
        ),
        dear("[end_turn()]").replace('g["turns"] > 3', f'({BURNS}g["turns"]) > 3') + WORK,
        dear(
            "[]", f"{WORK}def to_act(g): return work({NEARLY} * g['counters']['round']) or [0]\n"
        ).replace("[] if", "[put('round', None, 1)] if"),
    ],
)
def test_too_expensive_choice_is_refused_to_its_author(text):
    found = begun(text)
    assert refusal(found, GO) is Code.TOO_COSTLY
    assert GO not in found.choices(0)
    assert found.play().error is None or found.state.error.key == "script.idle"


def test_cost_includes_legality_and_effects():
    half = f"work({SCRIPT_ENTRY_STEPS * 2 // 3})"
    text = dear(f"{half} or []", WORK)
    assert refusal(begun(text), GO) is None
    assert (
        refusal(begun(text.replace("act): return True", f"act): return {half} == None")), GO)
        is Code.TOO_COSTLY
    )


def test_call_beyond_its_limit_is_rules_error():
    """Such a call is wrong whatever its cost: an error in it may come before or after the last
    step.
    """
    found = begun(dear(f"work({RULE_CALL_STEPS + 200}) or []", WORK))
    found.post(0, GO)
    assert found.onward() is None and found.state.winners == () and not found.misplays


ORDINARY = {"element-duel": 2, "mau-mau": 2, "mau-mau-shared": 4, "crazy-eights": 4}


@pytest.mark.match
def test_choice_limit_is_five_times_the_bundled_games():
    """The games have room: none of them comes near the limit."""
    most = 0
    for name, seats in ORDINARY.items():
        for seed in range(3):
            found = ClearTable(script(name, seats), seed)
            while (want := found.onward()) is not None:
                assert found.state.spent < found.state.most / 3
                seat = want.seats[0]
                found.post(seat, found.rng.choice(found.choices(seat)))
                most = max(most, found.state.spent)
    assert 3 * most < SCRIPT_ENTRY_STEPS < 5 * most
    # the last call of a choice may exceed it
    assert RULE_CALL_STEPS <= 1.5 * SCRIPT_ENTRY_STEPS


def test_accepted_choice_costs_no_more_than_limit():
    """Work of each kind is tried up to its limit; the state records the steps."""
    for what in ("[put('round', None, 1)]", "[say('a')]", "[move(0, 'pile')]", "[then('nothing')]"):
        for many in (1, 10, 20, 40, 80, 160):
            found = begun(dear(f"{what} * {many}", "def nothing(g): return []\n"))
            code = refusal(found, GO)
            if code is None:
                found.post(0, GO)
                assert many * EFFECT_STEPS < found.state.spent <= SCRIPT_ENTRY_STEPS
            assert code is None or many > 10


# --- several at once ---

TOGETHER = f"""
def to_act(g): return [s for s in range(g["seats"]) if s not in g["out"]]
{WORK}"""


@pytest.mark.parametrize("seats", [2, 3])
def test_last_chooser_is_not_charged_for_others(seats):
    share = SCRIPT_ENTRY_STEPS * 3 // 4
    found = begun(mini(f"work({share}) or [add('points', me, 1)]", TOGETHER), seats)
    for seat in range(seats):
        assert GO in found.choices(seat)
        found.post(seat, GO)
    assert found.state.error is None and found.game.scores(found.state) == (1,) * seats
    assert found.state.spent > SCRIPT_ENTRY_STEPS
    assert found.onward() == Act(tuple(range(seats)), simultaneous=True)


def test_simultaneous_chooser_is_refused_for_own_cost():
    found = begun(mini(f"{BURNS}[] if me == 1 and act['name'] == 'go' else []", TOGETHER))
    found.post(0, GO)
    with pytest.raises(Refused) as raised:
        found.post(1, GO)
    assert raised.value.code is Code.TOO_COSTLY
    found.post(1, lay(found, 1))
    assert found.state.error is None and found.onward() is not None


def test_cost_of_leaver_is_charged_to_nobody():
    text = mini(
        "[add('points', me, 1), end_turn()]",
        f"def left(g, seat): return work({NEARLY}) or []\n{WORK}",
    )
    found = begun(text, 3)
    found.state = found.game.forfeit(found.state, 2)
    assert GO in found.choices(0)
    found.post(0, GO)
    assert found.state.error is None and found.game.scores(found.state) == (1, 0, 0)
    assert found.onward() == Act((1,)) and found.state.spent > NEARLY - 100


# --- steps that nobody chose ---


@pytest.mark.parametrize("what", ["start", "lapsed", "left", "turn_begins"])
def test_unchosen_work_ends_match_and_names_nobody(what):
    """The budget is twice that of a choice. The call itself is within the bound of one."""
    given = {"start": "g", "left": "g, seat"}.get(what, "g, me")
    body = f"[then('more')] * 3\ndef more(g): return work({NEARLY}) or []\n{WORK}"
    text = "\n".join(line for line in mini().splitlines() if not line.startswith(f"def {what}("))
    text += f"\ndef {what}({given}): return {body}"
    found = ClearTable(script(text, 3), texts=text)
    found.onward()
    if what == "lapsed":
        found.state = found.game.apply(found.state, 0, found.game.timeout(found.state, 0))
    if what == "left":
        found.state = found.game.forfeit(found.state, 0)
    assert found.state.error.key == "script.costly" and found.onward() is None
    assert found.state.winners == () and not found.misplays


def test_work_after_dealing_has_a_limit():
    """A choice has been accepted, and cannot be refused later for its consequences."""
    more = (
        "def more(g): return [shuffle([0, 1]), show([0]), then('more')] if {} else "
        f"work({NEARLY}) or []\n{WORK}"
    )
    found = begun(dear("[show([cards(g, 'deck')[0]]), then('more')]", more.format("False")))
    found.post(0, GO)
    assert found.onward() == Act((0,)) and SCRIPT_ENTRY_STEPS < found.state.spent <= work_limit(1)
    found = begun(dear("[show([cards(g, 'deck')[0]]), then('more')]", more.format("True")))
    found.post(0, GO)
    assert (
        found.onward() is None and found.state.error.key in TOO_MUCH and found.state.winners == ()
    )


def test_too_expensive_coin_is_rules_error():
    more = f"def heads(g, value): return [then('burn')] * 3\n{WORK}"
    found = begun(dear("[toss(2, 'heads')]", more))
    found.post(0, GO)
    assert (
        found.onward() is None
        and found.state.error.key == "script.costly"
        and found.state.winners == ()
    )


# --- seats without another affordable action ---


def test_seat_with_only_expensive_actions_is_not_named():
    found = begun(
        mini(f"{BURNS}[end_turn()]", WORK)
        .replace("g: 3", "g")
        .replace("return [0] if", "return None if")
    )
    assert found.choices(0) == (LEAVE,)
    found.post(0, LEAVE)
    assert found.onward() == Act((1,))
    assert (
        found.play().error.key == "script.idle" and found.state.winners == () and not found.misplays
    )


def test_idle_claim_with_affordable_action_is_refused():
    found = begun(dear(f"{BURNS}[end_turn()]", WORK).replace('face = "up"', 'face = "down"'))
    with pytest.raises(Refused) as raised:
        found.post(0, LEAVE)
    assert raised.value.code is Code.ILLEGAL_MOVE
    text = mini(f"{BURNS}[end_turn()]", WORK).replace('face = "up"', 'face = "down"')
    found = begun(text.replace("return True", "return act['name'] == 'go'"))
    found.post(0, LEAVE)
    assert found.state.believed == frozenset()  # everybody sees it


def test_idle_claim_beyond_the_search_budget_is_believed():
    found = begun(mini(f"{BURNS}[end_turn()]", WORK).replace('face = "up"', 'face = "down"'))
    found.post(0, LEAVE)
    assert found.state.believed == {0}


JUDGE = "def judge(g, me, act, hand): return act['name'] == 'go'\n"


@pytest.mark.parametrize("go", ["[end_turn()]", f"{BURNS}[end_turn()]"])
def test_action_replacing_expensive_one_is_not_named(go):
    """`judge` allows `go` alone. A seat that lays a card is named for it, unless `go` was too
    expensive.
    """
    found = begun(dear(go, JUDGE + WORK).replace("[end_turn()] if act", "([end_turn()]) if act"))
    offered = {action[0] for action in found.choices(0)}
    assert offered == ({"play"} if "work" in go else {"go"})
    while (want := found.onward()) is not None:
        seat = want.seats[0]
        card = found.state.lies[1 + seat][0]
        piece = found.held(seat).visible[card] + 1 if found.state.pieces[card] is None else 0
        found.post(seat, ("play", card + 1, 0, 0, piece, b""))
    assert {wrong.seat for wrong in found.misplays} == (set() if "work" in go else {0, 1})


def test_offers_within_budget_can_all_be_chosen():
    words = [f"w{number}" for number in range(60)]
    text = dear("[end_turn()]", WORK).replace(
        'action("go")', f'action("go", target = "deck", choice = {words})'
    )
    text = text.replace("range(8)]", "range(20)]").replace(
        "return True", f"return work({NEARLY}) == None"
    )
    found = begun(text.replace(f"work({NEARLY})", f"work({NEARLY // 2})"))
    choices = found.choices(0)
    assert 50 < len(choices) < 200
    assert all(refusal(found, action) is None for action in choices[::20])


def test_seat_without_offers_in_budget_may_stay_idle():
    """The most expensive action comes first; the one after it may be expensive to find."""
    words = [f"w{number}" for number in range(60)]
    first = f'action("go", target = "deck", choice = {words}), action("call")'
    text = mini(more=WORK).replace('action("go")', first).replace("range(8)]", "range(20)]")
    text = text.replace("return True", f"return act['name'] == 'call' or work({NEARLY}) != None")
    found = begun(text)
    assert found.choices(0) == (LEAVE,)
    found.post(0, LEAVE)
    assert found.state.believed == {0}


def test_private_action_hides_no_public_offer():
    """A hand is expensive to ask about; a public action after it stays on offer, because it is
    due.
    """
    dearest = f"return act['name'] == 'call' or work({NEARLY}) != None"
    text = mini(more=WORK).replace('action("go")', 'action("call")').replace("return True", dearest)
    text = text.replace(
        'card = "hand", face = "up"',
        f'card = "hand", face = "up", choice = {[f"w{n}" for n in range(60)]}',
    )
    found = begun(text)
    assert [action[0] for action in found.choices(0)] == ["call"]
    with pytest.raises(Refused):
        found.post(0, LEAVE)


# --- decks ---

SLOW = OWN + WORK + "def card_errors(card): return work(EACH) or []\n"


def test_deck_too_expensive_to_judge_is_named():
    """The owner's program asks first, with the same steps: no honest program brings such a deck."""
    each = SCRIPT_DECK_STEPS // 3
    for many, named in ((2, False), (4, True)):
        text = SLOW.replace("EACH", str(each)).replace(
            "STARTER = [0, 1, 0, 1]", f"STARTER = {[0, 1, 0, 1][:many]}"
        )
        found = ClearTable(script(text), 1, text)
        assert (loadout_problem(found.game, Loadout(text=text)) is not None) is named
        cards = Loadout(tuple(map(ProxyCard, [0, 1, 0, 1][:many])), text=text)
        found = ClearTable(script(text, mode="open"), 1, text, (cards, cards))
        if named:
            with pytest.raises(ProtocolViolation) as raised:
                found.onward()
            assert raised.value.code is Code.BAD_DECK
        else:
            found.onward()
            assert found.state.decks.opened


def test_largest_bundled_deck_can_be_judged():
    text = (
        OWN + 'def card_errors(card): return [] if "name" in card and len(card) < 9 else ["no"]\n'
    )
    assert not parse_contract(text).deck_errors([{"name": "a", "n": n} for n in range(MAX_DECK)])


# --- the language ---


def test_names_of_a_function_are_bounded():
    """Each call allocates room for all names, whatever its cost."""
    many = ", ".join(f"a{n} = 0" for n in range(MAX_RULE_NAMES))
    body = "".join(f"    b{n} = 0\n" for n in range(MAX_RULE_NAMES))
    for text in (
        f"def f({{}}{many}): pass\n",
        f"def f({{}}):\n{body}",
        "X = [0 for {0}" + many.replace(" = 0", "") + "c in []]\n",
    ):
        load(parse(text.format("").replace("c in", " in")))
        with pytest.raises(RuleError) as raised:
            load(parse(text.format("x, ")))
        assert raised.value.key == "rules.names"


def test_short_keys_beside_long_one_keep_their_order():
    text = "L = [[1]] * 20 + [[0] * 40] + [[]]\nX = sorted(L)\nY = max(L)\n"
    found = load(parse(text)).constants
    assert found["X"][:2] == [[], [0] * 40] and found["Y"] == [1]
    for wrong in ("[[1], ['a']]", "[[1, 2], [1, 'a']]", "[[], [[]]]", "[[1], (1,)]"):
        with pytest.raises(RuleError) as raised:
            load(parse(f"X = sorted({wrong})\n"))
        assert raised.value.key == "rules.order"


def test_match_keeps_its_file_among_many_others():
    """Otherwise each entry of one match would make everybody read a file again."""
    found = begun(mini())
    table = found.game.table(found.state)
    for number in range(70):
        begun(f"{mini()}# {number}\n")
    assert found.game.table(found.state) is table


# --- versions, and messages to authors ---


def test_changed_step_costs_change_the_rules_version():
    rows = [
        row for row in BUILT_IN.specs.values() if row.rules.startswith("protocol.games.scripted")
    ]
    assert len(rows) == 5 and {row.edition for row in rows} == {"5"}
    bounds = (
        SCRIPT_ENTRY_STEPS,
        RULE_CALL_STEPS,
        SCRIPT_DECK_STEPS,
        SCRIPT_JUDGE_STEPS,
        SCRIPT_IDLE_STEPS,
        SCRIPT_NOTED_SIZE,
        MAX_SCRIPT_QUEUE,
        MAX_SCRIPT_MARKS,
        MAX_SCRIPT_ACTIONS,
    )
    assert bounds == (8_000, 12_000, 15_000, 120_000, 24_000, 60_000, 8_000, 1_440, 5_000), (
        "then the version of the rules is another one, too"
    )


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (mini(), ["script.texts", "rules.costs"]),
        (
            dear(f"work({SCRIPT_ENTRY_STEPS * 2 // 3}) or [end_turn()]", WORK),
            ["script.texts", "rules.costs", "rules.costs.near"],
        ),
        (
            dear(f"{BURNS}[end_turn()]", WORK),
            ["script.texts", "rules.costs", "rules.costs.refused"],
        ),
    ],
)
def test_play_test_reports_cost_of_choices(text, keys):
    assert [line.key for line in check_game(text)] == keys
