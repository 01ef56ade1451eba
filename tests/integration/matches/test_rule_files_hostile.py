"""Hostile rule files in whole matches at a table: files that would use up all resources, and
forbidden acts of an active seat.
"""

import time
from dataclasses import replace
from functools import partial
from itertools import cycle

import pytest

from bots.random_bot import random_bot
from player.client.seat import Seat
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import Refused
from protocol.games.decks import ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.engine.state import ScriptPhase
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.match.fold import apply
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.state import MatchStage
from table.match.live_match import LiveMatch
from tests.support.guest_games.offline_match import leave
from tests.support.hostile_rules import HOSTILE
from tests.support.offline import Offline, make_offline
from tests.unit.protocol.games.scripted.engine.test_engine import mini

pytestmark = pytest.mark.match
# CPU seconds for an entry with all checks: twenty times the limit for such a file on an idle
# machine
SECONDS = 1.0
BODIES = {
    "loops": "[0 for a in range(4096) for b in range(4096)]",
    "a growing text": "max(['a' * 4096 + 'b' * n for n in range(4096)])",
    "a growing list": "[list(range(4096)) for a in range(4096)]",
    "deep lists": "str(deep(4000))",
    "deep compare": "deep(4000) == deep(4000)",
    "wide compare": "wide() == wide()",
    "aliasing": "[wide(), wide()] == [wide(), wide()]",
    "numbers": "9223372036854775807 * 9",
    "a call of itself": "endless(0)",
    "a face that is hidden": "face(g, cards(g, 'deck')[0])['n']",
    "what is no effect": "[['shuffle', 'deck', None, None, None]]",
    "effects without end": "[then('more')]",
}
WHERE = ("apply", "legal", "start", "winner", "turn_ends", "to_act", "judge")
MORE = """
def deep(n):
    x = []
    for i in range(n): x = [x]
    return x
def wide():
    x = [0]
    for i in range(39): x = [x, x]
    return x
def endless(n): return [endless2(n)]
def endless2(n): return [n] * 4096 * 4096
def more(g): return [then('more')]
"""


def at_table(text: str, seat_type: type[Seat] = Seat, **more) -> Offline:
    brought = partial(seat_type, brings=Loadout(text=text))
    types = {0: brought, 1: brought}
    found = make_offline(
        2, 1, "script", {"rules": rule_digest(text)}, seat_types=types, dealing="verified", **more
    )
    found.bots = (random_bot, random_bot)
    return found


def timed(found: Offline) -> float:
    """Play to the end. Return the table's longest CPU time for an entry, in seconds."""
    most = [0.0]

    def offer(live: LiveMatch, raw: bytes, seat: int) -> object:
        begun = time.process_time()
        try:
            return live.offer(raw, seat)
        finally:
            most.append(time.process_time() - begun)

    found.accept = offer
    found.play()
    return max(most)


def void(found: Offline) -> None:
    """Check that nobody has won or is named, all readers and the audit agree, and everybody learns
    the fault of the rules.
    """
    match = found.live.match
    assert match.over and match.winner is None and not match.faults and not found.refused
    assert match.game.error is not None and match.game.winners == ()
    for reader in found.readers:
        found.catch_up(reader)
        assert reader.match.game.error == match.game.error and not reader.faults
    assert audit(found.file()).verdict is Verdict.CLEAN


@pytest.mark.parametrize("name", list(HOSTILE)[::2])
def test_hostile_file_voids_match_without_fault(name: str) -> None:
    text = mini() + HOSTILE[name]
    found = at_table(text)
    parse_contract.cache_clear()
    assert timed(found) < SECONDS
    void(found)


