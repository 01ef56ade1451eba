"""The people of a lobby on the page: limits, strangers' texts, and answers to invitations."""

import pytest

from player.lobby.meeting import LobbyPresence, Meeting
from player.storage.mute_list import MuteList
from player.ui.web.lobby.people import LobbyPeople
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.limits import LOBBY_TALK_KEPT, MAX_CALLS_SHOWN
from protocol.match.terms import encode_terms
from protocol.messages.lobby import TRADE
from table.config import default_terms

OWN, ANN, BOB = (bytes([number]) * 32 for number in range(3))


class Stay:
    """People whose table the test plays."""

    def __init__(self, tmp_path, *, wants_seen=True):
        self.sent = []
        self.went = []
        self.wishes = 0
        self.changes = 0
        self.people = LobbyPeople({}, lambda: english, self._changed, wants_seen=wants_seen)
        self.people.on_wish = self._wish
        presence = LobbyPresence("Zoe")
        self.meeting = Meeting(
            OWN, presence, MuteList(tmp_path), self.people.hear, self.went.append
        )
        self.people.meeting = self.meeting

    def begin(self, *rows):
        self.meeting.begin(self.post)
        self.meeting.received("people", [[[name, key, 0] for name, key in rows], []])

    def post(self, *message):
        self.sent.append(message)

    def _changed(self):
        self.changes += 1

    def _wish(self):
        self.wishes += 1

    def ask(self, do, **fields):
        self.people.act({"do": do, **fields})
        return self.people.shown()


def test_nobody_is_seen_before_the_person_wants_to_be(tmp_path):
    stay = Stay(tmp_path, wants_seen=False)
    shown = stay.people.shown()
    assert (shown["wanted"], shown["here"], shown["people"]) == (False, False, [])
    with pytest.raises(LocalError):
        stay.ask("say", text="hello")
    assert stay.ask("appear")["wanted"] and stay.wishes == 1
    assert not stay.sent  # the stay connects, and only then the person appears
    stay.begin(("Ann", ANN))
    assert stay.sent[0][0] == "appear"
    assert not stay.ask("vanish")["wanted"] and stay.wishes == 2


def test_talk_is_bounded_and_has_no_control_characters(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("A\x1b[2Jnn\u202e", ANN))
    for number in range(LOBBY_TALK_KEPT + 5):
        stay.meeting.received("said", [ANN, f"{number}\x1b[31m\u202e"])
    shown = stay.people.shown()
    assert len(shown["talk"]) == LOBBY_TALK_KEPT
    assert shown["talk"][-1]["text"].startswith(str(LOBBY_TALK_KEPT + 4))
    assert not {"\x1b", "\u202e"} & set(str(shown))
    stay.ask("mute", number=1)
    stay.meeting.received("said", [ANN, "still talking"])
    assert "still talking" not in str(stay.people.shown())
    assert stay.people.shown()["people"][0]["muted"]
    stay.ask("unmute", number=1)
    stay.meeting.received("said", [ANN, "heard again"])
    assert "heard again" in str(stay.people.shown())


def test_invitation_of_person_who_left_is_still_accepted(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN), ("Bob", BOB))
    stay.meeting.received("called", [ANN, "table-1"])
    row = ["table-1", encode_terms(default_terms()), [], 0]
    stay.meeting.received("found", ["table-1", 0, 0, 1, [row], None])
    stay.meeting.received("people", [[], [ANN]])  # Ann waits at that table
    (call,) = stay.people.shown()["calls"]
    assert (call["name"], call["game"]) == ("Ann", default_terms().game.name)
    stay.ask("accept", number=call["number"])
    assert [(one.table_id, one.terms) for one in stay.went] == [("table-1", default_terms())]


def test_invitation_without_table_cannot_be_accepted(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN), ("Bob", BOB))
    stay.meeting.received("called", [ANN, "table-1"])
    stay.meeting.received("found", ["table-1", 0, 0, 0, [], None])
    stay.meeting.received("knock", [BOB, TRADE])
    nowhere, trade = stay.people.shown()["calls"]
    assert nowhere["game"] is None and not nowhere["trade"] and trade["trade"]
    for number in (1, 3):
        with pytest.raises(LocalError):
            stay.ask("accept", number=number)
    stay.ask("decline", number=1)
    assert len(stay.ask("decline", number=2)["calls"]) == 0
    assert not stay.went


