"""Unsuitable PostgreSQL databases are refused with a reason and the address, in one line without a
password.
"""

import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from protocol.errors import LocalError
from table.storage.shared.postgres.safety_check import PostgresServer, SafetyReport, judge
from table.storage.shared.postgres.store_address import parse_address
from tests.support.errors import raises_text


def said(timeline=1, waits=True, commit="on", fsync="on", pages="on"):
    return SafetyReport(fsync, pages, commit, waits, timeline == 0, timeline)


def found(*answers, seen=0):
    wrong = judge(
        [PostgresServer(f"n{place}", answer) for place, answer in enumerate(answers)], seen
    )
    return wrong if isinstance(wrong, int) else wrong.key.removeprefix("wrong.store.")


STANDBY = said(timeline=0, waits=False)


@pytest.mark.parametrize(
    ("answers", "seen", "outcome"),
    (
        ((said(waits=False),), 0, 0),
        ((said(), STANDBY), 0, 0),
        ((STANDBY, said(), None), 1, 1),
        ((said(commit="remote_apply"), STANDBY), 0, 0),
        ((said(1), said(2)), 0, 1),  # the old primary has returned
        ((said(2, waits=False), None), 2, 0),  # alone at the moment
        ((None, None), 0, "database"),
        ((STANDBY, None), 0, "standby"),
        ((said(fsync="off"),), 0, "fsync"),
        ((said(pages="off"),), 0, "fsync"),
        ((said(), STANDBY._replace(fsync="off")), 0, "fsync"),
        ((said(commit="off", waits=False),), 0, "commit"),
        ((said(commit="local"),), 0, "commit"),
        ((said(commit="remote_write"),), 0, "commit"),
        ((said(waits=False), STANDBY), 0, "asynchronous"),
        ((said(1), None), 2, "behind"),
        ((said(2), said(2)), 0, "two"),
    ),
)
def test_answers_of_servers_are_judged(answers, seen, outcome):
    assert found(*answers, seen=seen) == outcome


@pytest.mark.parametrize(
    ("text", "servers"),
    (
        ("postgresql://host@one/db", [("one", None)]),
        (
            "postgres://host@one:1,two:2/db?target_session_attrs=read-write",
            [("one", "1"), ("two", "2")],
        ),
        ("postgresql://host@one,two:2/db", [("one", ""), ("two", "2")]),
        ("postgresql://host@/db?host=one,two&port=5433", [("one", "5433"), ("two", "5433")]),
        ("postgresql://host@/db?hostaddr=10.0.0.1,10.0.0.2", [(None, None), (None, None)]),
        ("postgresql:///db", [(None, None)]),
    ),
)
def test_each_server_of_address_is_asked_separately(text, servers):
    places = [conninfo_to_dict(place.conninfo) for place in parse_address(text)]
    assert [(place.get("host"), place.get("port")) for place in places] == servers
    assert all(place["dbname"] == "db" and "target_session_attrs" not in place for place in places)
    assert len({place.name for place in parse_address(text)}) == len(servers)


LATER = [  # secrets that only newer libraries know
    name
    for name in ("oauth_client_secret", "scram_client_key", "scram_server_key")
    if name in {option.keyword.decode() for option in Conninfo.get_defaults()}
]


@pytest.mark.parametrize(
    ("text", "key"),
    (
        ("postgresql://host:secret@one/db", "password"),
        ("postgresql://host@one/db?password=secret", "password"),
        ("postgresql://host@one/db?sslpassword=secret", "password"),
        *((f"postgresql://host@one/db?{name}=secret", "password") for name in LATER),
        ("postgresql://host:secret@one/db?secret=1", "database.address"),
        ("postgresql://host@one,two:x:secret/db", "database.address"),
        ("postgresql://host@/db?host=one,two,three&port=1,2", "database.address"),
        ("postgresql://host@one/db?passfile=/nowhere/secret", "passfile"),
    ),
)
def test_invalid_database_address_is_refused_without_password(text, key):
    with pytest.raises(LocalError) as caught:
        parse_address(text)
    assert caught.value.phrase.key == f"wrong.store.{key}"
    assert key == "passfile" or "secret" not in str(caught.value)


def test_password_file_readable_by_others_is_refused(tmp_path):
    file = tmp_path / "passfile"
    file.write_text("*:*:*:*:secret\n")
    address = f"postgresql://host@one/db?passfile={file}"
    file.chmod(0o640)
    with raises_text(LocalError, match="chmod 600"):
        parse_address(address)
    file.chmod(0o600)
    assert len(parse_address(address)) == 1
