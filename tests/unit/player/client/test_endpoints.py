"""Addresses at which a player looks for a table: those of its link, and those that the linked table
names.
"""

from random import Random

import pytest

from player.client.endpoints import Endpoints
from protocol.identity.address import may_redirect, parse_address_text
from protocol.identity.keys import JoinLink
from protocol.limits import HOPS_SECONDS, MAX_HOPS

FINGERPRINT = "a" * 40
LINK = JoinLink.parse(f"fairdeal://play.example.org:7500,192.0.2.1:7500/{FINGERPRINT}")
WEB = JoinLink.parse(f"fairdeal+wss://play.example.org/x/{FINGERPRINT}")


def at(link=LINK):
    return Endpoints(link, Random(1))


def round_of(where):
    called = []
    while not where.is_round_over:
        called.append(str(where.next()))
    return called


@pytest.mark.parametrize(
    ("link", "text", "leads"),
    [
        (LINK, "play.example.org:7500", True),
        (LINK, "play.example.org:1", True),
        (LINK, "b.play.example.org:7500", True),
        (LINK, "192.0.2.1:9", True),
        (LINK, "other.example.org:7500", False),
        (LINK, "example.org:7500", False),
        (LINK, "evilplay.example.org:7500", False),
        (LINK, "play.example.org.evil.org:7500", False),
        (LINK, "192.0.2.2:7500", False),
        (LINK, "1.192.0.2.1:7500", False),
        (LINK, "wss://play.example.org", False),
        (WEB, "wss://play.example.org:8443/other", True),
        (WEB, "wss://b.play.example.org/x", True),
        (WEB, "ws://play.example.org/x", False),
        (WEB, "play.example.org:7500", False),
    ],
)
def test_table_cannot_lead_beyond_its_link(link, text, leads):
    address = parse_address_text(text)
    assert leads == any(
        address is not None and may_redirect(own, address) for own in link.addresses
    )
    where = at(link)
    assert where.redirect(text, 0) is leads
    where.set_named([text])
    assert set(map(str, where.known)) == {*map(str, link.addresses), *([text] if leads else [])}


def test_round_has_every_address_once_in_varying_order():
    where = at()
    where.set_named(
        ["play.example.org:1", "play.example.org:2", "evil.org:3", "play.example.org:7500"]
    )
    orders = set()
    for _ in range(30):
        where.new_round()
        called = round_of(where)
        assert sorted(called) == sorted(map(str, where.known)) and len(called) == 4
        orders.add(tuple(called))
    assert len(orders) > 10


def test_only_the_newest_welcome_counts():
    where = at()
    where.set_named(["play.example.org:1"])
    where.set_named([f"play.example.org:{n}" for n in range(10, 22)])
    assert len(where.known) == 2 + 8 and "play.example.org:1" not in map(str, where.known)


def test_redirect_address_precedes_remaining_addresses_of_round():
    where = at()
    where.next()
    assert where.redirect("192.0.2.1:9", 0) and not where.is_round_over
    assert str(where.next()) == "192.0.2.1:9" and where.redirected
    assert len(round_of(where)) == 1 and not where.redirected


def test_redirects_are_limited_to_five_for_some_time():
    where = at()
    assert [where.redirect("192.0.2.1:9", second) for second in range(MAX_HOPS + 2)] == [
        True
    ] * MAX_HOPS + [False] * 2
    assert not where.redirect("192.0.2.1:9", HOPS_SECONDS - 0.1)
    assert where.redirect("192.0.2.1:9", HOPS_SECONDS)
    assert not where.redirect("192.0.2.1:9", HOPS_SECONDS + 0.5)
    assert where.redirect("192.0.2.1:9", HOPS_SECONDS + 1)
