"""Requirements of a NATS store: each wrong setting is named."""

import copy

import pytest

from protocol.errors import LocalError
from table.storage.shared.nats.safety_check import LEAST_PAYLOAD, NatsServer, judge, lagging
from table.storage.shared.nats.store_address import parse_address
from table.storage.shared.nats.streams import (
    CHOICES,
    HOSTS,
    STREAMS,
    configuration,
    match_streams,
    parts_of,
    shards_of,
    stream_of,
    subjects_of,
)
from tests.support.errors import raises_text

PEERS = [{"name": "n1", "current": True}, {"name": "n2", "current": True}]
STREAM = {
    name: {"config": configuration(name), "cluster": {"leader": "n0", "replicas": PEERS}}
    for name in STREAMS
}


def varz(place, version="2.15.1", sync=True, payload=1 << 20):
    return {
        "server_name": f"n{place}",
        "version": version,
        "jetstream": {"config": {"sync_always": sync}},
        "max_payload": payload,
    }


def servers(*said):
    rest = [varz(place) for place in range(len(said), 3)]
    return [NatsServer(f"10.0.0.{place}:4222", each) for place, each in enumerate((*said, *rest))]


def streams(name=STREAMS[2], replicas=PEERS, **changed):
    found = copy.deepcopy(STREAM)
    found[name]["config"] |= changed
    found[name]["cluster"]["replicas"] = replicas
    return found


def wrong(servers, streams):
    found = judge(servers, streams)
    return None if found is None else found.key.removeprefix("wrong.store.")


@pytest.mark.parametrize("shards", CHOICES)
def test_each_part_of_the_matches_has_one_stream(shards):
    subjects = [each for name in match_streams(shards) for each in subjects_of(name, shards)]
    assert sorted(subjects) == sorted(f"m.{part}.*" for part in range(parts_of(shards)))
    for part in range(parts_of(shards)):
        subject = f"m.{part}.x"
        assert f"m.{part}.*" in subjects_of(stream_of(subject, shards), shards)
    assert shards_of(configuration("fairdeal-0", shards)) == shards


def test_streams_of_another_division_are_refused():
    """As with another number of shards. What says nothing is a store of eight."""
    assert shards_of({"subjects": ["m.0.*"]}) == 8 and shards_of(None) == 8
    for said in ("3", "", 4):
        assert shards_of({"metadata": {"fairdeal-shards": said}}) is None
    assert wrong(servers(), streams("fairdeal-3", subjects=["m.2.*"])) == "subjects"
    assert judge(servers(), streams(), 4).key == "wrong.store.subjects"
    assert judge(servers(), streams(), 16).key == "wrong.store.missing"


def test_streams_made_by_us_are_safe():
    assert wrong(servers(), streams()) is None
    assert wrong(servers(varz(0, "2.12.3", payload=LEAST_PAYLOAD)), streams(num_replicas=5)) is None


@pytest.mark.parametrize(
    ("said", "key"),
    (
        (varz(0, "2.12.2"), "version"),
        (varz(0, "2.12.3-RC.1"), "version"),
        (varz(0, "dev"), "version"),
        (varz(0, "1" * 9), "version"),
        ({"version": None}, "version"),
        (varz(0, sync=False), "sync"),
        (varz(0, sync="true"), "sync"),
        (varz(0, payload=LEAST_PAYLOAD - 1), "payload"),
        (varz(0, payload=None), "payload"),
        ({"version": "2.15.1", "server_name": "n0", "jetstream": []}, "sync"),
    ),
    ids=str,
)
def test_unsafe_server_is_refused(said, key):
    assert wrong(servers(said), streams()) == key


@pytest.mark.parametrize(
    ("changed", "key"),
    (
        ({"num_replicas": 1}, "replicas"),
        ({"num_replicas": 2}, "replicas"),
        ({"storage": "memory"}, "setting"),
        ({"deny_delete": False}, "setting"),
        ({"discard": "old"}, "setting"),
        ({"retention": "workqueue"}, "setting"),
        ({"max_msgs": 10}, "setting"),
        ({"max_bytes": 10}, "setting"),
        ({"max_age": 10}, "setting"),
        ({"max_msgs_per_subject": 10}, "setting"),
        ({"allow_direct": True}, "setting"),
        ({"allow_rollup_hdrs": True}, "setting"),
        ({"persist_mode": "async"}, "setting"),
    ),
    ids=str,
)
def test_unsafe_stream_is_refused(changed, key):
    assert wrong(servers(), streams(**changed)) == key


