"""Each event of a client is plain data, with its name, for a screen whose reader is a program."""

import json
from typing import get_args

import pytest

from player.client import events
from player.presenter.event_data import event_data, event_name
from protocol.codes import Code
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.match.log_reader import LogReader
from protocol.view.phrase import phrase
from tests.support.offline import make_offline

STEERING = "\x1b[2Jhi\u202e"


def samples():
    """Return an event of each class."""
    offline = make_offline(2)
    offline.play(80)
    first, *rest = offline.live.records
    reader = LogReader(first.entry, first.head)
    for record in rest:
        before = reader.match
        entry = reader.feed(record.entry, record.head)
        match = reader.match
        if entry.kind == "move":
            break
    terms = match.setup.terms
    people = match.setup.people
    row = ("main", terms, [[one.name, one.identity] for one in people], 1)
    return [
        events.Welcomed("Ann's", bytes(32)),
        events.Listed((row,), BUILT_IN),
        events.Offered("main", terms),
        events.Waiting("main", 2, people),
        events.Started(match, 0),
        events.Happened(before, entry, match),
        events.Recalled(0, before, entry, match),
        events.Roster(match, bytes(32)),
        events.YourTurn(match, (("pass",),)),
        events.Said(1, STEERING),
        events.Presence(match, (1,), ()),
        events.Trips(match),
        events.Waited({1: (3, 2.5)}),
        events.Unheard(1),
        events.Declined(Code.NOT_OFFERED),
        events.Notice(phrase("web.more")),
        events.Announced(STEERING),
    ]


def test_samples_have_every_event():
    assert {type(event) for event in samples()} == set(get_args(events.Event))


@pytest.mark.parametrize("event", samples(), ids=event_name)
def test_event_is_plain_data_with_its_name(event):
    told = event_data(event, 0, {}, english)
    assert json.loads(json.dumps(told)) == told
    assert told["event"] == event_name(event)
    bare = isinstance(event, events.YourTurn | events.Trips)
    assert (len(told) > 1) is not bare


def test_words_of_others_do_not_steer():
    for event in (events.Said(1, STEERING), events.Announced(STEERING)):
        told = str(list(event_data(event, 0, {}, english).values()))
        assert "hi" in told and "\\x1b" not in told and "\\u202e" not in told


def test_name_has_the_words_of_the_class():
    assert event_name(events.YourTurn(None, ())) == "your_turn"
