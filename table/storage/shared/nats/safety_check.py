"""Is a store safe to sign heads over? What its servers and streams say of themselves, judged.

A server that answers later than it has written loses nothing; one that answers before
(`sync_always: false`, which is the default) lost a seventh of what it had acknowledged when the
power failed (Jepsen, NATS 2.12.1). Before 2.12.3 acknowledged messages could be lost even so, when
a server was taken out of a cluster (issue 7545).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.limits import MAX_ENTRY
from protocol.view.phrase import Phrase, phrase
from table.storage.shared.nats.streams import (
    HOSTS,
    SHARDS,
    all_streams,
    required,
    subjects_of,
)

OLDEST = (2, 12, 3)
# bytes of a message: an entry of any size, with what stands beside it
LEAST_PAYLOAD = MAX_ENTRY + 4096
# nanoseconds: as long NATS itself counts on a copy that says nothing (`lostQuorumInterval`)
SILENT = 10 * 10**9
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})(-.*)?")


@dataclass(frozen=True)
class NatsServer:
    """One of the store's servers, under the address by which the operator named it."""

    address: str
    said: dict[str, Any] | None  # its `/varz`; None: no answer

    @property
    def name(self) -> str | None:
        """What the other servers call it."""
        name = None if self.said is None else self.said.get("server_name")
        return name if isinstance(name, str) else None


def judge(
    servers: Sequence[NatsServer], streams: Mapping[str, dict[str, Any]], shards: int = SHARDS
) -> Phrase | None:
    """What must be changed before heads are signed over what this store acknowledges; None:
    nothing.

    `streams`: what the leader of each says of it. A server that does not answer is passed over if
    the leader of no stream counts on it: it is down, and its turn comes when it is back.
    """
    if wrong := judge_servers(servers):
        return wrong
    for name in all_streams(shards):
        if name not in streams:
            return phrase("wrong.store.missing", stream=name)
        if _at(streams[name], "config", "subjects") != subjects_of(name, shards):
            return phrase("wrong.store.subjects", stream=name)
        if wrong := _stream(name, streams[name]) or _copies(name, streams[name], servers):
            return wrong
    return None


def lagging(
    servers: Sequence[NatsServer], streams: Mapping[str, dict[str, Any]]
) -> set[tuple[str, str]]:
    """Servers, by address, that answer and yet have no whole copy of a stream, and which: if it
    stays so, their disk is full perhaps. A store goes on with two of three, and nobody would notice
    until the next one dies."""
    names = {server.name: server.address for server in servers if server.said is not None}
    found = set()
    for stream, said in streams.items():
        peers = _at(said, "cluster", "replicas")
        for peer in peers if isinstance(peers, list) else []:
            if (
                _at(peer, "current") is False
                and _at(peer, "offline") is not True
                and _at(peer, "name") in names
            ):
                found.add((names[_at(peer, "name")], stream))
    return found


def judge_servers(servers: Sequence[NatsServer]) -> Phrase | None:
    """The same of those servers alone that have answered."""
    for server in servers:
        if server.said is not None and (wrong := _server(server.address, server.said)):
            return wrong
    return None


def _server(address: str, said: dict[str, Any]) -> Phrase | None:
    version = _VERSION.fullmatch(str(said.get("version", "")))
    number = tuple(map(int, version.groups()[:3])) if version else (0,)
    if version is None or number < OLDEST or (number == OLDEST and version[4]):
        shown = ".".join(map(str, number)) if version else "?"
        return phrase(
            "wrong.store.version", server=address, version=shown, oldest=".".join(map(str, OLDEST))
        )
    if _at(said, "jetstream", "config", "sync_always") is not True:
        return phrase("wrong.store.sync", server=address)
    largest = said.get("max_payload")
    if type(largest) is not int or largest < LEAST_PAYLOAD:
        return phrase("wrong.store.payload", server=address, least=LEAST_PAYLOAD)
    return None


def _stream(name: str, said: dict[str, Any]) -> Phrase | None:
    config = _at(said, "config")
    given = config if isinstance(config, dict) else {}
    if given.get("num_replicas") not in (3, 5):
        return phrase("wrong.store.replicas", stream=name)
    for setting, value in (required(name) | {"persist_mode": "default"}).items():
        if given.get(setting, _UNSAID.get(setting)) != value:
            return phrase(
                "wrong.store.setting", stream=name, setting=setting, value=str(value).lower()
            )
    return None


_UNSAID = {
    "allow_direct": False,
    "deny_delete": False,
    "allow_rollup_hdrs": False,
    "max_age": 0,
    "persist_mode": "default",
}


def _copies(name: str, said: dict[str, Any], servers: Sequence[NatsServer]) -> Phrase | None:
    """Whether every server that keeps a copy is one whose settings are known, or one that is
    down.
    """
    answered = {server.name for server in servers if server.said is not None}
    peers = _at(said, "cluster", "replicas")
    holders = [_at(said, "cluster", "leader")]
    holders += [
        _at(peer, "name") for peer in (peers if isinstance(peers, list) else []) if not _down(peer)
    ]
    if any(holder not in answered for holder in holders) and name != HOSTS:
        silent = [server.address for server in servers if server.said is None]
        return phrase("wrong.store.monitor", stream=name, servers=", ".join(silent) or "–")
    return None


def _down(peer: object) -> bool:
    """Whether a leader counts on this copy no more.

    Only a server that was stopped is called offline at once; one that died without a word is for up
    to four minutes not. Then it is not current, and it is so long that the leader heard of it; or
    0, if it never has since it leads.
    """
    silent = _at(peer, "active")
    gone = (
        _at(peer, "current") is False and type(silent) is int and (silent == 0 or silent > SILENT)
    )
    return gone or _at(peer, "offline") is True


def _at(value: object, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