def test_missing_stream_is_named():
    assert wrong(servers(), {name: STREAM[name] for name in STREAMS[:-1]}) == "missing"


def test_seeds_must_be_deletable_and_nothing_else():
    assert wrong(servers(), streams("fairdeal-seeds", deny_delete=True)) == "setting"
    assert wrong(servers(), streams(HOSTS, deny_delete=True)) is None


SECOND = 10**9  # nanoseconds


def with_copy(**said):
    """Return all streams, where the leader reports this about one copy of one stream."""
    peers = [PEERS[0], {"name": "n2", **said}]
    return {
        name: its | {"cluster": {"leader": "n0", "replicas": peers}} for name, its in STREAM.items()
    }


def test_every_stream_copy_is_on_known_server():
    stranger = [*PEERS, {"name": "n3", "current": True}]
    assert wrong(servers(), streams(replicas=stranger)) == "monitor"


@pytest.mark.parametrize(
    ("said", "key"),
    (
        ({"current": True}, "monitor"),
        ({"current": False}, "monitor"),
        ({"current": False, "active": 9 * SECOND}, "monitor"),
        ({"current": True, "active": 11 * SECOND}, "monitor"),
        ({"current": True, "active": 0}, "monitor"),
        ({"current": False, "active": -SECOND}, "monitor"),
        ({"current": False, "active": "0"}, "monitor"),
        ({"current": False, "offline": True}, None),
        ({"current": False, "active": 11 * SECOND}, None),  # the server died silently
        ({"current": False, "active": 0}, None),  # the same, and it was the leader
    ),
    ids=str,
)
def test_stream_copy_may_be_on_dead_server(said, key):
    silent = [NatsServer("a:1", varz(0)), NatsServer("b:1", varz(1)), NatsServer("c:1", None)]
    assert wrong(silent, with_copy(**said)) == key


def test_check_names_server_without_a_complete_copy():
    behind = [{"name": "n1", "current": False}, PEERS[1]]
    down = [{"name": "n1", "current": False, "offline": True}, PEERS[1]]
    assert lagging(servers(), streams(replicas=behind)) == {("10.0.0.1:4222", STREAMS[2])}
    assert lagging(servers(), streams(replicas=down)) == lagging(servers(), streams()) == set()


@pytest.mark.parametrize(
    "text",
    (
        "nats://a",
        "nats://a:1,b:2,c:3",
        "tls://a:1,b:2?monitor=1,2",
        "nats://[::1]:4222?monitor=1",
        "nats://a?login=x&ca=y&cert=z&key=w",
        "nats://a?shards=16",
    ),
)
def test_valid_nats_addresses_are_accepted(text):
    address = parse_address(text)
    assert len(address.hosts) == len(address.monitors) == len(address.urls)


@pytest.mark.parametrize(
    "text",
    (
        "",
        "a:4222",
        "http://a",
        "nats://",
        "nats://a,",
        "nats://u:p@a",
        "nats://a/b",
        "nats://a:x",
        "nats://a,b,c?monitor=1,2",
        "nats://a?monitor=x",
        "nats://a?unsafe=1",
        "nats://a?shards=3",
        "nats://a?shards=128",
        "nats://a?shards=",
        "nats://a?creds=x",
    ),
)
def test_invalid_nats_addresses_are_refused(text):
    with raises_text(LocalError, match="named like this"):
        parse_address(text)


def test_login_file_readable_by_others_is_refused(tmp_path):
    login = tmp_path / "login"
    login.write_text("host:secret\n")
    address = parse_address(f"nats://a?login={login}")
    for mode in (0o640, 0o604):
        login.chmod(mode)
        with raises_text(LocalError, match="chmod 600") as caught:
            address.credentials()
        assert "secret" not in str(caught.value)
    login.chmod(0o600)
    assert address.credentials() == ("host", "secret")
