"""Attacks through rule files, on seats and by seats (docs/attacks.md, from 122)."""

import pytest

from protocol.codes import Code
from protocol.errors import ProtocolViolation, Refused
from protocol.fast_replace import replace
from protocol.games import Act, Over
from protocol.games.decks import ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.engine.effect_loop import end_with_winners
from protocol.games.scripted.engine.state import ScriptPhase
from protocol.games.scripted.loadout import loadout_problem
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest, rules_problem
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.limits import MAX_DECK, MAX_RULE_FILE
from protocol.rules import RuleError
from tests.support.scripts import ClearTable, script
from tests.unit.protocol.games.scripted.engine.test_engine import GO, after, mini, table

BACK = (
    "[move(cards(g, 'hand', me), 'deck'), shuffle('deck'), draw('deck', 'hand', me, 2), end_turn()]"
)
LOW = (
    "def judge(g, me, act, hand): return act['name'] == 'play' or max([c['n'] for c in hand]) < 6\n"
)
OWN = """
RULES = {"name": "poison", "edition": 1, "seats": 2, "decks": "own"}
REGIONS = [
    region("deck", "each"), region("hand", "each", see = "owner", order = "hand"), region("pile", "one", see = "all"),
]
ACTIONS = [action("play", card = "hand", face = "up"), action("go")]
CARDS = [{"name": "one", "n": 1}, {"name": "two", "n": 2}, {"name": "bad"}]
STARTER = [0, 1, 0, 1]
def deck_errors(cards): return [c["name"] for c in cards if "n" not in c]
def start(g): return [shuffle("deck", s) for s in (0, 1)] + [draw("deck", "hand", s, 3) for s in (0, 1)]
def legal(g, me, act): return True
def apply(g, me, act): return [move(act["card"], "pile"), end_turn()] if act["face"]["n"] else []
def winner(g): return None
"""


@pytest.mark.parametrize("seat_says", ["deck", "open", "answer"])
def test_post_during_due_choice_is_refused_at_any_length(seat_says):
    found = table()
    mode = ["closing"] if seat_says == "deck" else []
    for size in range(1, 12):
        action = found.game.parse([seat_says, *mode, *[b"x" * 32] * size])
        with pytest.raises(Refused):
            found.game.check(found.state, 0, action)


@pytest.mark.parametrize(
    "effect",
    [
        "['then', {}]",
        "['toss', 2, {}]",
        "['take', 'deck', 'hand', me, {}]",
        "['take', 'deck', 'hand', me, [[1]]]",
        "mark(0, '\\n', 1)",
    ],
)
def test_non_name_value_for_a_name_is_rules_error(effect):
    state = after(f"[{effect}]").state
    assert state.phase is ScriptPhase.OVER and state.error is not None


def test_judge_of_shown_card_gets_its_earlier_facts():
    judge = "def judge(g, me, act, hand): return act['name'] == 'go' or act['face']['n'] >= 0\n"
    text = mini("([move(act['card'], 'pile')] if 'card' in act else []) + [end_turn()]", judge)
    found = ClearTable(script(text), 3, texts=text)
    assert found.play().error is None and found.state.winners == (0,) and not found.misplays


def test_returned_and_changed_hand_names_nobody():
    text = mini(BACK, LOW)
    # three of these seeds once named a seat that had done only legal actions
    for seed in range(12):
        found = ClearTable(script(text), seed, texts=text)
        assert found.play().error is None and not found.misplays


def test_public_hand_returned_later_is_judged_as_seen():
    text = mini(BACK.replace("[move", "[show(cards(g, 'hand', me)), move", 1), LOW)
    named = set()
    for seed in range(6):
        found = ClearTable(script(text), seed, texts=text)
        lied = set()
        while found.onward() is not None:
            seat = found.state.turn
            lied |= (
                {seat} if ("go",) not in {action[:1] for action in found.choices(seat)} else set()
            )
            found.post(seat, GO)
        assert {wrong.seat for wrong in found.misplays} == lied
        named |= lied
    assert named


def test_leaver_does_not_win_whatever_the_rules_say():
    found = table("[end_turn()]", "def left(g, seat): return [end_turn()]\n", seats=3)
    found.state = found.game.forfeit(found.state, 0)
    while found.onward() is not None:
        found.post(found.state.turn, GO)
    assert found.state.error is None and 0 not in found.state.winners


def test_match_abandoned_after_many_leavers_keeps_remaining_winners():
    found = ClearTable(script("mau-mau-shared", seats=4), 1, texts=built_in_text("mau-mau-shared"))
    assert found.onward() is not None and found.game.abandon(found.state) is None, (
        "nobody has left: a fault of the rules"
    )
    for gone in (0, 2):
        found.state = found.game.forfeit(found.state, gone)
    over = found.game.abandon(found.state)
    assert isinstance(found.game.wants(over), Over)
    assert (found.game.scores(over), found.game.team(over, 3)) == ((0, 1, 0, 1), (1, 3))


