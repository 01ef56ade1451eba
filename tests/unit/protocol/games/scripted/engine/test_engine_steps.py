"""Order of calls, requests and effects in games by rule files, as section 33.8 has it."""

from base64 import b32encode

import pytest

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import Refused
from protocol.games import Act
from protocol.games.operations import LookAt, RevealCards, ShuffleCards
from protocol.games.scripted.engine.state import ScriptPhase
from protocol.games.scripted.rule_file.built_in import rule_digest
from tests.support.scripts import ClearTable, script
from tests.unit.protocol.games.scripted.engine.test_engine import GO, mini, table

BOTH = "def to_act(g): return list(range(g['seats']))\n"


def requests(found: ClearTable) -> list[tuple[object, ...]]:
    """Deal until a seat has to act or the match is over. Return what was asked for together."""
    asked = []
    while isinstance(want := found.game.wants(found.state), tuple):
        asked.append(want)
        found.state = found.game.after_deal(found.state, found.deal.handle(want))
    return asked


def dealt(text: str, seats: int = 2) -> ClearTable:
    """Return a match just before the first request to the dealing."""
    found = ClearTable(script(text, seats), texts=text)
    found.post(0, ("rules", text))
    found.deal.lay(found.game.wants(found.state).piles)
    found.state = found.game.after_deal(found.state, ())
    return found


def test_rule_file_name_is_digest_of_bytes():
    name = b32encode(digest("rule file", b"x = 1\n")[:25]).decode().lower()
    assert rule_digest("x = 1\n") == name and len(name) == 40
    assert digest("rule file", b"x = 1\n") != digest("rule file", "x = 1\n")


def test_first_turn_begins_after_start_with_turns_one():
    text = mini(more="def turn_begins(g, me): return [put('round', None, 10 * g['turns'])]\n")
    text = text.replace("[draw('deck'", "[put('points', 0, g['turns'])] + [draw('deck'")
    state = dealt(text).state
    assert state.turns == 1 and state.counters[1] == (10,)


def test_draws_of_start_and_first_turn_are_one_request():
    text = mini(more="def turn_begins(g, me): return [draw('deck', 'hand', me)]\n")
    (asked,) = requests(dealt(text))
    assert [type(one) for one in asked] == [ShuffleCards, LookAt, LookAt, LookAt]


def test_turn_begins_is_called_before_cards_are_revealed():
    said = "def turn_begins(g, me): return [say(str(g['faces'][cards(g, 'deck')[0]]))]\n"
    text = mini(more=said).replace(
        'return [shuffle("deck")]', 'return [shuffle("deck"), show(cards(g, "deck")[0])]'
    )
    found = dealt(text)
    requests(found)
    assert found.state.said[1] == ("None",)
    later = dealt(mini("[show(cards(g, 'deck')[0]), end_turn()]", said.replace("begins", "ends")))
    requests(later)
    later.post(0, GO)
    requests(later)
    assert later.state.said[1][0].startswith("{")


def test_shuffle_waits_until_cards_are_revealed():
    found = table("[show(cards(g, 'deck')), shuffle('deck'), end_turn()]")
    found.post(0, GO)
    assert [[type(one) for one in asked] for asked in requests(found)] == [
        [RevealCards],
        [ShuffleCards],
    ]


def test_shuffle_of_one_card_keeps_face_and_mark():
    one = "cards(g, 'deck')[0]"
    found = table(f"[show({one}), mark({one}, 'x', 1), shuffle([{one}]), end_turn()]")
    card = found.state.lies[0][0]
    found.post(0, GO)
    assert [type(one) for (one,) in requests(found)] == [RevealCards]
    assert found.state.pieces[card] is not None and found.state.marks[card] == (("x", 1),)


