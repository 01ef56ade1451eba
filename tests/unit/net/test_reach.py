"""Sentences about the computers that can reach a link."""

import pytest

from net.addresses import reach_phrase


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("127.0.0.1", "host.reach.here"),
        ("127.9.9.9", "host.reach.here"),
        ("::1", "host.reach.here"),
        ("localhost", "host.reach.here"),
        ("192.168.1.5", "host.reach.network"),
        ("10.0.0.7", "host.reach.network"),
        ("fe80::1%eth0", "host.reach.network"),
        ("fd00::1", "host.reach.network"),
        ("laptop", "host.reach.network"),
        ("8.8.8.8", "host.reach.internet"),
        ("2a01:4f8::1", "host.reach.internet"),
    ],
)
def test_reach_depends_on_kind_of_address(host, key):
    assert reach_phrase(host, 7500).key == key
