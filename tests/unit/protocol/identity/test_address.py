"""Addresses that tables name: each has one text form, and no other text is accepted."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.errors import LocalError
from protocol.identity.address import Address, is_address, parse_address_text
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_ADDRESS


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("example.org:7500", Address("example.org", 7500)),
        ("a-1.b_2.example:1", Address("a-1.b_2.example", 1)),
        ("localhost:65535", Address("localhost", 65535)),
        ("192.0.2.1:443", Address("192.0.2.1", 443)),
        ("[2001:db8::1]:80", Address("2001:db8::1", 80)),
        ("wss://example.org", Address("example.org", 443, "wss")),
        ("ws://example.org/a/B~c", Address("example.org", 80, "ws", "/a/B~c")),
        ("wss://[::1]:7580/fairdeal", Address("::1", 7580, "wss", "/fairdeal")),
    ],
)
def test_address_has_one_text_form(text, address):
    assert parse_address_text(text) == address and str(address) == text and is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org",
        ":7500",
        "Example.org:7500",
        "example.org:0",
        "example.org:65536",
        "example.org:07500",
        "example.org:7500/",
        "example.org:7500/a",
        "https://example.org/a",
        "fairdeal://example.org:7500",
        "WSS://example.org",
        "wss://example.org:443",
        "ws://example.org:80/a",
        "wss://example.org/",
        "wss://example.org/.a",
        "wss://example.org/a?b",
        "wss://example.org/a%20b",
        "ann@example.org:7500",
        "example.org.:7500",
        ".org:7500",
        "a..b:7500",
        f"{64 * 'a'}.org:7500",
        "[2001:DB8::1]:7500",
        "[2001:db8:0:0::1]:7500",
        "[fe80::1%eth0]:7500",
        "2001:db8::1:7500",
        "[::ffff:192.0.2.1]:7500",
        "[::ffff:c000:201]:7500",
        "[192.0.2.1]:7500",
        "[]:7500",
        "127.1:7500",
        "0x7f.0.0.1:7500",
        "2130706433:7500",
        "0x7f000001:7500",
        "0x:7500",
        "192.0.2.01:7500",
        "192.0.2.256:7500",
        "example.org:75\u0660",
        "exampl\u212a.org:7500",
        " example.org:7500",
        "example.org:7500\n",
        f"wss://{'.'.join(4 * [60 * 'a'])}.org/{200 * 'a'}",
        f"wss://a.org/{'/'.join(90 * ['abcd'])}",
    ],
)
def test_non_canonical_address_is_refused(text):
    assert parse_address_text(text) is None and not is_address(text)


def test_address_of_another_type_is_refused():
    assert not any(
        map(is_address, (None, 7, b"example.org:7500", ["example.org:7500"], Address("a", 1)))
    )


HOSTS = st.one_of(
    st.ip_addresses().map(str),
    st.from_regex(r"[a-z0-9x.]{1,12}", fullmatch=True),
    st.sampled_from(["a.b", "::1"]),
)


@pytest.mark.slow
@given(
    HOSTS,
    st.integers(0, 65_540),
    st.sampled_from(["", "ws", "wss"]),
    st.sampled_from(["", "/a", "/a/B.c", "/"]),
)
@example("::ffff:1.2.3.4", 1, "", "")
def test_address_round_trips(host, port, web, path):
    path = path if web else ""
    text = str(Address(host, port, web, path))
    address = parse_address_text(text)
    if address is not None:
        assert (
            address == Address(host, port, web, path)
            and str(address) == text
            and len(text) <= MAX_ADDRESS
        )


@pytest.mark.slow
@given(st.text(st.characters(codec="ascii"), max_size=40))
def test_random_text_is_address_or_refused(text):
    address = parse_address_text(text)
    assert address is None or str(address) == text


@pytest.mark.slow
@given(HOSTS, st.integers(1, 65_535))
def test_link_can_contain_any_address(host, port):
    if (address := parse_address_text(str(Address(host, port)))) is not None:
        try:
            assert JoinLink.parse(f"fairdeal://{address}").address_text == str(address)
        except LocalError:
            pytest.fail(f"{address} stands in no link")
