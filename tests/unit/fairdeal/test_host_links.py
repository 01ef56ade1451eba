"""The links that a host who plays gives to others."""

import pytest

from fairdeal.host_play import guest_links, page_reach
from net.addresses import reach_phrase
from protocol.identity.address import Address
from protocol.identity.keys import JoinLink
from protocol.view.phrase import phrase

WHOSE = "abcdefgh" * 5
INVITE = "bcdefgha" * 4
LINK = f"fairdeal://127.0.0.1:7500/{WHOSE}/{INVITE}"


def test_link_of_a_table_without_relays_is_its_own():
    assert guest_links(LINK, ()) == {LINK: reach_phrase("127.0.0.1", 7500)}


def test_links_of_a_table_behind_relays_lead_there_by_invitation():
    relay = Address("relay.example.org", 443, "wss", "/a")
    (given, reach), *others = guest_links(LINK, (relay,)).items()
    assert given == f"fairdeal+wss://relay.example.org/a/t/{WHOSE}/{WHOSE}/{INVITE}"
    assert JoinLink.parse(given).invite == JoinLink.parse(LINK).invite
    assert reach == phrase("host.play.relay", relay="wss://relay.example.org/a") and not others


@pytest.mark.parametrize(("named", "port"), [("", 80), (":7580", 7580)])
def test_guests_of_a_page_are_told_its_port(named, port):
    page = JoinLink.parse(f"http://192.168.1.7{named}/#ws://192.168.1.7:7581/{WHOSE}")
    assert page_reach(page) == phrase("host.page.ports", web=7581, page=port)