@pytest.mark.parametrize(
    ("where", "name"),
    [(WHERE[(2 * at + more) % 7], name) for at, name in enumerate(BODIES) for more in (0, 1)],
)
def test_function_using_all_memory_voids_match_too(where: str, name: str) -> None:
    given = {
        "apply": "g, me, act",
        "legal": "g, me, act",
        "judge": "g, me, act, hand",
        "turn_ends": "g, me",
    }
    body = BODIES[name]
    if where == "legal" and name in ("what is no effect", "effects without end"):
        body = "len(" + body + ") // 0"
    text = "\n".join(line for line in mini().splitlines() if not line.startswith(f"def {where}("))
    found = at_table(f"{text}\ndef {where}({given.get(where, 'g')}): return {body}\n{MORE}")
    assert timed(found) < SECONDS
    if where == "judge":  # a fault when judging the end does not undo a win
        assert (
            found.live.match.game.error is None
            and found.live.match.winner == 0
            and not found.live.match.faults
        )
        return
    void(found)


class LetsAll(LiveMatch):
    """Table that helps a seat to cheat: it logs every entry."""

    def log_anyway(self, raw: bytes) -> None:
        self._append(decode_entry(raw), self.match)


def duel(
    dealing: str = "verified", table_type: type[LiveMatch] = LiveMatch, seed: int = 3
) -> tuple[Offline, int]:
    """Make a duel in its third turn. Return it with the seat to act."""
    found = make_offline(2, seed, "element-duel", dealing=dealing, table_type=table_type)
    found.bots = (random_bot, random_bot)
    for seat in cycle(found.seats):
        match = found.live.match
        if (
            match.stage is MatchStage.PLAYING
            and match.game.ask is not None
            and match.game.turns == 3
        ):
            break
        found.step(seat)
    for reader in found.readers:
        found.catch_up(reader)
    return found, found.live.match.game.turn


def thesis(found: Offline, me: int) -> dict[str, tuple[int, Post]]:
    """Return attacks of the thesis's active client, each as a seat and a post. `me` is the seat to
    act.
    """
    game, other = found.live.match.game, 1 - me
    table = found.live.match.setup.game.table(game)
    lies = {
        (table.contract.zones[zone].name, seat): cards
        for (zone, seat), cards in zip(table.places, game.lies, strict=True)
    }
    deck, hand, theirs = lies["deck", me], lies["hand", me], lies["hand", other]

    def move(*action: object) -> Post:
        return Post("move", [list(action), []])

    return {
        "looks at its deck": (me, move("take", deck[-1] + 1, 0, 0, 0, b"")),
        "plays from its deck": (me, move("play", deck[-1] + 1, 0, 0, 0, b"")),
        "asks for shares of it": (me, Post("shares", [[bytes(32)], [bytes(64)]])),
        "gives numbers for it": (me, Post("give", [bytes(32)])),
        "sets points": (me, move("points", me + 1, 7, 0, 0, b"")),
        "puts points": (me, move("put", 0, 0, 0, 7, b"")),
        "says that it has won": (me, Post("receipt", [[7, 0] if me == 0 else [0, 7]])),
        "adds cards": (me, move("deck", "closing", *[bytes([n]) * 32 for n in range(12)])),
        "opens a card that is not asked for": (
            me,
            move("open", b"\x93\x00\xc4\x20" + bytes(32) + b"\x00"),
        ),
        "plays a card twice": (me, move("play", lies["field", me][0] + 1, 0, 0, 0, b"")),
        "plays the other's card": (me, move("play", theirs[0] + 1, 0, 0, 0, b"")),
        "changes the rules": (
            me,
            move("rules", built_in_text("element-duel").replace("= 7,", "= 1,")),
        ),
        "does nothing": (me, move("leave", 0, 0, 0, 0, b"")),
        "ends its turn": (me, move("end_turn", 0, 0, 0, 0, b"")),
        "tosses a coin by itself": (me, move("toss", bytes(32))),
        "acts out of turn": (other, move("play", theirs[0] + 1, 0, 0, 0, b"")),
        "plays for the other": (other, move("play", hand[0] + 1, 0, 0, 0, b"")),
    }


@pytest.mark.parametrize("dealing", ["verified", "seeded"])
def test_thesis_active_seat_attack_is_refused_by_all(
    dealing: str,
) -> None:
    found, me = duel(dealing)
    before = found.live.match
    for what, (author, post) in thesis(found, me).items():
        raw = found.seats[author].entry(found.readers[author].log, post)
        with pytest.raises(Refused):
            found.live.offer(raw, author)
        assert found.live.match is before, what
        for reader in found.readers:
            with pytest.raises(Refused):
                apply(reader.match, decode_entry(raw))
    found.play()
    assert (
        found.live.match.over
        and not found.live.match.faults
        and found.live.match.winner is not None
    )


