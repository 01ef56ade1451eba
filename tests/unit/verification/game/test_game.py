"""The game against a protocol: the intruder's legal actions, refused messages, and the winner."""

from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.errors import Refused
from protocol.games import Over
from protocol.games.intruder_spec import OWN_PROTOCOL
from protocol.games.registry import create_game
from protocol.limits import MAX_INTRUDER_MOVES
from protocol.options import BadOptions
from tests.support.errors import raises_text
from verification.engine.verdict import Attack, SearchBound, verify
from verification.game.view import board
from verification.notation.protocol_parser import parse_protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS, ExpectedVerdict
from verification.protocols.loader import load_protocol
from verification.reports.attack_log import write_attack_log

ATTACKS = [
    (name, SearchBound(shipped.sessions, typed))
    for name, shipped in BUILT_IN_PROTOCOLS.items()
    for typed, expected in ((True, shipped.typed), (False, shipped.untyped))
    if expected is ExpectedVerdict.ATTACK
]
LOWE = [
    ("run", 1, "a", "i"),
    ("run", 2, "b", "a"),
    ("send", 2, "{NA(1),a}pk(b)"),
    ("send", 1, "{NA(1),NB(2)}pk(a)"),
]
HELLO = """\
Protocol: Hello
Types: Agent A,B; Number N; Function pk
Knowledge: A: A,B,pk; B: A,B,pk,inv(pk(B))
Actions: A->B: {N,A}pk(B)
         B->A: N
Goals: A authenticates B on N;  N secret between A,B
"""


def game(protocol="needham-schroeder", sessions=1, typed="yes"):
    return create_game("intruder", 1, {"protocol": protocol, "sessions": sessions, "typed": typed})


def after(rules, moves):
    state = rules.start(None)
    for move in moves:
        rules.check(state, 0, move)
        state = rules.apply(state, 0, move)
    return state


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bound"), ATTACKS, ids=[f"{name}-{bound.typed}" for name, bound in ATTACKS]
)
def test_shipped_attack_is_a_match_the_intruder_wins(name, bound):
    found = verify(load_protocol(name), bound)
    assert isinstance(found, Attack)
    report = audit(write_attack_log(load_protocol(name), found.trace, bound, Random(1)))
    match = report.reader.match
    assert (
        report.verdict is Verdict.CLEAN and match.over and match.setup.game.winner(match.game) == 0
    )
    assert dict(match.setup.terms.game.options)["protocol"] == name


def test_own_protocol_is_given_as_first_move():
    found = verify(parse_protocol(HELLO), SearchBound(1))
    report = audit(write_attack_log(parse_protocol(HELLO), found.trace, SearchBound(1), Random(1)))
    assert (
        report.verdict is Verdict.CLEAN
        and dict(report.reader.match.setup.terms.game.options)["protocol"] == OWN_PROTOCOL
    )
    rules = game(OWN_PROTOCOL)
    state = rules.start(None)
    assert {move[0] for move in rules.legal(state, 0, ())} == {"protocol", "stop"}
    for bad in (
        ("run", 1, "a", "b"),
        ("protocol", "Protocol: Hello"),
        ("protocol", HELLO.replace("B->A: N", "B->A: pk2")),
    ):
        if bad[0] == "protocol" and "pk2" in bad[1]:
            bad = ("protocol", HELLO.replace("A: A,B,pk;", "A: A,B;"))  # A cannot encrypt
        with raises_text(Refused, match="rules"):
            rules.check(state, 0, bad)
    state = after(rules, [("protocol", HELLO), ("run", 1, "a", "b")])
    assert state.text == HELLO and state.done[0] == 1


def test_lowe_attack_played_by_hand_wins():
    rules = game()
    state = after(rules, LOWE)
    assert (
        isinstance(rules.wants(state), Over)
        and rules.winner(state) == 0
        and rules.scores(state) == (1,)
    )
    assert all(rules.winner(after(rules, LOWE[:count])) is None for count in range(len(LOWE)))
    assert rules.legal(state, 0, ()) == ()
    with pytest.raises(Refused):
        rules.check(state, 0, ("stop",))


def test_honest_messages_appear_on_board():
    rules = game()
    shown = [str(region.text) for region in board(rules, after(rules, LOWE[:1])).regions]
    messages = "A → B: {NA,A}pk(B) · B → A: {NA,NB}pk(A) · A → B: {NB}pk(B)"
    assert any(messages in text for text in shown)


@pytest.mark.parametrize(
    "move",
    [
        ("run", 1, "a", "i"),  # strand 1 has already begun
        ("run", 3, "a", "b"),  # strand 3 does not exist
        ("run", 0, "a", "b"),
        ("run", 2, "i", "a"),  # the intruder plays no honest strand
        ("run", 2, "b"),
        ("run", 2, "nobody", "a"),
        ("send", 2, "{NA(1),a}pk(b)"),  # the strand has not begun
        ("send", 1, "{NA(1),NB(2)}pk(a)"),  # nobody has made NB(2)
        ("send", 1, "{NA(1),inv(pk(a))}pk(a)"),  # the intruder does not have that key
        ("send", 1, "{number_of_i,number_of_i}pk(a)"),  # nobody asked for that
        ("send", 1, "{NA(1),symmetric_key_of_i}pk(a)"),  # a key is no number
        ("send", 1, "{NA(1),NA(1)pk(a)"),
        ("send", 9, "a"),
        ("protocol", HELLO),
    ],
)
def test_impossible_message_is_refused(move):
    rules = game()
    state = after(rules, LOWE[:1])
    with raises_text(Refused, match="rules"):
        rules.check(state, 0, rules.parse(list(move)))


