"""Events of a match as data for screens."""

import pytest

from player.client.events import Happened
from player.presenter.match_data import deeds_data
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import step_marks
from protocol.i18n import english
from protocol.match.log_reader import LogReader
from tests.support.offline import make_offline


@pytest.mark.match
def test_flips_of_ligretto_are_minor_and_cards_are_not():
    offline = make_offline(2, 3, "ligretto", {"rounds": 1, "row": 5}, dealing="verified")
    offline.bots = ("random",)
    reader = LogReader(offline.live.records[0].entry, offline.live.records[0].head)
    minor: dict[str, set[bool]] = {"flip": set(), "lay": set()}
    while min(map(len, minor.values())) == 0:
        assert sum(offline.step(seat) for seat in offline.seats)
        for record in offline.live.records[reader.log.next_number :]:
            before = reader.match
            entry = reader.feed(record.entry, record.head)
            for deed in deeds_data(Happened(before, entry, reader.match), None, english):
                if deed["kind"] == "move":
                    word = "flip" if "flips" in deed["text"] else "lay"
                    minor[word].add(deed.get("minor", False))
    assert minor == {"flip": {True}, "lay": {False}}


@pytest.mark.match
def test_automatic_actions_of_rule_files_are_minor_and_not_replayed():
    offline = make_offline(2, 3, "element-duel", {}, {"leavers": "threshold"}, dealing="verified")
    offline.play()
    first, *rest = offline.live.records
    reader = LogReader(first.entry, first.head)
    seen: dict[bool, set[str]] = {True: set(), False: set()}
    for record in rest:
        before = reader.match
        entry = reader.feed(record.entry, record.head)
        for deed in deeds_data(Happened(before, entry, reader.match), 0, english):
            seen[deed.get("minor", False)].add(deed["text"])
    technical = ("Your deck is chosen, and sealed.", "Your program turns up cards")
    for words in technical:
        assert any(text.startswith(words) for text in seen[True])
        assert not any(text.startswith(words) for text in seen[False])
    assert any(text.startswith("You turn up ") for text in seen[False])
    history = MatchHistory(offline.file()).read()
    marks = [mark["text"] for step in history.steps for mark in step_marks(step, english)]
    assert marks and not any("sealed" in text or "turns up cards" in text for text in marks)
