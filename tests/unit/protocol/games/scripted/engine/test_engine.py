"""Games by rule files, dealt openly: the course of files, and the limits of files and seats."""

from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, ProtocolViolation, Refused
from protocol.games import Act
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.engine.effects import apply_effect
from protocol.games.scripted.engine.state import Effect, ScriptPhase
from protocol.games.scripted.foresight import choose_by_lookahead
from protocol.games.scripted.private_half import ScriptPrivateHalf
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES, built_in_text
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.i18n import english_text
from protocol.options import BadOptions
from protocol.rules import RuleError
from tests.support.scripts import BOUND, ClearTable, script

FILE = """
RULES = {"name": "mini", "edition": 1, "seats": [2, 3], "decks": "shared"}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"), region("pile", "one", see = "all"),
]
ACTIONS = [action("play", card = "hand", face = "up"), action("go")]
COUNTERS = {"points": "each", "round": "one"}
CARDS = [{"name": "c%d" % n, "n": n} for n in range(8)]
def start(g): return [shuffle("deck")] + [draw("deck", "hand", s, 2) for s in range(g["seats"])]
def legal(g, me, act): return True
def apply(g, me, act): return EFFECTS
def winner(g): return [0] if g["turns"] > 3 else None
"""
GO = ("go", 0, 0, 0, 0, b"")


def mini(effects: str = "[end_turn()]", more: str = "") -> str:
    return FILE.replace("EFFECTS", effects) + more


def table(effects: str = "[end_turn()]", more: str = "", seats: int = 2) -> ClearTable:
    """Return a match of the small file at the first question to a seat."""
    text = mini(effects, more)
    found = ClearTable(script(text, seats), texts=text)
    assert found.onward() is not None, found.state.error
    return found


def after(effects: str, more: str = "", seats: int = 2) -> ClearTable:
    """Return this match after the first seat's action."""
    found = table(effects, more, seats)
    found.post(0, GO)
    return found


@pytest.mark.match
@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("element-duel", 2, {}),
        ("element-duel", 2, {"early": "yes", "together": "yes", "mode": "open"}),
        ("mau-mau", 2, {"mode": "hidden"}),
        ("mau-mau-shared", 2, {}),
        ("mau-mau-shared", 4, {}),
        ("crazy-eights", 2, {}),
        ("crazy-eights", 4, {}),
    ],
)
def test_shipped_files_are_played_to_the_end(name, seats, options):
    for seed in range(4):
        found = ClearTable(script(name, seats, **options), seed)
        state = found.play()
        assert state.error is None and state.winners
        if name == "element-duel":
            assert max(found.game.scores(state)) == 7


@pytest.mark.slow
def test_every_card_is_in_exactly_one_place():
    found = ClearTable(script("mau-mau-shared", 3), 7)
    while (want := found.onward()) is not None:
        assert sorted(card for cards in found.state.lies for card in cards) == list(range(32))
        seat = want.seats[0]
        found.post(seat, found.rng.choice(found.choices(seat)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def winner", "def loser"),
        ('region("deck", "one")', 'region("deck", "each")'),
        ('see = "owner"', 'see = "someone"'),
        ('region("pile", "one", see = "all")', 'region("hand", "one", see = "all")'),
        ('card = "hand"', 'card = "sleeve"'),
        ('action("go")', 'action("rules")'),
        ('action("go")', 'action("play")'),
        ('{"points": "each"', '{"points": "some"'),
        ('"seats": [2, 3]', '"seats": 1'),
        ('{"name": "c%d" % n', '{"title": "c%d" % n'),
        ('"decks": "shared"', '"decks": "lost"'),
        ("ACTIONS =", "ACTION ="),
        ("RULES =", "RULE ="),
    ],
)
def test_missing_part_of_file_is_reported_on_reading(old, new):
    parse_contract(mini())
    with pytest.raises(RuleError) as raised:
        parse_contract(mini().replace(old, new))
    assert raised.value.key.startswith("script.") and len(english_text(raised.value.phrase)) > 20


@pytest.mark.parametrize(
    "effects",
    [
        "[draw('deck', 'hand', me, 99)]",
        "[draw('deck', 'sleeve', me, 1)]",
        "[draw('deck', 'hand', 7, 1)]",
        "[move(99, 'pile')]",
        "[move([0, 0], 'pile')]",
        "[show('hand')]",
        "[look(0, 5)]",
        "[take('deck', 'hand', me, 'nobody')]",
        "[mark(0, 'turned', 'yes')]",
        "[add('points', None, 1)]",
        "[add('luck', me, 1)]",
        "[put('round', None, 9223372036854775807 + 1)]",
        "[say('a' * 600)]",
        "[toss(0, 'winner')]",
        "[toss(2, 'nothing')]",
        "[then('nothing')]",
        "[ask([9], ['go'])]",
        "[ask([0], ['fly'])]",
        "[['fly']]",
        "['draw']",
        "7",
        "[shuffle('deck', None, 9)]",
        "face(g, cards(g, 'hand', 1)[0])['n']",
    ],
)
def test_impossible_effect_ends_match_and_names_nobody(effects):
    found = after(effects.replace("'a' * 600", "'" + "a" * 600 + "'"))
    assert found.state.error is not None and found.onward() is None
    assert found.game.winner(found.state) is None and found.game.scores(found.state) == (0, 0)


