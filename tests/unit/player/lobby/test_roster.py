"""A person in the lobby: the people they see and hear, the questions to them, and the tables they
join.
"""

from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random

import pytest

from player.lobby.lobby_client import LobbyClient
from player.lobby.meeting import LobbyPresence, Meeting
from player.lobby.roster import LobbyRoster
from player.storage.mute_list import MuteList
from player.ui.terminal.lobby_screen import LobbyScreen
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english
from protocol.identity.keys import Identity
from protocol.limits import MAX_CALLS_SHOWN, MAX_IGNORED, MAX_PRESENT, TABLES_A_SCREEN
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms
from protocol.messages import table as messages
from protocol.messages.lobby import MATCH, TRADE
from protocol.messages.table import VERSION, ConnectionPhase, Sender
from protocol.options import Selection
from table.config import default_terms
from tests.support.meeting import environment

OWN = bytes(32)
ANN, BOB, CLEO = (Identity(bytes([number]) * 32).public for number in (1, 2, 3))


def rows(*people):
    return [[name, key, 0] for name, key in people]


def roster(tmp_path, *people):
    made = LobbyRoster(OWN, MuteList(tmp_path))
    made.people(rows(*people), [])
    return made


def test_person_number_is_reserved_while_a_question_is_open(tmp_path):
    made = roster(tmp_path, ("Ann", ANN), ("Bob", BOB), ("Me", OWN))
    assert [(guest.number, guest.name) for guest in made.guests] == [(1, "Ann"), (2, "Bob")]
    call = made.asked(ANN, table_id="table-1")
    assert [guest.name for guest in made.people([], [ANN]).went] == ["Ann"]
    made.people(rows(("Cleo", CLEO)), [])
    assert made.find("3").name == "Cleo"
    assert made.find("1") == call.guest  # the guest now sits at the table
    made.answered(call.guest)
    assert made.find("1") is None
    changed = made.people([["Bob", BOB, 3]], [BOB])  # in both lists means present
    assert (changed.came[0].number, changed.came[0].wants, changed.went) == (2, (MATCH, TRADE), ())


def test_company_number_of_departed_person_is_not_reused(tmp_path):
    """Nor is it reused through a name: `trade 2` reaches the person shown as 2, or nobody."""
    made = roster(tmp_path, ("Ann", ANN), ("Bob", BOB))
    made.people([], [BOB])
    made.people(rows(("2", CLEO)), [])
    assert made.find("2") is None
    made.people([], [CLEO])
    made.people(rows(("Bob", CLEO)), [])
    assert [guest.number for guest in made.guests] == [1, 3]
    made.clear()  # the connection was lost; all return, the stranger first
    made.people(rows(("Bob", CLEO), ("Bob", BOB), ("Ann", ANN)), [])
    assert {guest.key: guest.number for guest in made.guests} == {ANN: 1, BOB: 2, CLEO: 3}


def test_company_mutes_a_person_in_this_and_other_lobbies(tmp_path):
    made = roster(tmp_path, ("Ann", ANN), ("Bob", BOB))
    made.asked(ANN, table_id="table-1")
    made.ignore(made.find("Ann"))
    assert made.said(ANN, "hello") is None
    assert made.asked(ANN, purpose=TRADE) is None
    assert not made.calls
    again = roster(tmp_path, ("Not Ann", ANN), ("Ann", CLEO))  # by key, whatever the name
    assert again.said(ANN, "hello") is None
    assert again.said(CLEO, "hello").text == "hello"
    assert not again.people(rows(("Ann", ANN)), []).came
    again.ignored.remove(ANN)
    assert roster(tmp_path, ("Ann", ANN)).said(ANN, "hello")


def test_company_lists_are_bounded(tmp_path):
    made = LobbyRoster(OWN, MuteList(tmp_path))
    keys = [bytes([1, *divmod(number, 256)]) + bytes(29) for number in range(MAX_PRESENT + 1)]
    made.people([["Ann", key, 0] for key in keys[:MAX_PRESENT]], [])
    for key in keys[:100]:
        made.asked(key, table_id="table-1")
    assert [call.guest.key for call in made.calls] == keys[100 - MAX_CALLS_SHOWN : 100]
    assert made.find("Ann") is None  # ambiguous
    with pytest.raises(RemoteError) as refused:
        made.people(rows(("Ann", keys[-1])), [])
    assert refused.value.code is Code.BAD_MESSAGE
    assert made.said(keys[-1][::-1], "from nobody") is None


