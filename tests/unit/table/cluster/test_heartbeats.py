"""Announcements between hosts as bytes."""

import pytest

from protocol import wire
from protocol.errors import RemoteError
from protocol.limits import MAX_BEAT, MAX_SEATS
from protocol.match.terms import encode_terms
from table.cluster.heartbeats import (
    Heartbeat,
    Host,
    MatchLoad,
    NewestHeartbeats,
    decode_heartbeat,
    encode_heartbeat,
)
from table.config import default_terms
from table.lobby.bans import Ban, Target

TERMS = encode_terms(default_terms())
ROWS = (
    MatchLoad("main", TERMS, [["Ann", b"a" * 32]], b"", ()),
    MatchLoad("table-1", None, [], b"m" * 32, (b"12345678", b"abcdefgh")),
)
HEADS = (NewestHeartbeats(b"m" * 32, 7, (b"h" * 64, b"i" * 64)),)
BEAT = Heartbeat(
    Host("a", "127.0.0.1:7500", "r"),
    b"12345678",
    True,
    ROWS,
    (b"creators",),
    ((b"g" * 32, "b"),),
    (b"w" * 32,),
    HEADS,
)


def test_beat_round_trips():
    assert decode_heartbeat(encode_heartbeat(BEAT)) == BEAT


def test_beat_with_most_seats_round_trips_and_one_more_is_refused():
    for more in (0, 1):
        people = [[f"P{seat}", bytes([seat]) * 32] for seat in range(MAX_SEATS + more)]
        seats = tuple(bytes([seat]) * 8 for seat in range(MAX_SEATS))
        terms = [*TERMS[:-1], MAX_SEATS]
        beat = BEAT._replace(rows=(MatchLoad("table-1", terms, people, b"m" * 32, seats),))
        if more:
            with pytest.raises(RemoteError):
                decode_heartbeat(encode_heartbeat(beat))
        else:
            assert decode_heartbeat(encode_heartbeat(beat)) == beat


def test_unknown_fields_of_later_programs_are_ignored():
    value = wire.decode(encode_heartbeat(BEAT))
    assert decode_heartbeat(wire.encode([*value, ["anything"], 7])) == BEAT
    with pytest.raises(RemoteError):
        decode_heartbeat(wire.encode(value[:-3]))


@pytest.mark.parametrize("lacking", [1, 2])
def test_heartbeat_of_earlier_program_is_read(lacking):
    """Without strays, and without bans."""
    value = wire.decode(encode_heartbeat(BEAT))
    assert decode_heartbeat(wire.encode(value[:-lacking])) == BEAT


def test_strays_come_back_from_a_heartbeat():
    beat = BEAT._replace(strays=((b"m" * 32, b"s" * 8),))
    assert decode_heartbeat(encode_heartbeat(beat)) == beat


def test_bans_come_back_within_a_small_message():
    bans = tuple(Ban(Target("a" * 40), made, made + 5) for made in range(1000))
    beat = BEAT._replace(bans_digest=b"d" * 8, bans=bans)
    assert decode_heartbeat(encode_heartbeat(beat)) == beat
    small = decode_heartbeat(encode_heartbeat(beat, 40_000))
    assert 64 < len(small.bans) < 1000 and small.bans == bans[: len(small.bans)]


@pytest.mark.parametrize(
    "target", ["", "A" * 16, "a" * 15, "1.2.3", "001.2.3.4", "2001:db8::1", "2001:DB8::/64", "x\n"]
)
def test_ban_of_no_target_is_no_heartbeat(target):
    value = wire.decode(encode_heartbeat(BEAT))
    with pytest.raises(RemoteError):
        decode_heartbeat(wire.encode([*value[:-1], [b"d" * 8, [[target, 1, 2]]]]))


@pytest.mark.slow
def test_oversized_beat_loses_only_rows():
    rows = tuple(
        MatchLoad(f"table-{number}", None, [], b"m" * 32, (b"12345678",) * 4)
        for number in range(6000)
    )
    data = encode_heartbeat(BEAT._replace(rows=rows))
    assert len(data) <= MAX_BEAT
    found = decode_heartbeat(data)
    assert 2000 < len(found.rows) < 6000 and found.rows == rows[: len(found.rows)]
    assert found._replace(rows=()) == BEAT._replace(rows=())
    assert len(encode_heartbeat(BEAT._replace(rows=rows), 100_000)) <= 100_000


@pytest.mark.parametrize(
    "data",
    (
        b"",
        b"\x90",
        b"\xc0",
        encode_heartbeat(BEAT)[:-1],
        encode_heartbeat(BEAT) + b"\0",
        bytes(MAX_BEAT + 1),
        encode_heartbeat(BEAT._replace(run=b"1")),
        encode_heartbeat(BEAT._replace(host=Host("", "", ""))),
        encode_heartbeat(BEAT._replace(host=Host("a", "127.0.0.1:07500", "r"))),
        encode_heartbeat(BEAT._replace(host=Host("a", "x", ""))),
        encode_heartbeat(BEAT._replace(watched=(b"w",))),
        encode_heartbeat(BEAT._replace(heads=(NewestHeartbeats(b"m" * 32, 7, ()),))),
        encode_heartbeat(BEAT._replace(heads=(NewestHeartbeats(b"m" * 32, 7, (b"h" * 63,)),))),
        encode_heartbeat(BEAT._replace(heads=(NewestHeartbeats(b"m" * 32, 7, (b"h" * 64,) * 65),))),
        encode_heartbeat(BEAT._replace(rows=(ROWS[0]._replace(match_id=b"1"),))),
    ),
)
def test_malformed_beat_is_refused(data):
    with pytest.raises(RemoteError):
        decode_heartbeat(data)


def test_released_matches_in_beat_are_bounded():
    given = tuple((number.to_bytes(32, "big"), "a" * 60) for number in range(1000))
    data = encode_heartbeat(BEAT._replace(given=given), 10_000)
    assert len(data) <= 10_000
    found = decode_heartbeat(data)
    assert found.given == given[: len(found.given)] and len(found.given) > 20 and found.rows == ROWS


def test_beats_of_watched_and_signed_heads_are_bounded():
    watched = tuple(number.to_bytes(32) for number in range(1000))
    heads = tuple(NewestHeartbeats(match_id, 1, (b"h" * 64,) * 64) for match_id in watched)
    data = encode_heartbeat(BEAT._replace(watched=watched, heads=heads), 40_000)
    assert len(data) <= 40_000
    found = decode_heartbeat(data)
    assert (
        found.heads == heads[: len(found.heads)] != ()
        and found.watched == watched[: len(found.watched)] != ()
    )
    assert found.rows == ROWS