@pytest.mark.parametrize(
    "what", ["looks at its deck", "sets points", "adds cards", "acts out of turn"]
)
def test_active_seat_with_table_names_both_everywhere(what: str) -> None:
    found, me = duel(table_type=LetsAll)
    author, post = thesis(found, me)[what]
    assert isinstance(found.live, LetsAll)
    found.live.log_anyway(found.seats[author].entry(found.readers[author].log, post))
    report = audit(
        MAGIC + b"".join(encode_record(record.entry, record.head) for record in found.live.records)
    )
    assert {fault.seat for fault in report.faults} == {TABLE, author}
    for reader in found.readers:
        found.catch_up(reader)
        assert (
            reader.faults == report.faults
            and reader.match.game.counters == found.live.match.game.counters
        )


@pytest.mark.parametrize("dealing", ["verified", "seeded"])
def test_no_seat_knows_cards_in_its_deck(dealing: str) -> None:
    """In the thesis the active client had its whole deck. Here no program can read a card in its
    deck.
    """
    found = make_offline(2, 3, "element-duel", dealing=dealing)
    found.bots = (random_bot, random_bot)
    shuffled = 0
    while not found.live.match.over and sum(found.step(seat) for seat in found.seats):
        match = found.live.match
        if match.deal is None or match.stage is not MatchStage.PLAYING or match.game.ask is None:
            continue
        places = match.setup.game.table(match.game).places
        decks = {
            card
            for (zone, _), cards in zip(places, match.game.lies, strict=True)
            if not zone
            for card in cards
        }
        for seat in found.seats:
            found.catch_up(found.readers[seat.number])
            seat.respond(found.readers[seat.number].match)
            assert decks.isdisjoint(seat._visible_cards(found.readers[seat.number].match))
        shuffled += bool(decks)
    assert shuffled


class Brazen(Seat):
    """Seat that brings a deck and posts actions which its own rules forbid."""

    def move(self, match, action):
        return (
            Post("move", [list(action), []])
            if action[0] in ("deck", "open")
            else super().move(match, action)
        )


@pytest.mark.parametrize("mode", ["open", "closing"])
def test_eleventh_card_names_its_seat(mode: str) -> None:
    text = built_in_text("element-duel")
    cards = tuple(map(ProxyCard, (*parse_contract(text).starter, 0)))
    types = {1: partial(Brazen, brings=Loadout(cards))}
    found = make_offline(2, 2, "element-duel", {"mode": mode}, seat_types=types, dealing="seeded")
    found.bots = (random_bot, random_bot)
    found.play()
    assert [(fault.seat, fault.code) for fault in found.live.match.faults] == [(1, Code.BAD_DECK)]
    assert found.live.match.winner == 0


# 43 calls of a function that takes almost all permitted steps, for an entry of 124 bytes
DEAR = """
def work(steps):
    for a in range(steps // 98):
        for b in range(45): pass
def burn(g): return work(11500) or []
"""


def dear(table_type: type[LiveMatch] = LiveMatch) -> tuple[Offline, int, bytes]:
    """Make a match with the seat to act, and its entry that costs too much."""
    text = mini(
        "[then('burn')] * 43 if act['name'] == 'go' else [move(act['card'], 'pile'), end_turn()]",
        DEAR,
    )
    found = at_table(text, table_type=table_type)
    while found.live.match.stage is not MatchStage.PLAYING or found.live.match.game.ask is None:
        assert sum(found.step(seat) for seat in found.seats)
    for seat, reader in zip(found.seats, found.readers, strict=True):
        found.catch_up(reader)
        seat.respond(reader.match)
    me = found.live.match.game.turn
    return (
        found,
        me,
        found.seats[me].entry(found.readers[me].log, Post("move", [["go", 0, 0, 0, 0, b""], []])),
    )


