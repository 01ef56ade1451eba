"""The links that a host who plays gives to others."""

from fairdeal.host_play import given_links
from net.addresses import reach_phrase
from protocol.identity.address import Address
from protocol.identity.keys import JoinLink
from protocol.view.phrase import phrase

WHOSE = "abcdefgh" * 5
INVITE = "bcdefgha" * 4
LINK = f"fairdeal://127.0.0.1:7500/{WHOSE}/{INVITE}"


def test_link_of_a_table_without_relays_is_its_own():
    assert given_links(LINK, ()) == {LINK: reach_phrase("127.0.0.1", 7500)}


def test_links_of_a_table_behind_relays_lead_there_by_invitation():
    relay = Address("relay.example.org", 443, "wss", "/a")
    (given, reach), *others = given_links(LINK, (relay,)).items()
    assert given == f"fairdeal+wss://relay.example.org/a/t/{WHOSE}/{WHOSE}/{INVITE}"
    assert JoinLink.parse(given).invite == JoinLink.parse(LINK).invite
    assert reach == phrase("host.play.relay", relay="wss://relay.example.org/a") and not others
