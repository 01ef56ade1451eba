"""What counts as an address, also of a guest of whom a relay speaks."""

import errno

import pytest

from table.net.addresses import listen_error, relayed_address, wider_groups, widest_group

RELAY = "relay.example.org"


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        ("192.0.2.7", "192.0.2.7@relay.example.org"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64@relay.example.org"),
        (None, "5@relay.example.org"),
        ("", "5@relay.example.org"),
        ("2001:db8:1:2::/48", "5@relay.example.org"),
        ("2001:db8:1:2::1", "5@relay.example.org"),
        ("2001:DB8:1:2::/64", "5@relay.example.org"),
        ("::ffff:192.0.2.7", "5@relay.example.org"),
        ("192.0.2.7/64", "5@relay.example.org"),
        ("192.0.2.7@other.example.org", "5@relay.example.org"),
        ("6", "5@relay.example.org"),
    ],
)
def test_relays_word_counts_behind_it_if_it_is_an_address(said, counted):
    assert relayed_address(said, RELAY, 5) == counted


def test_wider_groups_of_a_relays_word_stay_behind_it():
    counted = relayed_address("2001:db8:1:234::/64", RELAY, 5)
    assert wider_groups(counted) == (f"2001:db8:1:200::/56@{RELAY}", f"2001:db8:1::/48@{RELAY}")
    assert widest_group("192.0.2.7@relay.example.org") == "192.0.2.7@relay.example.org"


@pytest.mark.parametrize(
    ("number", "key"),
    [
        (errno.EACCES, "wrong.listen.forbidden"),
        (errno.EPERM, "wrong.listen.forbidden"),
        (errno.EADDRINUSE, "wrong.listen.taken"),
        (errno.EADDRNOTAVAIL, "wrong.listen.taken"),
    ],
)
def test_forbidden_port_and_taken_port_are_told_apart(number, key):
    error = listen_error(OSError(number, "text"), "127.0.0.1", 80).phrase
    assert error.key == key
    assert {("host", "127.0.0.1"), ("port", 80)} <= set(error.args)