@pytest.mark.parametrize("game", ["mau-mau-shared", "crazy-eights"])
def test_starter_gone_before_is_not_awaited(game):
    found = ClearTable(script(game, seats=3), 1, texts=built_in_text(game))
    gone = found.state.first
    assert found.state.phase is ScriptPhase.RULES and gone is not None
    found.state = found.game.forfeit(found.state, gone)
    asked = found.onward()
    assert asked is not None and asked.seats == ((gone + 1) % 3,)


@pytest.mark.parametrize("objects", ['"n" not in c', 'c["n"] > 2'], ids=["refused", "no answer"])
def test_forbidden_card_in_deck_does_not_void_match(objects):
    text = OWN.replace('"n" not in c', objects)
    decks = (Loadout(text=text), Loadout((ProxyCard(2),) * 4, text))
    found = ClearTable(script(text), 1, text, decks)
    with pytest.raises(ProtocolViolation) as wrong:
        while found.onward() is not None:
            seat = found.state.turn
            found.post(seat, next(action for action in found.choices(seat) if action[0] == "play"))
    assert wrong.value.code is Code.BAD_DECK and 1 in found.state.decks.seats_due
    end_with_winners = found.game.forfeit(found.state, 1)
    while isinstance(want := found.game.wants(end_with_winners), Act):
        (seat,) = want.seats
        end_with_winners = found.game.apply(
            end_with_winners, seat, found.halves[seat].respond(end_with_winners, found.held(seat))
        )
    end_with_winners, wrongs = found.game.settle(end_with_winners, (), ())
    assert (
        end_with_winners.winners == (0,)
        and end_with_winners.error is None
        and not wrongs
        and end_with_winners.phase is ScriptPhase.OVER
    )


def test_poison_card_is_named_when_shown_without_deck():
    text = OWN.replace(
        "def start", 'def card_errors(c): return [] if "n" in c else ["bad"]\ndef start'
    )
    found = ClearTable(
        script(text, mode="hidden"),
        1,
        text,
        (Loadout(text=text), Loadout((ProxyCard(2),) * 4, text)),
    )
    with pytest.raises(ProtocolViolation) as wrong:
        while found.onward() is not None:
            seat = found.state.turn
            found.post(seat, next(action for action in found.choices(seat) if action[0] == "play"))
    assert wrong.value.code is Code.BAD_DECK and found.state.turn == 1 and found.state.error is None


@pytest.mark.parametrize(
    ("game", "cards"), [("element-duel", 9), ("element-duel", 11), ("mau-mau", 11), ("mau-mau", 65)]
)
def test_deck_of_other_size_is_named_when_brought(game, cards):
    rules = script(game, mode="hidden")
    decks = (
        Loadout(text=built_in_text(game)),
        Loadout(tuple(ProxyCard(number % 20) for number in range(cards)), built_in_text(game)),
    )
    assert loadout_problem(rules, decks[0]) is None and loadout_problem(rules, decks[1]) is not None
    found = ClearTable(rules, 1, decks=decks)
    with pytest.raises(ProtocolViolation) as wrong:
        found.onward()
    assert wrong.value.code is Code.BAD_DECK and found.state.decks.commitments[1] is None


def test_wrong_rules_name_no_seat_with_right_deck():
    text = OWN.replace('act["face"]["n"]', "1 % 0")
    found = ClearTable(script(text), 1, text)
    assert found.play().error is not None and found.state.winners == () and not found.misplays


def test_hiding_cards_costs_budget_per_card():
    for many, code in ((20, None), (21, Code.TOO_COSTLY)):
        text = mini(f"[shuffle('deck')] * {many}").replace("range(8)", "range(50)")
        found = ClearTable(script(text), texts=text)
        found.onward()
        assert refusal(found, GO) is code


def refusal(found: ClearTable, action) -> Code | None:
    """Return the code with which an action of the first seat is refused."""
    try:
        found.game.check(found.state, 0, action)
    except Refused as refused:
        return refused.code
    return None


def test_unpostable_text_prevents_everybody_from_joining():
    text = mini() + "# " + "ä" * 20_000 + "\n"
    assert rules_problem(rule_digest(mini()), mini()) is None and len(text) < MAX_RULE_FILE
    assert rules_problem(rule_digest(text), text).key == "rules.long"


def test_starter_impossible_for_all_is_rules_error():
    with pytest.raises(RuleError):
        parse_contract(OWN.replace("[0, 1, 0, 1]", f"[0] * {MAX_DECK + 1}"))