def test_untyped_game_accepts_key_as_number():
    state = after(game(typed="no"), LOWE[:1])
    game(typed="no").check(state, 0, ("send", 1, "{NA(1),symmetric_key_of_i}pk(a)"))


WRONG = (
    *(None, [], {}, ["go"], [["run"], 1], ["run"], ["run", "1"], ["run", 1, 2]),
    *(["send", 1], ["send", 1, ""], ["send", 1, "a" * 20_000], ["stop", 1], ["protocol", b"x"]),
)


@pytest.mark.parametrize("raw", WRONG)
def test_malformed_action_is_refused(raw):
    with pytest.raises(Refused):
        game().parse(raw)


def test_message_with_many_exponents_is_refused_quickly():
    rules = game("diffie-hellman")
    state = after(rules, [("run", 2, "b", "a")])
    powers = "g"
    for number in range(1, 8):
        powers = f"exp({powers},number_of_i{number if number > 1 else ''})"
        if number == 6:
            rules.check(state, 0, ("send", 2, powers))
    with pytest.raises(Refused):
        rules.check(state, 0, ("send", 2, powers))


def test_expensive_protocol_is_refused():
    many = HELLO.replace("A: A,B,pk;", "A: A,B,pk,sk(A,B,C,D,E);")
    many = many.replace("Agent A,B", "Agent A,B,C,D,E")
    powers = HELLO.replace("B->A: N", "B->A: N," + "exp(" * 7 + "N" + ",N)" * 7)
    for written in (many, powers):
        with pytest.raises(Refused):
            rules = game(OWN_PROTOCOL, 6)
            rules.check(rules.start(None), 0, ("protocol", written))


def test_intruder_game_options_are_checked():
    for wrong in ({"protocol": "nobodys"}, {"sessions": 0}, {"sessions": 99}, {"typed": "maybe"}):
        with pytest.raises(BadOptions):
            create_game("intruder", 1, wrong)
    with pytest.raises(BadOptions):
        create_game("intruder", 2, {})


def won(rules, strands):
    """Return whether the intruder can win with only these strands: every play of the legal actions
    is tried.
    """
    seen, todo = set(), [rules.start(None)]
    while todo:
        state = todo.pop()
        if rules.winner(state) == 0:
            return True
        moves = [
            move for move in rules.legal(state, 0, ()) if move[0] == "send" or move[1:2] in strands
        ]
        for later in (rules.apply(state, 0, move) for move in moves):
            if later not in seen:
                seen.add(later)
                todo.append(later)
    return False


@pytest.mark.slow
def test_three_games_of_the_paper_have_stated_winners():
    """The intruder loses as Alice alone against Bob, and as Bob against Alice; between both he wins
    as man in the middle.
    """
    alice, bob = (1,), (2,)
    assert not won(game(), [bob])
    assert not won(game(), [alice])
    assert won(game(), [alice, bob])


@pytest.mark.slow
def test_intruder_loses_every_play_against_lowe_fix():
    assert not won(game("needham-schroeder-lowe"), [(1,), (2,)])


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN_PROTOCOLS)
def test_any_play_ends_and_all_offers_are_playable(name):
    rng = Random(name)
    rules = game(name, 1, "no")
    state = rules.start(None)
    for _ in range(40):
        moves = rules.legal(state, 0, ())
        if not moves:
            break
        for move in moves:
            assert rules.parse(list(move)) == move
        rules.check(state, 0, rng.choice(moves))
        state = rules.apply(
            state, 0, rng.choice([move for move in moves if move[0] != "stop"] or moves)
        )
        assert hash(state) is not None
    assert isinstance(rules.wants(state), Over)


def test_leaving_or_lapsing_ends_the_attempt():
    rules = game()
    state = after(rules, LOWE[:2])
    assert rules.timeout(state, 0) == ("stop",)
    for ended in (rules.forfeit(state, 0), rules.apply(state, 0, ("stop",))):
        assert isinstance(rules.wants(ended), Over) and rules.winner(ended) is None
        with pytest.raises(Refused):
            rules.forfeit(ended, 0)


@pytest.mark.slow
def test_protocol_with_many_parts_is_explored_as_offered():
    """Eight parts can begin in thousands of ways: in a foreign log this would be a trap for every
    reader.
    """
    agents = "ABCDEFGH"
    knowledge = ";".join(f"{agent}: {','.join(agents)},pk,inv(pk({agent}))" for agent in agents)
    lines = "\n".join(
        f"{one}->{other}: {{N}}pk({other})"
        for one, other in zip(agents, agents[1:] + "A", strict=True)
    )
    types = f"Types: Agent {','.join(agents)}; Number N; Function pk"
    written = f"Protocol: X\n{types}\nKnowledge: {knowledge}\nActions:\n{lines}\n"
    game = create_game("intruder", 1, {"protocol": "own", "sessions": 6})
    state = game.apply(game.opening(), 0, ("protocol", written + "Goals:\nN secret between A,B\n"))
    offered = game.legal(state, 0, ())
    state = game.apply(state, 0, offered[-2])
    assert len(offered) == len(game.legal(state, 0, ())) == MAX_INTRUDER_MOVES + 1