def test_mute_list_overflow_drops_the_oldest(tmp_path):
    ignored = MuteList(tmp_path)
    for number in range(MAX_IGNORED):
        ignored._names[str(number)] = ""
    ignored.add(ANN, "Ann")
    assert len(ignored._names) == MAX_IGNORED
    assert "0" not in ignored._names
    assert ANN in MuteList(tmp_path)
    (tmp_path / "ignored.json").write_text('{"ignored": [1]}')
    with pytest.raises(LocalError):
        MuteList(tmp_path)


class Printed:
    """Recorded lines of a terminal."""

    lively = False

    def __init__(self):
        self.text = ""

    @asynccontextmanager
    async def open(self, handler):
        self.handler = handler
        yield

    def refresh(self):
        pass

    def print(self, text):
        self.text += text


class AtTable:
    """Visit in which the test plays the table."""

    def __init__(self, tmp_path, seed=1):
        self.lines, self.sent, self.went = Printed(), [], []
        self.screen = LobbyScreen(self.lines, {}, english, default_terms())
        who = replace(environment(seed), tell=self.screen.event)
        own, ignored = who.identity.public, MuteList(tmp_path)
        meeting = Meeting(own, LobbyPresence("Me"), ignored, self.screen.hear, self.went.append)
        self.visit = LobbyClient(who, meeting)
        self.screen.visit = self.visit
        self.attach()

    def attach(self):
        self.phase = ConnectionPhase.GREETING
        self.visit.attach(self._sent, bytes(32))
        self.says("welcome", VERSION, "Table", [])

    def _sent(self, payload):
        name, values = messages.decode(payload, Sender.PLAYER, self.phase)
        self.sent.append((name, *values))
        self.phase = ConnectionPhase.LOBBY  # nothing but `hello` may precede the welcome

    def says(self, name, *values):
        self.visit.received(messages.encode(name, *values))

    def finds(self, text, *rows):
        """Answer a search: None is the first page of all tables."""
        self.says("found", text, 0, 0, len(rows), list(rows), None)

    def shown(self):
        text, self.lines.text = self.lines.text, ""
        return text


def test_entering_lobby_announces_person_after_welcome(tmp_path):
    table = AtTable(tmp_path)
    assert [name for name, *_ in table.sent] == ["hello", "find", "appear"]
    assert "The table reads it too" in table.shown()
    table.screen.typed("say hello  there")
    assert table.sent[-1] == ("talk", "hello there")
    assert "to all and the table: hello there" in table.shown()


