"""A replay from a seat's view shows exactly what that seat's program knew at each entry."""

import json
from functools import cache

import pytest

from protocol.audit.entry_fields import field_names
from protocol.audit.history import MatchHistory
from protocol.audit.knowledge_matrix import apply_entry_facts
from protocol.audit.replay_frames import (
    ALL_SEATS,
    HASH_DIGITS,
    replay_data,
    replay_frame,
    step_marks,
)
from protocol.audit.report_text import match_phrase_renderer
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.i18n import english
from protocol.match.log import NO_HASH, EntryContent, make_entry
from protocol.match.log_file import MAGIC, count_records, encode_record
from protocol.match.seat_view import view_of
from protocol.view.encoding import encode_with_sentences
from tests.golden.play import rest_of, started
from tests.golden.scenarios import SCENARIOS
from tests.support import log_files

pytestmark = pytest.mark.match

# Every dealing with all its events: hands that stay hidden, draws, exchanges, leavers, lapses,
# lies.
PLAYED = (
    "draw layered",
    "draw verified",
    "draw commutative no table",
    "five-card-draw verified threshold",
    "five-card-draw commutative",
    "holdem verified",
    "holdem commutative",
    "holdem leaver",
    "draw leaver is fatal",
    "draw leaver while drawing",
    "block turn lapses",
    "block false pass",
    "block bad key",
    "block table deals a tile twice",
    "draw table spoils a draw",
    "draw bad key protested",
)
# a seat receives a piece there that it cannot read: the replay shows a back
SPOILT = "draw table spoils a draw"


@cache
def played(name):
    """Return the bytes of a log, and the knowledge of each seat's program after every entry."""
    match, moments = started(SCENARIOS[name])
    moments = [*moments, *rest_of(match)]
    return MAGIC + b"".join(
        encode_record(record.entry, record.head) for record in match.live.records
    ), moments


@pytest.mark.parametrize("name", PLAYED)
def test_history_of_seat_shows_what_its_program_knew(name):
    data, moments = played(name)
    history = MatchHistory(data).read()
    for number, moment in enumerate(moments, 1):
        for seat, hand in moment.hands.items():
            seen = history.hand(number, seat)
            assert tuple(piece for piece in seen if piece is not None) == tuple(
                p for p in hand if p in seen
            )
            assert len(seen) == len(hand) or (
                name == SPOILT and len(seen) > len(hand) and None in seen
            )
            if None not in seen:
                say, view = match_phrase_renderer(moment.after), view_of(moment.after, seat, hand)
                assert replay_frame(history, number, seat, english)[
                    "view"
                ] == encode_with_sentences(view, say)


def test_history_hides_unopened_cards_and_shows_opened_ones():
    hidden, known = (
        MatchHistory(played("holdem verified")[0]).read(),
        MatchHistory(played("holdem commutative")[0]).read(),
    )
    folded = [hidden.hand(number, seat) for number in range(len(hidden.steps)) for seat in range(3)]
    assert any(folded) and {piece for hand in folded for piece in hand} == {None}, (
        "all but one fold in it"
    )
    assert all(
        None not in known.hand(number, seat)
        for number in range(len(known.steps))
        for seat in range(3)
    )
    for number in range(len(hidden.steps)):
        shown = replay_frame(hidden, number, 0, english)
        backs = [piece for piece in shown["view"]["hand"] if piece["faces"] is None]
        assert len(backs) == len(hidden.hand(number, 0)) and (
            not backs or shown["view"]["offers"] == []
        )
        assert bool(shown["unopened"]) == bool(backs)


def test_history_spectator_sees_no_hand_and_everything_sees_all():
    data, moments = played("draw layered")
    history = MatchHistory(data).read()
    for number, moment in enumerate(moments, 1):
        looking = replay_frame(history, number, None, english)
        assert (
            looking["view"]
            == encode_with_sentences(view_of(moment.after), match_phrase_renderer(moment.after))
            and looking["hands"] is None
        )
        hands = replay_frame(history, number, ALL_SEATS, english)["hands"]
        assert [tuple(piece["index"] for piece in hand) for hand in hands] == [
            moment.hands[seat] for seat in range(3)
        ]


def test_history_guesses_nothing_while_deal_is_unread():
    data, moments = played("draw layered")
    whole, partly = MatchHistory(data).read(), MatchHistory(data)
    for number in range(1, len(moments), 7):
        partly.read(number)
        for seat in range(3):
            early, late = partly.hand(number, seat), whole.hand(number, seat)
            assert len(early) == len(late) and {*early} <= {*late, None}
    assert not partly.is_complete and partly.read(10**6).is_complete


