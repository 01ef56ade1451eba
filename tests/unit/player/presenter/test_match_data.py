"""Events of a match as data for screens."""

import pytest

from player.client.events import Happened
from player.presenter.match_data import deeds_data
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