def test_card_looked_at_by_all_has_no_face():
    one = "cards(g, 'deck')[0]"
    found = table(
        f"[look({one}, 0), look({one}, 1), then('tell')]",
        f"def tell(g): return [say(str(face(g, {one}))), end_turn()]\n",
    )
    found.post(0, GO)
    requests(found)
    assert found.state.said[1] == ("None",)


def test_end_of_turn_drops_effects_unless_choices_wait():
    effects = "[end_turn(), add('points', me, 1)]"
    alone = table(effects)
    alone.post(0, GO)
    assert alone.state.counters[0] == (0, 0) and alone.state.turn == 1
    several = table(effects, BOTH, seats=3)
    for seat in (2, 0, 1):
        several.post(seat, GO)
    # seats 0 and 1 still had a choice behind them, seat 2 had none
    assert several.state.counters[0] == (1, 1, 0) and several.state.turns == 2


def test_leaver_takes_its_own_choice_with_it():
    found = table("[add('points', me, 1), end_turn()]", BOTH, seats=3)
    found.post(0, GO)
    found.state = found.game.forfeit(found.state, 0)
    found.post(1, GO)
    found.post(2, GO)
    assert found.state.counters[0][0] == 0 and found.state.counters[0][1] == 1


def test_left_function_runs_after_choices_of_others():
    more = BOTH.replace("list(range(g['seats']))", "[s for s in range(3) if s not in g['out']]")
    more += "def left(g, seat): return [say('left %d' % g['counters']['points'][1])]\n"
    found = table("[add('points', me, 1)]", more, seats=3)
    found.state = found.game.forfeit(found.state, 0)
    assert found.state.said[1] == ()
    found.post(1, GO)
    found.post(2, GO)
    assert found.state.said[1] == ("left 1",)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (("toss", b"x" * 32), Code.NOT_YOUR_TURN),
        (("rules", "x = 1"), Code.ILLEGAL_MOVE),
        (GO, Code.ILLEGAL_MOVE),
        (("agree",), Code.NOT_NOW),
        (("answer",), Code.NOT_NOW),
        (("open", b""), Code.BAD_ACTION),
        (("deck", "open", b"x" * 32), Code.BAD_ACTION),
    ],
)
def test_wrong_action_where_a_deck_is_due_is_refused(action, code):
    found = ClearTable(script("mau-mau"), 1)
    found.post(0, ("rules", found.halves[0].respond(found.state, found.held(0))[1]))
    assert found.state.phase is ScriptPhase.DECKS
    with pytest.raises(Refused) as refused:
        found.game.check(found.state, 0, found.game.parse(list(action)))
    assert refused.value.code is code


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("go", Code.BAD_ACTION),
        ([], Code.BAD_ACTION),
        ([1], Code.BAD_ACTION),
        (["go", 0, 0, 0, 0], Code.BAD_ACTION),
        (["go", 0, 0, 0, 0, b"", 0], Code.BAD_ACTION),
        (["open"], Code.BAD_ACTION),
        (["toss", b"x"], Code.BAD_ACTION),
        (["toss", b"x" * 32], Code.ILLEGAL_MOVE),
        (["agree"], Code.ILLEGAL_MOVE),
        (["fly", 0, 0, 0, 0, b""], Code.ILLEGAL_MOVE),
        (["go", 1, 0, 0, 0, b""], Code.ILLEGAL_MOVE),
        (["go", 0, 0, 0, 1, b""], Code.ILLEGAL_MOVE),
        (["take", 1, 0, 0, 0, b""], Code.ILLEGAL_MOVE),
        (["leave", 0, 0, 0, 0, b""], Code.ILLEGAL_MOVE),
        (["timeout", 0, 0, 0, 0, b""], Code.ILLEGAL_MOVE),
    ],
)
def test_wrong_action_where_a_choice_is_due_is_refused(raw, code):
    found = table()
    assert found.onward() == Act((0,))
    with pytest.raises(Refused) as refused:
        found.game.check(found.state, 0, found.game.parse(raw))
    assert refused.value.code is code