@pytest.mark.parametrize("text", ["\N{IDEOGRAPHIC SPACE}", "\U0001fae8"])
def test_text_is_judged_alike_by_every_unicode_version(text):
    """The text belongs to an owned card. Before Python 3.12 `str.isprintable` does not know the
    second one.
    """
    found = table()
    said = apply_effect(found.game.table(found.state), found.state, Effect("say", (text,)))
    marked = apply_effect(found.game.table(found.state), said, Effect("mark", (0, text, 1)))
    assert text in said.said[1] and marked.marks[0] == ((text, 1),)
    with pytest.raises(RuleError):
        apply_effect(found.game.table(found.state), found.state, Effect("say", (f"{text}\u200b",)))


def test_endlessly_recursive_rules_end_with_error():
    more = "def more(g): return [then('more')]\n"
    found = table("[then('more')]", more)
    with pytest.raises(Refused) as raised:
        found.post(0, GO)
    assert raised.value.code is Code.TOO_COSTLY and found.play().winners == (0,)
    text = mini(more=f"{more}def turn_begins(g, me): return [then('more')]\n")
    assert ClearTable(script(text), texts=text).play().error.key == "script.steps"


def test_hidden_face_is_in_no_argument_of_rules():
    """`legal` sees only faces of cards that are open."""
    text = mini().replace(
        "def legal(g, me, act): return True",
        "def legal(g, me, act): return act['name'] == 'go' or act['face'] != None and face(g, "
        "act['card']) == None",
    )
    found = ClearTable(script(text), texts=text)
    found.onward()
    assert len(found.choices(0)) == 3


def test_showing_unviewed_card_is_refused_and_not_named():
    """The dealing would name an honest seat that obeys; so the rules must fail before they ask
    it.
    """
    text = mini().replace("ACTIONS = [", 'ACTIONS = [action("flip", card = "deck", face = "up"), ')
    found = ClearTable(script(text), texts=text)
    assert found.onward() is not None, found.state.error
    card = found.state.lies[0][0]
    flip = ("flip", card + 1, 0, 0, found.deal.lies[card] + 1, b"")
    assert flip not in found.choices(0)
    with pytest.raises(Refused):
        found.game.check(found.state, 0, flip)


def test_script_action_not_on_offer_is_refused():
    """All readers refuse a seat that looks at its deck, sets points, acts out of turn or plays a
    card that it lacks.
    """
    found = table()
    hand, other = found.state.lies[1], found.state.lies[2]
    mine = found.deal.lies[hand[0]]
    for seat, action in [
        (1, GO),
        (0, ("play", other[0] + 1, 0, 0, found.deal.lies[other[0]] + 1, b"")),
        (0, ("play", found.state.lies[0][0] + 1, 0, 0, 1, b"")),
        (0, ("play", hand[0] + 1, 0, 0, 0, b"")),
        (0, ("play", hand[0] + 1, 1, 0, mine + 1, b"")),
        (0, ("go", 1, 0, 0, 0, b"")),
        (0, ("points", 0, 0, 0, 0, b"")),
        (0, ("take", hand[0] + 1, 0, 0, 0, b"")),
        (0, ("leave", 0, 0, 0, 0, b"")),
        (0, ("rules", FILE)),
        (0, ("deck", "closing", bytes(32))),
        (0, ("toss", bytes(32))),
        (0, ("open", b"\x00")),
    ]:
        with pytest.raises(Refused):
            found.post(seat, action)
    found.post(0, ("play", hand[0] + 1, 0, 0, mine + 1, b""))
    for raw in [
        ["timeout"],
        ["go"],
        [],
        "go",
        ["go", 0, 0, 0, 0, "x"],
        ["go", -1, 0, 0, 0, b""],
        [7],
        ["toss", b"short"],
    ]:
        with pytest.raises(Refused):
            found.game.parse(raw)


