"""Clients behind named proxies, and nobody else, are identified by forwarded headers."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalError
from table.net.listeners.trusted_proxies import TrustedProxies, parse_networks
from tests.support.errors import raises_text

NAMED = TrustedProxies(parse_networks(["10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48"]))


@pytest.mark.parametrize(
    ("headers", "whom"),
    [
        (["198.51.100.7"], "198.51.100.7"),
        (["1.2.3.4, 198.51.100.7"], "198.51.100.7"),  # anybody may have written the first address
        (["1.2.3.4", "198.51.100.7"], "198.51.100.7"),
        (["198.51.100.7, 10.1.2.3 ,192.0.2.1"], "198.51.100.7"),  # a chain of named proxies
        (["2001:db8:2::7, 2001:db8:1::1"], "2001:db8:2::7"),
        (["[2001:db8:2::7]:4711"], "2001:db8:2::7"),
        (["[2001:db8:2::7]"], "2001:db8:2::7"),
        (["198.51.100.7:4711"], "198.51.100.7"),
        (["::ffff:198.51.100.7"], "198.51.100.7"),
        (["10.1.2.3"], "10.1.2.3"),  # a client on the proxy itself
        ([], None),
        ([""], None),
        (["unknown"], None),
        (["1.2.3.4, unknown"], None),
        (["1.2.3.4,"], None),
        (["fe80::1%eth0"], None),
        (["198.51.100.7:x"], None),
    ],
)
def test_forwarded_header_gives_the_client(headers, whom):
    assert NAMED.forwarded(headers) == (whom and ipaddress.ip_address(whom))


@pytest.mark.slow
@given(st.lists(st.text(max_size=20), max_size=4))
def test_proxy_client_is_last_address_it_names(written):
    """Nobody can therefore impersonate another address."""
    assert NAMED.forwarded([*written, "198.51.100.7"]) == ipaddress.ip_address("198.51.100.7")


def test_named_proxy_addresses_are_parsed():
    assert NAMED.has(ipaddress.ip_address("10.255.0.1")) and not NAMED.has(
        ipaddress.ip_address("11.0.0.1")
    )
    assert not NAMED.has(None) and not TrustedProxies(())
    assert (
        NAMED.may_have("10.255.0.1")
        and not NAMED.may_have("11.0.0.1")
        and not NAMED.may_have("None")
    )
    assert NAMED.may_have("2001:db8:1::/64") and not NAMED.may_have("2001:db8:2::/64")


def test_proxy_may_be_named_by_mapped_address():
    assert parse_networks(["::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "::/0"]) == tuple(
        map(ipaddress.ip_network, ("10.0.0.1", "10.0.0.0/8", "::/0"))
    )


@pytest.mark.parametrize(
    "text", ["", "proxy.example.org", "10.0.0.1/8", "10.0.0.0/33", "1.2.3", "10.0.0.0/8/8"]
)
def test_invalid_proxy_names_are_refused(text):
    with raises_text(LocalError, match="by its address"):
        parse_networks([text])


def test_proxy_warning_appears_once_a_minute_per_kind(caplog):
    named = TrustedProxies(())
    for now in (5.0, 5.1, 64.9, 65.0, 66.0):
        for what in ("PROXY header", "X-Forwarded-For"):
            named.warn(what, now)
    assert len(caplog.records) == 4
    assert caplog.messages[0] == "a proxy that is named with --proxy sends no PROXY header"


def test_web_server_that_is_not_named_is_noticed_once_a_minute(caplog):
    named = TrustedProxies(())
    said = ["192.0.2.7"]
    for peer in (("127.0.0.1", 1), ("::ffff:10.0.0.1", 1, 0, 0)):
        named.notice(peer, said, 5.0)
    named.notice(("127.0.0.1", 1), said, 64.9)
    assert len(caplog.records) == 1
    assert caplog.messages[0].startswith("127.0.0.1 sends X-Forwarded-For and is not named")
    named.notice(("127.0.0.1", 1), [], 70.0)
    named.notice(("9.9.9.9", 1), said, 70.0)  # anybody
    named.notice(None, said, 70.0)
    assert len(caplog.records) == 1
    named.notice(("127.0.0.1", 1), said, 70.0)
    assert len(caplog.records) == 2
