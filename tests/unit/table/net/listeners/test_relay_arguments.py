"""Relays on a command line."""

import pytest

from protocol.errors import LocalError
from protocol.identity.address import Address
from table.net.listeners.arguments import parse_relays


def test_relays_are_named_by_urls():
    assert parse_relays(["wss://relay.example.org/", " ws://192.0.2.7:7590/a"]) == (
        Address("relay.example.org", 443, "wss"),
        Address("192.0.2.7", 7590, "ws", "/a"),
    )


@pytest.mark.parametrize(
    "texts",
    [
        ["relay.example.org"],
        ["https://relay.example.org"],
        ["wss://Relay.example.org"],
        ["wss://relay.example.org?a=b"],
        ["wss://relay.example.org", "wss://relay.example.org/"],
        [f"wss://relay{number}.example.org" for number in range(3)],
    ],
)
def test_what_names_no_relay_is_refused(texts):
    with pytest.raises(LocalError, match=r"wrong\.relay\.url"):
        parse_relays(texts)