@pytest.mark.parametrize("name", PLAYED)
def test_history_and_frames_are_plain_data_with_named_fields(name):
    data, _ = played(name)
    history = MatchHistory(data).read()
    told = data_of(history, count_records(data))
    assert (
        told["read"] == told["entries"] == len(history.steps)
        and json.loads(json.dumps(told)) == told
    )
    for step in history.steps:
        shown = replay_frame(history, step.number, 0, english)
        assert (
            json.loads(json.dumps(shown))["entry"]["head"]
            == history.replay.reader.log.chain_hashes[step.number].hex()[:HASH_DIGITS]
        )
        if step.entry is not None:
            names = field_names(step.after.setup.terms.dealing.name, step.entry.kind)
            assert [name for name, _ in shown["entry"]["body"]] == list(names)[
                : len(step.entry.body)
            ]
            assert len(names) == len(step.entry.body)


def data_of(history, entries=0):
    marks = [mark for step in history.steps for mark in step_marks(step, english)]
    return replay_data(history, entries, marks, english)


def test_history_marks_are_at_important_entries():
    told = data_of(MatchHistory(played("block turn lapses")[0]).read(), 0)
    kinds = {mark["kind"] for mark in told["marks"]}
    assert {"deal", "move", "result", "clock"} <= kinds and "fault" not in kinds
    assert told["deals"][0][0] == 1 and told["verdict"]["clean"]
    assert any("Dealing hand 1." in mark["text"] for mark in told["marks"])


def test_history_marks_fault_at_its_entry_and_its_discovery():
    history = MatchHistory(played("block false pass")[0]).read()
    told = data_of(history, 0)
    first = told["faults"][0]
    assert (first["seat"], first["code"], first["section"]) == (1, Code.FALSE_PASS, "11.12")
    assert "the seat passed although it could have played" in first["text"]
    assert {"entry": first["entry"], "kind": "fault", "text": first["text"]} in told["marks"]
    found = next(step.number for step in history.steps if step.faults)
    assert found > first["entry"]
    for number in (first["entry"], found):
        assert first in replay_frame(history, number, None, english)["faults"]
    assert replay_frame(history, 3, None, english)["faults"] == []


def test_history_of_truncated_or_damaged_log_goes_until_damage():
    data, _ = played("draw layered")
    whole = MatchHistory(data).read()
    short = MatchHistory(data[:-10]).read()
    told = data_of(short, count_records(data[:-10]))
    assert told["read"] == told["entries"] == len(whole.steps) - 1 and not told["verdict"]["clean"]
    assert told["verdict"]["lines"][0].startswith("incomplete")
    middle = len(data) // 2
    spoilt = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    told = data_of(MatchHistory(spoilt).read(), count_records(spoilt))
    assert 0 < told["read"] < len(whole.steps) and told["verdict"]["lines"][0].startswith(
        "unreadable"
    )
    told = data_of(MatchHistory(b"no log").read(), 0)
    assert (
        told["read"] == 0
        and told["seats"] == []
        and told["verdict"]["lines"][0].startswith("unreadable")
    )


@pytest.mark.parametrize("name", ["draw layered", "holdem leaver", "draw verified"])
def test_history_at_entry_is_independent_of_direction(name):
    data, _ = played(name)
    history, known = MatchHistory(data).read(), None
    jumped = [
        MatchHistory(data).read().knowledge_after(number)
        for number in range(0, len(history.steps), 9)
    ]
    for step in history.steps:
        known, facts = apply_entry_facts(known, step.before, step.entry, step.after)
        assert history.knowledge_after(step.number) == (known, facts)
        if step.number % 9 == 0:
            assert jumped[step.number // 9] == (known, facts)


@pytest.mark.parametrize("number", [3, 9, 60])
def test_history_shows_impossible_entry_as_written(number):
    """The table has signed it: an invalid entry, an entry of a missing seat, or one of an unknown
    kind.
    """
    offline = log_files.played()
    log, table, author = offline.live.log, offline.live._identity, offline.seats[0]._identity
    odd = [
        b"no entry",
        make_entry(
            table,
            log.match_id,
            EntryContent(255, 1, (0, NO_HASH), "nonsense\n<b>", [1, b"x" * 500, ["a", []]]),
        ),
        make_entry(author, log.match_id, EntryContent(200, 99, (0, NO_HASH), "commit", [])),
    ]
    data, before = log_files.first_records(offline.file(), number), log.chain_hashes[number - 1]
    for at, raw in enumerate(odd, number):
        before = digest("chain", before, at, raw)
        data += encode_record(raw, table.sign("head", log.match_id, at, before))
    history = MatchHistory(data).read()
    assert data_of(history)["faults"][0]["seat"] is None
    for side in (None, ALL_SEATS, 0, 1):
        shown = [replay_frame(history, number + at, side, english)["entry"] for at in range(3)]
        assert [entry["kind"] for entry in shown] == [
            "",
            "nonsense\N{REPLACEMENT CHARACTER}<b>",
            "commit",
        ]
        assert [entry["author"] for entry in shown] == [None, None, 200]
        assert [value for _, value in shown[1]["body"]] == ["1", "78787878… (500 bytes)", "[a, []]"]
        assert "does not belong in any log" in shown[1]["meaning"]