def test_deck_is_judged_independently_of_slot_order():
    text = OWN.replace(
        '[c["name"] for c in cards if "n" not in c]', '["order"] if cards[0]["n"] == 2 else []'
    )
    for seed in range(6):  # each of 0, 1, 0, 1 lies first in one of them
        found = ClearTable(script(text, mode="open"), seed, text)
        assert found.onward() is not None and found.state.error is None


def test_decks_are_sorted_by_numbers_and_code_points():
    """Sorting by `repr` would depend on the characters that a version of Python escapes."""
    contract = parse_contract(
        mini(more='def deck_errors(cards): return ["%s" % c["name"] for c in cards]\n')
    )
    faces = [("\U0001fae8", 1), ("\ue000", 1), ("b", 10), ("b", 9), ('"', 10), ("\u00e4", 1)]
    errors = contract.deck_errors([{"n": n, "name": name} for name, n in faces])
    assert errors == ("\u00e4", "\ue000", "\U0001fae8", "b", '"', "b")


def test_leaver_hand_need_not_be_opened_at_end():
    """With two of four seats gone, too few may remain to open it: the match would be void, and the
    winner robbed of it.
    """
    text = built_in_text("crazy-eights")
    found = ClearTable(script(text, 4), 3, text)
    while not found.state.noted:
        asked = found.onward()
        assert asked is not None
        found.post(asked.seats[0], found.choices(asked.seats[0])[0])
    seat = found.state.noted[0].seat
    hand = {card for card in found.state.noted[0].hand if found.state.pieces[card] is None}
    left = found.game.forfeit(found.state, seat)
    over = end_with_winners(found.game.table(left), left, ((seat + 1) % 4,))
    assert hand and hand.isdisjoint(over.showing) and all(one.seat != seat for one in over.noted)


LOOKS = OWN.replace('action("go")', 'action("go"), action("peek")').replace(
    'return [move(act["card"], "pile"), end_turn()] if act["face"]["n"] else []',
    """
    if act["name"] == "go": return [look(cards(g, "hand", me), 1 - me), end_turn()]
    return [look(cards(g, "deck", 1 - me)[0], me), end_turn()]""",
)


@pytest.mark.parametrize("dealt", ["closing", "hidden"])
def test_hand_shown_to_other_is_opened_by_owner(dealt):
    found = ClearTable(script(LOOKS, mode=dealt), 1, LOOKS)
    found.onward()
    hand = found.state.lies[2]
    found.post(0, GO)
    found.onward()
    assert found.state.error is None and all(
        found.state.pieces[card] in found.state.decks.faces for card in hand
    )


def test_card_unknown_to_owner_is_shown_to_nobody():
    found = ClearTable(script(LOOKS), 1, LOOKS)
    found.onward()
    found.post(0, ("peek", *GO[1:]))
    found.onward()
    assert found.state.error is not None and found.state.error.key == "script.effect.foreign"
    # where all slots are open anyway, no seat decides this
    found = ClearTable(script(LOOKS, mode="open"), 1, LOOKS)
    found.onward()
    found.post(0, ("peek", *GO[1:]))
    assert found.onward() is not None and found.state.error is None


@pytest.mark.parametrize(
    ("shown", "winners", "leave", "won"),
    [
        (True, (0,), (1, 2), (0,)),  # the leaving of others does not make the winner share
        (True, (0, 1), (1, 2), (0,)),
        (True, (0,), (0, 2), ()),
        (True, (), (1, 2), ()),  # a seat that has not won gains nothing by it
        (False, (0,), (1, 2), (0, 3)),  # its hand was still to be judged: so the leaving does count
    ],
)
def test_winner_does_not_share_when_others_leave(shown, winners, leave, won):
    text = built_in_text("crazy-eights")
    found = ClearTable(script(text, 4), 3, text)
    while not any(one.seat == 0 for one in found.state.noted):
        asked = found.onward()
        assert asked is not None
        found.post(asked.seats[0], found.choices(asked.seats[0])[0])
    table = found.game.table(found.state)
    state = end_with_winners(table, found.state, winners)
    state = replace(state, pieces=tuple(found.deal.lies)) if shown else state
    for seat in leave:
        state = found.game.forfeit(state, seat)
    assert found.game.abandon(state).winners == won


def test_win_by_open_lie_is_void_even_after_leavers():
    text = mini(more="def judge(g, me, act, hand): return act['name'] == 'play'\n").replace(
        "[2, 3]", "[2, 4]"
    )
    text = text.replace("range(8)]", "range(9)]")
    found = ClearTable(script(text, 4), 3, text)
    assert found.onward() is not None
    found.post(0, GO)
    state = end_with_winners(found.game.table(found.state), found.state, (0,))
    state = replace(state, pieces=tuple(found.deal.lies))
    for seat in (1, 2):
        state = found.game.forfeit(state, seat)
    assert found.game.abandon(state).winners == (3,)
