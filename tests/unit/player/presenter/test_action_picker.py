"""A person plays by keys while others act: the drawing, the effect of a key, and the messages about
it.
"""

import asyncio
from random import Random
from types import SimpleNamespace

import pytest

from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.presenter.action_picker import ActionPicker
from player.ui.terminal.terminal_screen import TerminalScreen
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.i18n import load_translator
from protocol.identity.keys import Identity
from protocol.match.log import decode_entry
from protocol.match.log_reader import LogReader
from protocol.match.state import MatchStage
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Sender
from protocol.view.phrase import phrase
from tests.integration.guest_games.test_simultaneous_programs import Table
from tests.support.offline import make_offline
from tests.support.refusals import refused
from tests.unit.player.ui.terminal.test_terminal_screen import Paper


class Sitting(TableClient):
    """Client with a match of the test; its messages wait until the test delivers them."""

    def __init__(self, table, tell):
        super().__init__(Plan("Ann"), Environment(Identity(b"z" * 32), Random(1), Seat, None, tell))
        self.playing, self.sent = table.programs[0], []
        self.attach(self.sent.append, b"")
        self.sent.clear()  # the greeting
        self._protocol.phase = ConnectionPhase.SEATED


def lapse(live, seat):
    """Let the time of this seat run out by the table's entry."""
    for due in iter(lambda: live.match.next_clock_entry(seat), None):
        live.post_clock(Post(due.kind, [seat, due.after]))
        if due.kind == "lapse":
            return


class Hall:
    """Match in which Ann sits at a terminal and the test moves Bob and delivers all messages."""

    def __init__(self, lively=True, language="en"):
        self.paper = Paper()
        self.paper.lively, self.typing = lively, False
        self.terminal = TerminalScreen({}, self.paper, load_translator(language))
        self.table = Table("quick grab", 2, 1, person=0)
        while self.table.live.match.stage is not MatchStage.PLAYING:
            assert self.table.round()
        self.other = self.table.programs[1]
        self.client = Sitting(self.table, self.terminal.hear)
        self.table.told.clear()
        self.terminal.follow(self.client)
        self.terminal.hear(events.Started(self.table.live.match, 0))
        self.go_on()

    def go_on(self):
        """Deliver the logged entries."""
        self.table.send_out()
        self.tell()
        self.client.go_on()
        self.tell()

    def tell(self):
        told, self.table.told[:] = list(self.table.told), []
        for event in told:
            self.terminal.hear(event)

    def press(self, key):
        assert self.terminal.acts(key)
        self.terminal.pressed(key)

    def arrive(self):
        """Deliver the sent entry to the table and everybody; return its action."""
        name, values = messages.decode(
            self.client.sent.pop(0), Sender.PLAYER, ConnectionPhase.SEATED
        )
        assert name == "post"
        self.table.live.offer(values[1], 0)
        self.go_on()
        return decode_entry(values[1]).body[0] if decode_entry(values[1]).body else None

    def bob_takes(self, thing, *, seen=True):
        seat, reader = self.other.seat, self.other.reader
        self.table.live.offer(seat.entry(reader.log, seat.move(reader.match, ("take", thing))), 1)
        if seen:
            self.go_on()

    @property
    def shown(self):
        return "\n".join(
            "".join(text for _, text in line) for line in self.terminal.picture(self.typing)
        )


async def test_key_acts_at_once_and_shows_pending_then_done():
    hall = Hall()
    assert "[3] take thing 3" in hall.shown and "[0] take thing 1" not in hall.shown, (
        "a key of its own comes first"
    )
    hall.press("3")
    assert "Take thing 3: under way" in hall.shown and len(hall.client.sent) == 1
    assert hall.arrive() == ["take", 2]
    assert "Take thing 3: done." in hall.shown and "[3]" not in hall.shown


async def test_key_with_several_offers_takes_the_first():
    hall = Hall()
    hall.bob_takes(0)
    hall.press("0")
    assert hall.arrive() == ["take", 1]


async def test_overtaken_action_is_reported_late_and_made_again():
    hall = Hall()
    hall.press("3")
    hall.bob_takes(2, seen=False)
    hall.arrive()
    assert (
        "Take thing 3: too late" in hall.shown and "[3]" not in hall.shown and "[4]" in hall.shown
    )
    hall.press("4")
    assert hall.arrive() == ["take", 3] and hall.table.live.match.late_counts == (1, 0)


async def test_choices_change_while_others_act_and_print_nothing():
    hall = Hall()
    before = hall.paper.printed
    for thing in (0, 1):
        hall.bob_takes(thing)
    assert not {"[1]", "[2]"} & set(hall.shown.split()) and "Left: thing 3 thing 4" in hall.shown
    assert hall.shown.count("Bob: ") == 2 and hall.paper.printed == before


async def test_key_without_action_is_explained_and_sends_nothing():
    hall = Hall()
    hall.bob_takes(2)
    hall.press("3")
    assert "[3] does nothing now." in hall.shown and hall.client.sent == []
    assert not hall.terminal.acts("x") and not hall.terminal.acts(" "), "which are for words"


async def test_key_during_pending_action_waits_for_it():
    hall = Hall()
    hall.press("3")
    hall.press("5")
    assert len(hall.client.sent) == 1 and "and then [5]" in hall.shown
    assert hall.arrive() == ["take", 2]
    await asyncio.sleep(0)
    assert "Take thing 5: under way" in hall.shown
    assert hall.arrive() == ["take", 4]