def test_rule_text_must_match_its_digest():
    text = mini()
    game = script(text)
    found = ClearTable(game, texts=text)
    with pytest.raises(Refused):
        game.check(found.state, 0, ("rules", text + "#"))
    with pytest.raises(LocalError):
        ScriptPrivateHalf(game, BOUND, 0, Random(1), Loadout(text=text + "#"))
    with pytest.raises(BadOptions):
        script("mau-mau", 3)


SEARCH = "def small(g, me, face): return face['n'] < 3\n"


def test_search_shows_only_the_found_card():
    found = after("[take('deck', 'hand', me, 'small'), end_turn()]", SEARCH)
    assert found.onward() == Act((0,))
    deck, sees = found.state.lies[0], found.deal.sees[0]
    small = [card for card in deck if sees[card] < 3]
    assert {action[1] - 1 for action in found.choices(0) if action[0] == "take"} == set(small)
    large = next(card for card in deck if card not in small)
    for action in [
        ("take", large + 1, 0, 0, sees[large] + 1, b""),
        ("take", large + 1, 0, 0, 0, b""),
        GO,
    ]:
        with pytest.raises(Refused):
            found.post(0, action)
    with pytest.raises(AssertionError):  # the dealing's own check: it is another piece
        found.post(
            0,
            (
                "take",
                large + 1,
                0,
                0,
                next(piece for piece in range(3) if piece != sees[large]) + 1,
                b"",
            ),
        )
    found = after("[take('deck', 'hand', me, 'small'), end_turn()]", SEARCH)
    found.onward()
    found.post(0, found.choices(0)[0])
    with pytest.raises(Refused):  # before the rest is hidden again
        found.post(0, GO)
    found.onward()
    assert not any(card in found.deal.sees[0] for card in found.state.lies[0])
    assert not any(0 in found.state.seen[card] for card in found.state.lies[0])


def test_coin_is_chosen_by_nobody():
    more = "def heads(g, value): return [put('round', None, value + 1), end_turn()]\n"
    landed = set()
    for seed in range(12):
        text = mini("[toss(2, 'heads')]", more)
        found = ClearTable(script(text), seed, texts=text)
        found.onward()
        found.post(0, GO)
        found.onward()
        landed.add(found.state.counters[1])
    assert landed == {(1,), (2,)}


def test_nonce_counts_only_after_all_are_bound():
    found = after("[toss(6, 'heads')]", "def heads(g, value): return [end_turn()]\n")
    halves = [half.respond(found.state, half.hand({})) for half in found.halves]
    assert [action[0] for action in halves] == ["toss", "toss"]
    with pytest.raises(Refused):
        found.post(0, ("toss_open", bytes(32)))
    found.post(0, halves[0])
    with pytest.raises(Refused):
        found.post(0, ("toss_open", bytes(32)))
    found.post(1, halves[1])
    with pytest.raises(ProtocolViolation) as raised:
        found.post(0, ("toss_open", bytes(32)))
    assert raised.value.code is Code.BAD_NONCE
    assert found.game.timeout(found.state, 1) is None  # a seat that does not open has left


def test_copied_commitment_blocks_nobody_and_opens_nothing():
    """A table that colludes with a seat can log the copy before the original."""
    found = after("[toss(6, 'heads')]", "def heads(g, value): return [end_turn()]\n")
    mine = found.halves[0].respond(found.state, found.halves[0].hand({}))
    found.post(1, mine)
    found.post(0, mine)
    opened = found.halves[0].respond(found.state, found.halves[0].hand({}))
    found.post(0, opened)
    with pytest.raises(ProtocolViolation) as raised:
        found.post(1, opened)
    assert raised.value.code is Code.BAD_NONCE


def test_leaver_cannot_choose_the_coin():
    found = after("[toss(6, 'heads')]", "def heads(g, value): return [end_turn()]\n", seats=3)
    for seat, half in enumerate(found.halves):
        found.post(seat, half.respond(found.state, half.hand({})))
    found.post(0, found.halves[0].respond(found.state, found.halves[0].hand({})))
    found.state = found.game.forfeit(found.state, 2)
    toss = found.state.toss
    assert toss is not None and toss.number == 1 and set(toss.commitments) == {None}
    assert found.onward() == Act((1,))


JUDGE = (
    "def judge(g, me, act, hand): return act['name'] == 'play' or max([c['n'] for c in hand]) < 6\n"
)


def test_action_against_hidden_hand_is_named_at_end():
    names = set()
    for seed in range(6):
        text = mini("[end_turn()]", JUDGE)
        found = ClearTable(script(text), seed, texts=text)
        while found.onward() is not None:
            state = found.state
            if state.phase is ScriptPhase.CLOSE:
                break
            seat = state.turn
            honest = {action[0] for action in found.choices(seat)}
            high = any(found.deal.sees[seat][card] >= 6 for card in state.lies[1 + seat])
            assert ("go" in honest) is not high
            found.post(seat, GO)
        names |= {wrong.code for wrong in found.misplays}
        lied = {
            seat
            for seat in (0, 1)
            if any(found.deal.lies[card] >= 6 for card in found.state.lies[1 + seat])
        }
        assert {wrong.seat for wrong in found.misplays} == lied
    assert names == {Code.FALSE_CHOICE}