@pytest.mark.parametrize("asks", [True, False])
def test_two_go_to_a_trade_as_soon_as_both_want_it(tmp_path, asks):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN), ("Bob", BOB))
    if asks:
        shown = stay.ask("trade", number=2)
    else:
        stay.meeting.received("knock", [BOB, TRADE])
        shown = stay.ask("accept", number=2)
    assert stay.sent[-1] == ("open", BOB, TRADE) and not stay.went and not shown["calls"]
    assert [guest["asked"] for guest in shown["people"]] == [False, True]
    stay.meeting.received("opened", [BOB, TRADE])
    assert [where.partner.key for where in stay.went] == [BOB]


def test_refused_trade_is_told_and_can_be_asked_again(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN))
    stay.ask("trade", number=1)
    stay.meeting.received("closed", [ANN, TRADE, str(Code.TOO_SLOW)])
    shown = stay.people.shown()
    assert "a deadline passed" in shown["told"] and not shown["people"][0]["asked"]
    stay.ask("trade", number=1)
    assert [message[0] for message in stay.sent].count("open") == 2


def test_request_to_trade_goes_with_its_muted_partner(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN))
    stay.ask("trade", number=1)
    stay.meeting.received("people", [[["Ann", ANN, 1]], []])  # she wants something else now
    assert stay.people.shown()["people"][0]["asked"]
    assert not stay.ask("mute", number=1)["people"][0]["asked"]
    assert stay.sent[-1] == ("close", ANN, TRADE)
    stay.meeting.received("opened", [ANN, TRADE])  # on its way before
    assert not stay.went


def test_calls_are_bounded_on_the_page(tmp_path):
    stay = Stay(tmp_path)
    keys = [bytes([9, number]) + bytes(30) for number in range(MAX_CALLS_SHOWN + 4)]
    stay.begin(*((f"P{number}", key) for number, key in enumerate(keys)))
    for key in keys:
        stay.meeting.received("called", [key, "table-1"])
    assert len(stay.people.shown()["calls"]) == MAX_CALLS_SHOWN


def test_partners_who_wait_are_told_with_what_they_play(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN), ("Bob", BOB))
    stay.people.partners = frozenset({ANN, BOB})
    stay.people.played = default_terms()
    other = default_terms()._replace(seats=3)
    rows = [
        ("table-1", default_terms(), [["Ann", ANN]], 0),
        ("table-2", other, [["Ann", ANN], ["Bob", BOB]], 0),
        ("table-3", other, [["Ann", ANN], ["Bob", BOB]], 5),
    ]
    stay.people.find_partners(rows)
    shown = stay.people.shown()["waiting"]
    assert (shown["names"], shown["seats"], shown["same"]) == (["Ann", "Bob"], 3, False)
    assert stay.people.waiting.table_id == "table-2"
    stay.people.find_partners(rows, "table-2")  # the person sits there
    shown = stay.people.shown()["waiting"]
    assert (shown["names"], shown["same"]) == (["Ann"], True)
    stay.ask("mute", number=2)
    stay.people.find_partners(rows)
    assert stay.people.shown()["waiting"]["names"] == ["Ann"]
    stay.people.find_partners(rows[:1])
    # an invitation to that table says the same
    stay.meeting.received("called", [ANN, "table-1"])
    assert stay.people.shown()["waiting"]["names"] == []


def test_refusal_of_the_table_is_told_until_next_request(tmp_path):
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN))
    stay.meeting.refused(Code.TOO_MANY)
    assert "did not work" in stay.people.shown()["told"]
    assert stay.ask("say", text="slower")["told"] == ""


def test_meeting_ignores_end_of_older_connection(tmp_path):
    """The seat's connection takes over from that of the lobby, whose end may come later."""
    stay = Stay(tmp_path)
    stay.begin(("Ann", ANN))
    newer = []
    stay.meeting.begin(lambda *message: newer.append(message))
    stay.meeting.received("people", [[["Ann", ANN, 0]], []])
    stay.meeting.end(stay.post)
    assert stay.meeting.is_here and len(stay.people.shown()["people"]) == 1
    stay.ask("say", text="hello")
    assert newer[-1] == ("talk", "hello")
