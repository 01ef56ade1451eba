"""Addresses that a directory may make a player's program call."""

import pytest

from protocol.directory.reachable import is_callable
from protocol.identity.address import Address, parse_address_text

PUBLIC = ["93.184.216.34:7500", "[2606:4700::1111]:7500", "wss://relay.example.org/t/abc"]
REFUSED = [
    "127.0.0.1:7500",
    "10.0.0.1:7500",
    "172.16.0.1:7500",
    "192.168.1.1:7500",
    "100.64.0.1:7500",
    "169.254.169.254:7500",
    "0.0.0.0:7500",
    "224.0.0.1:7500",
    "239.255.255.250:7500",
    "255.255.255.255:7500",
    "240.0.0.1:7500",
    "192.0.2.1:7500",
    "198.18.0.1:7500",
    "[::1]:7500",
    "[::]:7500",
    "[fe80::1]:7500",
    "[fc00::1]:7500",
    "[ff02::1]:7500",
    "[64:ff9b::7f00:1]:7500",
    "[2002:7f00:1::]:7500",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]:7500",
    "[2001:db8::1]:7500",
    "localhost:7500",
    "printer:7500",
    "nas.local:7500",
    "db.internal:7500",
    "wss://router.lan/t/abc",
    "1.168.192.in-addr.arpa:7500",
]
PORTS = [22, 25, 53, 80, 443, 1023, 2049, 3306, 5432, 6000, 6379, 6667, 9200, 11211, 27017]


@pytest.mark.parametrize("text", PUBLIC)
def test_public_address_is_callable(text):
    address = parse_address_text(text)
    assert address is not None and is_callable(address)


@pytest.mark.parametrize("text", REFUSED)
def test_address_inside_a_network_is_not_callable(text):
    address = parse_address_text(text)
    assert address is not None or ":0:" in text
    assert address is None or not is_callable(address)


@pytest.mark.parametrize("text", ["::ffff:127.0.0.1", "::ffff:93.184.216.34", "::7f00:1"])
def test_ipv4_address_in_ipv6_is_not_callable(text):
    assert not is_callable(Address(text, 7500))


@pytest.mark.parametrize("port", PORTS)
def test_port_of_another_service_is_not_callable(port):
    assert not is_callable(Address("93.184.216.34", port))


def test_usual_port_of_websocket_is_callable():
    assert is_callable(Address("relay.example.org", 443, "wss"))
    assert is_callable(Address("relay.example.org", 80, "ws"))
    assert not is_callable(Address("relay.example.org", 80, "wss"))