def test_talk_is_marked_and_has_no_control_characters(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", [["A\x1b[2Jnn\u202e", ANN, 2]], [])
    table.says("said", ANN, "x\x1b[31m\u202ered\nVerdict: no cheating found")
    text = table.shown()
    assert "\x1b" not in text
    assert "\u202e" not in text
    (line,) = [line for line in text.splitlines() if "red" in line]
    assert line.startswith("  | 1 ")
    assert "to all and the table" in line


def test_invitation_to_shown_terms_is_accepted_by_one_key(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.finds(None, ["main", encode_terms(default_terms()), [], 0])
    table.says("called", ANN, "table-1")
    assert table.sent[-1] == ("find", "table-1", [], 0, 1)
    assert not table.screen.acts("2")
    table.finds("table-1", ["table-1", encode_terms(default_terms()), [["Ann", ANN]], 0])
    assert default_terms().game.name in table.shown()
    assert table.screen.acts("1")
    table.screen.pressed("1")
    (goes,) = table.went
    assert (goes.table_id, goes.terms) == ("table-1", default_terms())
    assert table.sent[-1] == ("vanish",)
    assert not table.visit.finished  # the visit ends when the next connection takes over
    table.visit.detached(Code.TAKEN_OVER)
    assert table.visit.finished


def test_invitation_key_does_not_accept_another_invitation(tmp_path):
    """A person may change an invitation at the last moment, and a table may change its listing."""
    harder = default_terms()._replace(seats=3)
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    nice = ["nice", encode_terms(default_terms()), [], 0]
    nasty = ["nasty", encode_terms(harder), [], 0]
    table.says("called", ANN, "nice")
    table.finds("nice", nice)
    table.says("called", ANN, "nasty")  # the change is not shown yet
    table.screen.pressed("1")
    assert not table.went
    table.finds("nasty", nasty)
    table.finds(None, nice, ["nasty", encode_terms(default_terms()), [], 0])
    table.screen.pressed("1")
    assert not table.went
    table.says("called", ANN, "nasty")
    table.finds("nasty", nasty)
    table.screen.pressed("1")
    (goes,) = table.went
    assert (goes.table_id, goes.terms) == ("nasty", harder)


def test_invitation_to_vanished_table_is_reported_as_gone(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.says("called", ANN, "table-1")
    table.finds("table-1")
    assert "Ann" in (shown := table.shown()) and "table-1" in shown
    table.screen.pressed("1")
    assert not table.went


def test_play_command_creates_table_and_invites_people(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN), ("Bob", BOB)), [])
    table.screen.typed("play ann 2")
    assert table.sent[-1] == ("create", encode_terms(default_terms()))
    table.says("created", "table-7")
    assert table.sent[-3:] == [("call", ANN, "table-7"), ("call", BOB, "table-7"), ("vanish",)]
    assert table.went[0].table_id == "table-7"


def test_refusal_of_another_request_does_not_undo_the_invitation(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.screen.typed("Hello, Ann.")
    table.screen.typed("play ann")
    table.says("error", "too_many")  # of the remark, since strangers talk much
    table.says("created", "table-7")
    assert table.sent[-2:] == [("call", ANN, "table-7"), ("vanish",)]
    assert table.went[0].table_id == "table-7"


def test_rules_are_those_of_own_tables_or_of_an_invitation(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.shown()
    for line in ("rules", "?"):
        table.screen.typed(line)
        assert f"Rules: {default_terms().game.name}" in (shown := table.shown())
        assert shown.endswith('"no WHO".\n')  # and what else can be typed
    table.screen.typed("rules 1")
    assert "Rules:" not in table.shown()
    table.says("called", ANN, "table-1")
    nim = make_terms(
        Selection("nim", (("rows", "4-4"),)), Selection("none"), Allowance().options(), 2
    )
    table.finds("table-1", ["table-1", encode_terms(nim), [], 0])
    table.shown()
    table.screen.typed("rules 1")
    assert "4, 4" in table.shown()
    assert not table.went


@pytest.mark.parametrize(
    ("code", "words"), [("host_only", "fairdeal host"), ("not_offered", "--allow-create any")]
)
def test_forbidden_table_is_refused_with_advice(tmp_path, code, words):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.screen.typed("play ann")
    table.says("error", code)
    shown = table.shown()
    assert "did not work" in shown and words in shown
    table.sent.clear()
    table.screen.typed("play ann")  # the host may have changed the rule meanwhile
    assert table.sent == [("create", encode_terms(default_terms()))]


def test_trade_begins_when_both_agree(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN), ("Bob", BOB)), [])
    table.says("knock", ANN, TRADE)
    table.says("knock", BOB, MATCH)  # a message for people who have agreed on a match
    table.screen.typed("trade 2")
    table.screen.typed("trade 2")  # the question is still open
    assert [entry for entry in table.sent if entry[0] == "open"] == [("open", BOB, TRADE)]
    table.screen.typed("1")
    assert table.sent[-2:] == [("close", BOB, TRADE), ("open", ANN, TRADE)]
    table.screen.typed("trade bob")  # the table may not know that Bob is no longer asked
    assert table.sent[-1] == ("open", ANN, TRADE)
    table.says("closed", BOB, TRADE, None)
    table.says("opened", BOB, TRADE)  # no pipe of ours
    assert not table.went
    table.says("opened", ANN, TRADE)
    assert table.went[0].partner.key == ANN


def test_unwanted_request_is_declined_and_failure_is_reported(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.says("knock", ANN, TRADE)
    table.screen.typed("no 1")
    assert table.sent[-1] == ("close", ANN, TRADE)
    table.screen.typed("trade nobody")
    table.screen.typed("/mute Ann")
    table.says("said", ANN, "still talking")
    assert "still talking" not in table.shown()
    table.screen.typed("trade ann")
    table.says("closed", ANN, TRADE, "too_slow")
    table.says("error", "muted")
    table.says("hidden", "too_many")
    assert table.shown().count("did not work") == 3
    table.says("error", "of another version")
    with pytest.raises(RemoteError):
        table.says("welcome", VERSION + 1, "Table", [])


def test_company_lists_person_again_after_reconnecting(tmp_path):
    table = AtTable(tmp_path)
    table.says("people", rows(("Ann", ANN)), [])
    table.says("called", ANN, "table-1")
    table.visit.detached(Code.CUT_OFF)
    assert not table.visit.finished
    assert not table.visit.meeting.roster.guests
    table.screen.typed("say anybody?")
    assert table.sent[-1][0] != "talk"
    table.sent.clear()
    table.attach()
    assert [name for name, *_ in table.sent] == ["hello", "find", "appear"]
    assert [call.table_id for call in table.visit.meeting.roster.calls] == ["table-1"]
    table.visit.detached(Code.WRONG_VERSION)
    assert table.visit.finished


@pytest.mark.slow
def test_random_messages_of_a_table_break_nothing(tmp_path):
    rng, table = Random(5), AtTable(tmp_path)
    keys = [ANN, BOB, CLEO, table.visit.environment.identity.public]
    for _ in range(400):
        key, purpose = rng.choice(keys), rng.choice((MATCH, TRADE))
        said = rng.choice(
            [
                ("people", [["x", key, rng.randrange(4)]], rng.sample(keys, rng.randrange(3))),
                ("said", key, rng.choice(["\u0000", "a" * 200, "\u3000"])),
                ("called", key, rng.choice(["main", "\u0007"])),
                ("knock", key, purpose),
                ("opened", key, purpose),
                ("closed", key, purpose, rng.choice([None, "nonsense", "too_many"])),
                (
                    "found",
                    rng.choice([None, "main", "elsewhere"]),
                    *(0, 0, 1),
                    [["main", encode_terms(default_terms()), [], 0]],
                    None,
                ),
                ("error", rng.choice(["nonsense", "too_many"])),
                ("hidden", "closing"),
                ("sent", key, purpose, b"x"),
            ]
        )
        table.says(*said)
        table.screen.typed(
            rng.choice(["", "1", "2", "play 1", "trade 1", "trade 2", "no 1", "/unmute 2", "leav"])
        )
    assert len(table.visit.meeting._unsure) <= MAX_CALLS_SHOWN
    assert "\u0007" not in table.shown()


def table_row(number):
    return [f"table-{number}", encode_terms(default_terms()), [["Ann", ANN]], 0]


def test_tables_are_shown_page_by_page_and_one_is_chosen(tmp_path):
    table = AtTable(tmp_path)
    table.finds(None, table_row(1))
    assert "table-1" not in table.shown()  # nobody has asked for it
    table.screen.typed("more")
    assert "There are no more tables" in table.shown()
    table.screen.typed("tables  ann ")
    assert table.sent[-1] == ("find", "ann", [], 0, TABLES_A_SCREEN)
    table.says("found", "ann", 0, 0, 9, list(map(table_row, range(8))), 8)
    shown = table.shown()
    assert "table-7" in shown and "Tables 1 to 8 of 9." in shown and '"more"' in shown
    table.screen.typed("more")
    assert table.sent[-1] == ("find", "ann", [], 8, TABLES_A_SCREEN)
    table.says("found", "ann", 8, 8, 9, [table_row(8)], None)
    assert "Tables 9 to 9 of 9." in table.shown()
    table.screen.typed("sit table-1")  # of the page before
    assert not table.went and "No table of this name was shown" in table.shown()
    table.screen.typed("sit table-8")
    (goes,) = table.went
    assert (goes.table_id, goes.terms) == ("table-8", default_terms())


def test_search_that_finds_nothing_says_so(tmp_path):
    table = AtTable(tmp_path)
    table.screen.typed("tables nobody")
    table.finds("nobody")
    assert table.shown().endswith("No table fits what you look for.\n")
    table.screen.typed("tables " + "a" * 41)
    assert "41 characters" in table.shown()
