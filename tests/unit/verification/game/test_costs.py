"""The game against a protocol bounds its work: a player's expensive action is refused."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.__main__ import main
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Over
from protocol.games.intruder_spec import OWN_PROTOCOL
from protocol.games.registry import BUILT_IN, Games, create_game
from protocol.limits import (
    MAX_INTRUDER_ENTRY_STEPS,
    MAX_INTRUDER_EXPONENTS,
    MAX_INTRUDER_NAMES,
    MAX_INTRUDER_PROTOCOL,
    MAX_INTRUDER_SAID,
    MAX_INTRUDER_TEXT,
    MAX_SESSIONS,
)
from tests.support.at_once import StoredAtOnce
from tests.support.calls import count_calls
from tests.support.guest_games.offline_match import until_playing, written
from tests.support.intruding import (
    CROSSED,
    FIT,
    LOCKED,
    LONG,
    MADE,
    SMALL,
    UNFIT,
    accepted,
    echo,
    file_with,
    hostile_moves,
    hostile_protocol,
    listed,
    nested_powers,
    of_names,
    power,
    protocol,
)
from tests.support.offline import make_offline
from verification.__main__ import main as verify
from verification.effort import Effort
from verification.game.game_scenario import make_game_scenario
from verification.game.messages import read_message
from verification.game.view import board, offers
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.unification import unifiers

# Number of function calls: about five times that of six sessions of Noise XX, the largest bundled
# protocol.
PROTOCOL_CALLS = 300_000
MOVE_CALLS = 60_000
LEGAL_CALLS = 2_600_000
VIEW_CALLS = 80_000
FEW = 30_000  # limit for a small protocol, or a message of about fifty names


def game(typed="yes", sessions=1):
    return create_game(
        "intruder", 1, {"protocol": OWN_PROTOCOL, "sessions": sessions, "typed": typed}
    )


def after(rules, *moves):
    state = rules.start(None)
    for move in moves:
        rules.check(state, 0, move)
        state = rules.apply(state, 0, move)
    return state


def judged(rules, state, move):
    """Return the code of a refusal, or None; and the number of calls."""
    codes = []

    def work():
        try:
            rules.check(state, 0, rules.parse(list(move)))
            rules.apply(state, 0, move)
        except Refused as refused:
            codes.append(refused.code)

    calls = count_calls(work)
    return (codes[0] if codes else None), calls


def at_table(*moves):
    """Return a match of one seat at a table after these moves."""
    match = make_offline(1, 1, "intruder", {"protocol": OWN_PROTOCOL}, dealing="none")
    until_playing(match)
    for move in moves:
        match.live.offer(written(match, 0, move), 0)
    match.catch_up(match.readers[0])
    return match


# --- the message that hung a table ---


def test_message_with_unfit_exponents_is_refused_soon():
    rules = game()
    state = after(rules, *CROSSED)
    code, calls = judged(rules, state, UNFIT)
    assert code is Code.ILLEGAL_MOVE and calls < FEW


def test_message_with_fitting_exponents_is_taken_soon():
    rules = game()
    state = after(rules, *CROSSED)
    code, calls = judged(rules, state, FIT)
    assert code is None and calls < FEW


def test_many_keys_that_are_exponentials_open_soon():
    """Each exponential that is heard could open each key; comparing all of them took 0.4 s."""
    rules = game()
    state = after(rules, ("protocol", LOCKED), ("run", 1, "a", "b"), ("run", 2, "b", "a"))
    code, calls = judged(rules, state, ("send", 2, "a"))
    assert code is None and calls < MOVE_CALLS


def test_protocol_of_many_exponentials_is_read_soon():
    code, calls = judged(game(), game().start(None), ("protocol", LOCKED))
    assert code is None and calls < PROTOCOL_CALLS


@pytest.mark.slow
def test_offers_with_exponents_to_pair_come_soon():
    rules = game()
    state = after(rules, *CROSSED)
    assert count_calls(lambda: offers(rules, state, 0, ())) < LEGAL_CALLS
    assert ("stop",) in rules.legal(state, 0, ()) and len(rules.legal(state, 0, ())) > 10


def test_table_and_player_refuse_unfit_message_and_match_goes_on():
    match = at_table(*CROSSED)
    before = match.live.match
    with pytest.raises(Refused) as at_player:
        written(match, 0, UNFIT)
    record = accepted(match, UNFIT)
    with pytest.raises(Refused) as refused:
        match.live.offer(record.entry, 0)
    assert refused.value.code is at_player.value.code is Code.ILLEGAL_MOVE
    assert match.live.match is before and not before.faults
    match.live.offer(written(match, 0, FIT), 0)  # this breaks the goal: A has not run
    match.play()
    assert match.live.match.over and audit(match.file()).verdict is Verdict.CLEAN
    again = StoredAtOnce.restore(
        match.live._identity, match.live.seed, match.live.records, BUILT_IN
    )
    assert again.match == match.live.match


@pytest.mark.parametrize(
    ("move", "code"), [(UNFIT, Code.ILLEGAL_MOVE), (LONG, Code.TOO_COSTLY)], ids=["unfit", "long"]
)
def test_audit_of_hostile_log_ends_and_names_both(move, code, tmp_path, capsys):
    match = at_table(*CROSSED)
    record = accepted(match, move)
    data = file_with(match, record)
    report = audit(data)
    at = match.live.log.next_number
    assert [tuple(fault) for fault in report.faults] == [
        (255, at, Code.TABLE_ACCEPTED),
        (0, at, code),
    ]
    assert count_calls(lambda: audit(data)) < LEGAL_CALLS
    reader = match.readers[0]
    reader.feed(record.entry, record.head)
    assert [fault.code for fault in reader.faults] == [Code.TABLE_ACCEPTED, code]
    log = tmp_path / "hostile.fairdeal"
    log.write_bytes(data)
    assert main(["audit", str(log)]) == 1
    assert str(code) in capsys.readouterr().out


def test_log_by_rules_of_version_one_is_not_judged():
    rows = BUILT_IN.specs
    older = Games(rows | {"intruder": replace(rows["intruder"], edition="1")})
    match = make_offline(1, 1, "intruder", {"protocol": OWN_PROTOCOL}, dealing="none", games=older)
    until_playing(match)
    report = audit(match.file())
    assert report.damage_code is Code.UNKNOWN_RULES and not report.faults


# --- each bound, and the order of checks ---


def knowing(constants):
    """Return a protocol with 198 names known to the roles, one of them public, and five agents:
    1,990 names in total.
    """
    more = "".join(f",c{number}" for number in range(constants))
    return protocol(SMALL, know=f"({listed(['A', 'B'] * 99)}){more}")


MOST = power("g", "AB" * (MAX_INTRUDER_EXPONENTS // 2))
PROTOCOLS = {
    "names": (of_names(MAX_INTRUDER_PROTOCOL), 1, None),
    "a name more": (of_names(MAX_INTRUDER_PROTOCOL + 1), 1, Code.TOO_COSTLY),
    "names in four sessions": (of_names(MAX_INTRUDER_PROTOCOL // 4), 4, None),
    "a name more in four sessions": (of_names(MAX_INTRUDER_PROTOCOL // 4 + 1), 4, Code.TOO_COSTLY),
    "too many, and no sign": (of_names(MAX_INTRUDER_PROTOCOL + 1) + "~", 1, Code.ILLEGAL_MOVE),
    "too many, and no protocol": (of_names(MAX_INTRUDER_PROTOCOL + 1) + "}", 1, Code.TOO_COSTLY),
    "no protocol": (protocol(SMALL + "}"), 1, Code.ILLEGAL_MOVE),
    "exponents": (protocol(f"{SMALL},{MOST}"), 1, None),
    "an exponent more": (protocol(f"{SMALL},exp({MOST},A)"), 1, Code.TOO_COSTLY),
    "an exponent more in a goal": (
        protocol(SMALL, goals=f"B authenticates A on exp({MOST},A)"),
        1,
        Code.TOO_COSTLY,
    ),
    "an exponent that is known": (protocol(SMALL, know="exp(g,A)"), 1, None),
    "two that are known": (protocol(SMALL, know="exp(exp(g,A),B)"), 1, Code.TOO_COSTLY),
    "a number that is known": (protocol(SMALL, "; Number N", "N"), 1, Code.ILLEGAL_MOVE),
    "what is known at first": (knowing(3), 1, None),
    "a name more that is known": (knowing(4), 1, Code.TOO_COSTLY),
    # B cannot build the value of its claim
    "powers in powers": (nested_powers(3), 1, Code.ILLEGAL_MOVE),
    "arguments": (protocol(f"A->B: f({','.join(['A'] * 5000)})", know="f"), 1, Code.TOO_COSTLY),
    "arguments behind arguments": (
        protocol(f"A->B: f({','.join('A' * 40)})", know="f"),
        1,
        Code.ILLEGAL_MOVE,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "sessions", "code"), PROTOCOLS.values(), ids=PROTOCOLS)
def test_protocol_at_each_bound_is_judged_as_specified(text, sessions, code):
    rules = game(sessions=sessions)
    found, calls = judged(rules, rules.start(None), ("protocol", text))
    assert found is code and calls < PROTOCOL_CALLS


MOST_SENT = power("g", MADE[:MAX_INTRUDER_EXPONENTS])
MESSAGES = {
    "names": (listed([MADE[0]] * MAX_INTRUDER_NAMES), None),
    "a name more": (listed([MADE[0]] * (MAX_INTRUDER_NAMES + 1)), Code.TOO_COSTLY),
    "too many, and no sign": (
        listed([MADE[0]] * (MAX_INTRUDER_NAMES + 1)) + "~",
        Code.ILLEGAL_MOVE,
    ),
    "too many, and no message": (
        listed([MADE[0]] * (MAX_INTRUDER_NAMES + 1)) + "}",
        Code.TOO_COSTLY,
    ),
    "exponents": (MOST_SENT, None),
    "an exponent more": (f"exp({MOST_SENT},a)", Code.TOO_COSTLY),
    "an exponent more, and no name": (f"exp({MOST_SENT},nobody)", Code.ILLEGAL_MOVE),
    "characters": ("a" + " " * (MAX_INTRUDER_TEXT - 1), None),
    "a character more": ("a" + " " * MAX_INTRUDER_TEXT, Code.BAD_ACTION),
}


@pytest.mark.parametrize(("message", "code"), MESSAGES.values(), ids=MESSAGES)
def test_message_at_each_bound_is_judged_as_specified(message, code):
    rules = game("no")
    state = after(rules, ("protocol", echo(1)), ("run", 2, "b", "a"))
    found, calls = judged(rules, state, ("send", 2, message))
    assert found is code and calls < MOVE_CALLS


@pytest.mark.parametrize(("names", "code"), [(74, None), (75, Code.TOO_COSTLY)])
def test_strands_say_two_thousand_names_and_no_more(names, code):
    """27 messages of 74 names, and the two that B claims."""
    rules = game("no")
    state = after(rules, ("protocol", echo(27)), ("run", 2, "b", "a"))
    move = ("send", 2, listed([MADE[0]] * names))
    found, calls = judged(rules, state, move)
    assert found is code and calls < MOVE_CALLS
    if code is None:
        full = rules.apply(state, 0, move)
        assert full.said == MAX_INTRUDER_SAID == 27 * 74 + 2
        # its first step sends
        assert judged(rules, full, ("run", 1, "a", "b"))[0] is Code.TOO_COSTLY
        assert judged(rules, full, ("run", 1, "a", "a", "a"))[0] is Code.ILLEGAL_MOVE
        assert rules.legal(full, 0, ()) == (("stop",),)


@pytest.mark.slow
def test_names_of_all_strands_count_and_stopping_remains():
    rules = game("no", sessions=4)
    state = after(
        rules, ("protocol", echo(8)), *(("run", number, "b", "a") for number in range(5, 9))
    )
    codes = []
    for number in range(5, 9):
        move = ("send", number, listed([MADE[0]] * 80))
        codes.append(judged(rules, state, move)[0])
        state = state if codes[-1] else rules.apply(state, 0, move)
    assert codes == [None, None, None, Code.TOO_COSTLY]
    offered = rules.legal(state, 0, ())
    assert offered[-1] == ("stop",) and all(
        judged(rules, state, move)[0] is None for move in offered
    )


# --- other slow computations ---


def test_role_without_steps_may_begin():
    text = (
        protocol("A->B: A; B->A: A")
        .replace("Agent A,B", "Agent A,B,C")
        .replace("\nActions", "; C: C\nActions")
    )
    rules = game()
    state = after(rules, ("protocol", text), ("run", 3, "a"))
    assert state.agents[2] and state.said == 0
    assert all(judged(rules, state, move)[0] is None for move in rules.legal(state, 0, ()))


def test_long_chain_of_keys_opens_soon():
    keys = [f"K{number}" for number in range(200)]
    locks = [f"{{|{later}|}}{earlier}" for earlier, later in pairwise(keys)][::-1]
    text = protocol(
        f"A->B: {listed(locks)}; B->A: A; A->B: K0", f"; Symmetric_key {','.join(keys)}"
    )
    rules = game()
    state = after(rules, ("protocol", text), ("run", 1, "a", "b"))
    move = ("send", 1, "a")
    code, calls = judged(rules, state, move)
    assert code is None and calls < MOVE_CALLS
    scenario = rules.scenario(state)
    assert (
        len(scenario.knowledge(rules.apply(state, 0, move))) > len(scenario.knowledge(state)) + 190
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN_PROTOCOLS)
def test_bundled_protocols_fit_in_six_sessions(name):
    rules = game(sessions=MAX_SESSIONS)
    assert judged(rules, rules.start(None), ("protocol", BUILT_IN_PROTOCOLS[name].text))[0] is None


@pytest.mark.slow
def test_attack_too_large_for_a_match_is_reported(tmp_path, capsys):
    goal = "N secret between A,B"
    text = protocol(f"A->B: N,{listed(['A'] * 600)}; B->A: A", "; Number N", goals=goal)
    mine = tmp_path / "mine.AnB"
    mine.write_text(text)
    log = tmp_path / "mine.fairdeal"
    assert verify(["verify", str(mine), "--sessions", "2", "--save", str(log)]) == 2
    assert "too many names" in capsys.readouterr().err and not log.exists()


# --- a search for expensive actions ---


def played(rules, rng, text):
    """Yield a hostile player's moves against a protocol: the state before, the code and the calls
    of each.
    """
    start = rules.start(None)
    code, calls = judged(rules, start, ("protocol", text))
    yield start, ("protocol", text), code, calls
    if code is not None:
        return
    state = rules.apply(start, 0, ("protocol", text))
    moves = hostile_moves(rng, rules.scenario(state), state, 25)
    with suppress(StopIteration):
        move = next(moves)
        while True:
            code, calls = judged(rules, state, move)
            yield state, move, code, calls
            state = state if code else rules.apply(state, 0, move)
            move = moves.send(state)


SEARCHES = {
    "seed": st.integers(0, 2**32),
    "sessions": st.sampled_from((1, 2, 3, 6)),
    "typed": st.booleans(),
}


@pytest.mark.slow
def test_bounds_are_about_five_times_an_ordinary_action():
    rules, rng = create_game("intruder", 1, {"protocol": "session", "sessions": 6}), Random(1)
    make_game_scenario.cache_clear()
    found = Counter(
        protocol=count_calls(
            lambda: make_game_scenario(BUILT_IN_PROTOCOLS["session"].text, 6, True)
        )
    )
    state = rules.start(None)
    for turn in range(24):
        offered = rules.legal(state, 0, ())[:-1]
        sends = [move for move in offered if move[0] == "send"]
        if not offered:
            break
        move = rng.choice(sends if sends and turn % 3 else offered)
        found["move"] = max(found["move"], judged(rules, state, move)[1])
        state = rules.apply(state, 0, move)
        found["legal"] = max(found["legal"], count_calls(partial(rules.legal, state, 0, ())))
        found["view"] = max(found["view"], count_calls(partial(board, rules, state)))
    bounds = {
        "protocol": PROTOCOL_CALLS,
        "move": MOVE_CALLS,
        "legal": LEGAL_CALLS,
        "view": VIEW_CALLS,
    }
    assert all(bound < 6 * found[kind] for kind, bound in bounds.items()), found


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(**SEARCHES)
def test_search_for_costly_actions_finds_none_beyond_bounds(seed, sessions, typed):
    rng, rules = Random(seed), game("yes" if typed else "no", sessions)
    entries = list(played(rules, rng, hostile_protocol(rng, sessions)))
    for _, move, code, calls in entries:
        assert calls < (PROTOCOL_CALLS if move[0] == "protocol" else MOVE_CALLS), (move, code)
    state = entries[-1][0]
    assert count_calls(lambda: board(rules, state)) < VIEW_CALLS
    assert count_calls(lambda: rules.legal(state, 0, ())) < LEGAL_CALLS
    offered = rules.legal(state, 0, ())
    assert isinstance(rules.wants(state), Over) or ("stop",) in offered
    for move in offered[:40]:
        assert judged(rules, state, move)[0] is None, move


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(**SEARCHES)
def test_strand_takes_a_message_in_one_way_at_most(seed, sessions, typed):
    """No alternatives need trying, and the budget of steps is a safety net that nothing reaches."""
    rng, rules = Random(seed), game("yes" if typed else "no", sessions)
    for state, move, code, _ in played(rules, rng, hostile_protocol(rng, sessions)):
        if move[0] == "send" and code in (None, Code.ILLEGAL_MOVE):
            ways, steps = ways_to_take(rules.scenario(state), state, move)
            assert ways <= 1 and steps <= MAX_INTRUDER_ENTRY_STEPS // 5


def ways_to_take(scenario, state, move):
    """Return the number of ways a strand could receive a message, and the steps to find all."""
    step, message = scenario.awaited_step(state, move[1] - 1), read_message(scenario, move[2])
    if step is None or message is None:
        return 0, 0
    effort = Effort(0, MAX_INTRUDER_ENTRY_STEPS)
    alike = (*step.checks, (step.receive, message))
    return len(list(unifiers(alike, dict(state.values), effort))), effort.steps