def test_costly_action_is_refused_and_match_goes_on() -> None:
    found, me, raw = dear()
    before = found.live.match
    assert len(raw) < 130
    with pytest.raises(Refused) as raised:
        found.live.offer(raw, me)
    assert raised.value.code is Code.TOO_COSTLY
    for reader in found.readers:
        with pytest.raises(Refused) as raised:
            apply(reader.match, decode_entry(raw))
        assert raised.value.code is Code.TOO_COSTLY
    assert found.live.match is before
    assert {action[0] for action in found.seats[me].choices(found.readers[me].match)} == {"play"}
    found.play()
    match = found.live.match
    assert match.over and match.winner == 0 and not match.faults and not found.refused
    assert audit(found.file()).verdict is Verdict.CLEAN


def test_table_logging_costly_action_is_named_with_author() -> None:
    """The audit of its log takes no longer than that of a usual log."""
    found, me, raw = dear(LetsAll)
    assert isinstance(found.live, LetsAll)
    found.live.log_anyway(raw)
    begun = time.process_time()
    report = audit(found.file())
    assert time.process_time() - begun < SECONDS
    at = found.live.records[-1].entry
    assert at == raw and report.verdict is Verdict.FAULT
    assert {(fault.seat, fault.code) for fault in report.faults} == {
        (TABLE, Code.TABLE_ACCEPTED),
        (me, Code.TOO_COSTLY),
    }
    for reader in found.readers:
        found.catch_up(reader)
        assert reader.faults == report.faults


class Idler(Seat):
    """Seat that never lays a card, although `judge` wants it to."""

    def move(self, match, action):
        idle = Post("move", [["go", 0, 0, 0, 0, b""], []])
        return super().move(match, action) if action[0] == "rules" else idle


@pytest.mark.parametrize(("turns", "guilty"), [(3, 0), (3, 1), (1, 1)])
def test_false_choice_fault_stands_at_its_own_entry(turns: int, guilty: int) -> None:
    judge = f"def judge(g, me, act, hand): return act['name'] == 'play' or me != {guilty}\n"
    text = mini("([move(act['card'], 'pile')] if 'card' in act else []) + [end_turn()]", judge)
    found = at_table(text.replace("> 3", f"> {turns}"), Idler)
    found.play()
    entries = [decode_entry(record.entry) for record in found.live.records]
    first = next(
        at
        for at, entry in enumerate(entries)
        if (entry.author, entry.kind) == (guilty, "move") and entry.body[0][0] == "go"
    )
    report = audit(found.file())
    named = [(fault.seat, fault.entry, fault.code) for fault in report.faults]
    assert named == [(guilty, first, Code.FALSE_CHOICE)]


def test_false_choice_of_a_leaver_robs_no_winner() -> None:
    judge = "def judge(g, me, act, hand): return act['name'] == 'play' or me != 2\n"
    text = mini("([move(act['card'], 'pile')] if 'card' in act else []) + [end_turn()]", judge)
    idler = partial(Idler, brings=Loadout(text=text))
    found = make_offline(
        3,
        1,
        "script",
        {"rules": rule_digest(text)},
        {"leavers": "threshold"},
        dict.fromkeys(range(3), idler),
        dealing="verified",
    )
    found.bots = (random_bot,)
    while not found.live.match.game or found.live.match.game.phase is not ScriptPhase.CLOSE:
        assert any(found.step(seat) for seat in found.seats)
    leave(found, 2)
    found.play()
    end = found.live.match
    assert end.over and end.winner == 0
    assert {fault.seat for fault in end.faults} == {2}
    assert audit(found.file()).faults == end.faults


def test_a_log_by_other_steps_is_not_judged_here() -> None:
    """Such a log was written when an action could take any number of calls."""
    found, _, _ = dear()
    rows = {name: replace(row, edition="1") for name, row in BUILT_IN.specs.items()}
    assert audit(found.file()).verdict is Verdict.INCOMPLETE
    assert audit(found.file(), Games(rows)).verdict is Verdict.UNJUDGED
    assert not audit(found.file(), Games(rows)).faults