def test_simultaneous_choices_count_once_all_are_made():
    more = "def to_act(g): return list(range(g['seats']))\n"
    found = table("[add('points', me, 1), end_turn()]", more, seats=3)
    assert found.onward() == Act((0, 1, 2), simultaneous=True)
    found.post(2, GO)
    assert found.game.scores(found.state) == (0, 0, 0)
    with pytest.raises(Refused):
        found.post(2, GO)
    found.post(0, GO)
    found.post(1, GO)
    assert found.game.scores(found.state) == (1, 1, 1)


def test_game_waits_for_all_asked_seats():
    found = after(
        "[ask([1], ['go']), put('round', None, 5)] if me == 0 else [add('points', 1, 2), "
        "end_turn()]"
    )
    assert found.onward() == Act((1,)) and found.state.counters[1] == (0,)
    assert {action[0] for action in found.choices(1)} == {"go"}
    found.post(1, GO)
    assert found.state.counters[0] == (0, 2)


def test_marks_are_cleared_when_a_card_moves():
    found = after("[mark(cards(g, 'hand', 0)[0], 'turned', 1)]")
    card = found.state.lies[1][0]
    assert found.state.marks[card] == (("turned", 1),)
    found.post(0, ("play", card + 1, 0, 0, found.deal.lies[card] + 1, b""))
    found = after(
        "[mark(cards(g, 'hand', 0)[0], 'turned', 1), move(cards(g, 'hand', 0)[0], 'deck')]"
    )
    assert not any(found.state.marks)


def test_lapse_follows_file_or_makes_seat_leave():
    found = table()
    assert found.game.timeout(found.state, 0) is None
    found = table(more="def lapsed(g, me): return [add('points', 1 - me, 1), end_turn()]\n")
    assert found.game.timeout(found.state, 0) == ("timeout",)
    found.state = found.game.apply(found.state, 0, ("timeout",))
    assert found.game.scores(found.state) == (0, 1) and found.state.turn == 1


@pytest.mark.slow
def test_lapses_in_the_shipped_games_break_no_rule():
    for name in BUILT_IN_RULES:
        found = ClearTable(script(name), 3)
        for _ in range(400):
            want = found.onward()
            if want is None:
                break
            found.state = found.game.apply(found.state, want.seats[0], ("timeout",))
        assert found.state.error is None, name


@pytest.mark.parametrize("name", BUILT_IN_RULES)
def test_last_remaining_seat_wins(name):
    found = ClearTable(script(name), 3)
    found.onward()
    found.state = found.game.forfeit(found.state, 0)
    assert found.onward() is None and found.game.winner(found.state) == 1


def test_script_game_continues_without_a_leaver():
    found = ClearTable(script("mau-mau-shared", 4), 5)
    rng = Random(5)
    for leaver in (2, 0):
        for _ in range(6):
            want = found.onward()
            assert want is not None
            found.post(want.seats[0], rng.choice(found.choices(want.seats[0])))
        found.onward()
        found.state = found.game.forfeit(found.state, leaver)
    state = found.play()
    assert state.error is None and set(state.winners) <= {1, 3}


@pytest.mark.match
def test_search_bot_wins_more_often_than_random():
    won = 0
    for seed in range(8):
        found, rng = ClearTable(script("mau-mau"), seed), Random(seed)
        while (want := found.onward()) is not None:
            seat = want.seats[0]
            ahead = seat == 0
            action = (
                choose_by_lookahead(found.game, found.state, 0, found.held(0), rng)
                if ahead
                else rng.choice(found.choices(1))
            )
            found.post(seat, action)
        won += found.game.winner(found.state) == 0
    assert won >= 5


def test_bundled_rule_files_are_in_the_distribution():
    assert all(len(built_in_text(name)) > 1000 for name in BUILT_IN_RULES)


@pytest.mark.slow
def test_drawing_despite_fitting_card_is_named_at_end():
    drew = 0
    for seed in range(3):
        found = ClearTable(script("crazy-eights", 2), seed)
        found.onward()
        liar = found.state.turn
        could = any(action[0] == "lay" for action in found.choices(liar))
        found.post(liar, ("draw", 0, 0, 0, 0, b""))
        found.play()
        drew += could
        assert {one.seat for one in found.misplays} == ({liar} if could else set())
    assert drew