async def test_choice_gone_before_sending_is_reported():
    hall = Hall()
    hall.client._send = None  # the connection is lost
    hall.press("3")
    hall.bob_takes(2, seen=False)
    hall.table.send_out()
    hall.tell()
    hall.client._send = hall.client.sent.append
    hall.go_on()
    assert (
        "Take thing 3: not done, because something else happened first." in hall.shown
        and hall.client.sent == []
    )
    hall.press("4")
    assert hall.arrive() == ["take", 3]


async def test_crossing_action_refusal_is_reported_once_and_repeatable():
    hall = Hall()
    hall.press("3")
    (raw,) = hall.client.sent
    hall.client.sent.clear()
    lapse(hall.table.live, 0)  # like an action of the rules themselves, it must have been seen
    hall.go_on()
    entry = messages.decode(raw, Sender.PLAYER, ConnectionPhase.SEATED).values[1]
    with pytest.raises(Refused) as refusal:
        hall.table.live.offer(entry, 0)
    before = hall.paper.printed
    hall.client._refused(
        hall.table.live.log.match_id, *refused(hall.table.live, entry, refusal.value.code)
    )
    hall.tell()
    assert (
        decode_entry(
            messages.decode(hall.client.sent[0], Sender.PLAYER, ConnectionPhase.SEATED).values[1]
        ).kind
        == "doubt"
    )
    hall.arrive()
    assert (
        "Take thing 3: not done" in hall.shown
        and "refused" not in hall.paper.printed.removeprefix(before)
    )
    hall.press("3")
    assert hall.arrive() == ["take", 2]


async def test_keys_before_any_offer_are_ignored():
    """They would be letters of a word, and a started word disables the keys."""
    hall = Hall()
    hall.press("1")
    hall.arrive()
    hall.press("2")
    hall.arrive()
    for thing in (4, 5):
        hall.bob_takes(thing)
    assert hall.table.live.match.stage is MatchStage.RECEIPTS
    hall.press("3")
    assert [
        messages.decode(raw, Sender.PLAYER, ConnectionPhase.SEATED).name for raw in hall.client.sent
    ] == ["post"]
    assert (
        decode_entry(
            messages.decode(hall.client.sent[0], Sender.PLAYER, ConnectionPhase.SEATED).values[1]
        ).kind
        == "receipt"
    )


async def test_choices_without_prompt_are_typed_with_one_table_each():
    hall = Hall(lively=False)
    assert not hall.terminal.acts("3") and hall.terminal.picture(False) == []
    assert hall.paper.printed.count("Left:") == 1
    hall.bob_takes(2)
    assert hall.paper.printed.count("Left:") == 1 and hall.paper.printed.count("Your turn:") == 2
    hall.terminal.typed("take thing 5")
    assert hall.arrive() == ["take", 4]
    assert hall.paper.printed.count("Left:") == 2


async def test_words_are_typed_beside_the_keys_and_in_german():
    hall = Hall(language="de")
    hall.terminal.typed("hilfe")
    assert "Tasten wirken sofort" in hall.paper.printed
    hall.press("2")
    assert "unterwegs" in hall.shown


async def test_started_typing_explains_why_keys_do_nothing():
    hall = Hall()
    assert "[3]" in hall.shown and "Ctrl-U" not in hall.shown
    hall.typing = True
    assert "[3]" not in hall.shown and "Press Ctrl-U" in hall.shown


def watched(offline, lively):
    """Return a spectator from the first act to the last."""
    paper = Paper()
    paper.lively = lively
    watcher = TerminalScreen({}, paper, watching=True)
    first = offline.live.records[0]
    reader = LogReader(first.entry, first.head)
    following = SimpleNamespace(
        reader=reader, own=None, seat=None, absent=frozenset(), trips={}, leaving=False, live=True
    )
    watcher.follow(SimpleNamespace(playing=following, finished=False, away=False))
    watcher.hear(events.Started(reader.match, None))
    return watcher, reader, paper


@pytest.mark.match
@pytest.mark.parametrize("lively", [False, True])
async def test_spectator_sees_table_after_each_card_and_not_flips(lively):
    offline = make_offline(2, 3, "ligretto", {"rounds": 1, "row": 5}, dealing="verified")
    offline.bots = ("random",)
    watcher, reader, paper = watched(offline, lively)
    while (
        not offline.live.match.over
        and sum(offline.live.match.scores) == 0
        and offline.live.match.next_number < 90
    ):
        assert sum(offline.step(seat) for seat in offline.seats)
        for record in offline.live.records[reader.log.next_number :]:
            before = reader.match
            watcher.hear(
                events.Happened(before, reader.feed(record.entry, record.head), reader.match)
            )
            await asyncio.sleep(0)
    laid = sum(len(pile.cards) for pile in offline.live.match.game.piles)
    flips = len(offline.live.match.action_entries) - laid
    assert flips > 10
    assert (
        paper.printed.count("stock ") == 0
        if lively
        else laid <= paper.printed.count("iles") <= laid + 3
    )
    assert (
        "It is " not in paper.printed
        and ("Piles" in "".join(text for line in watcher.picture(False) for _, text in line))
        is lively
    )


def test_action_of_earlier_round_is_not_reported_later():
    match, picker = make_offline().live.match, ActionPicker("1")
    picker.press((), "1")
    picker.news.append(phrase("match.nobody"))
    entry = decode_entry(make_offline().live.records[0].entry)
    picker.read_entry(events.Happened(match, entry, match), 0)
    assert picker.status is not None and picker.news
    picker.read_entry(events.Happened(match, entry, replace(match, deal_number=1)), 0)
    assert picker.status is None and not picker.news
