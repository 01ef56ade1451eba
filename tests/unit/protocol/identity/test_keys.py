"""Identities, fingerprints and join links."""

import contextlib
from base64 import b32decode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.bindings import crypto_core_ed25519_add

from protocol.codes import Code
from protocol.crypto.hashing import encode_fields
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import (
    Identity,
    JoinLink,
    check_key,
    fingerprint,
    is_signature_valid,
    short_fingerprint,
    verify,
)
from tests.support.errors import raises_text

ALICE, BOB = Identity(b"a" * 32), Identity(b"b" * 32)
FIELD_PRIME = 2**255 - 19
ORDER_8 = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
WEAK = {
    "identity point": b"\1" + bytes(31),
    "identity point, sign bit": b"\1" + bytes(30) + b"\x80",
    "order 2": (FIELD_PRIME - 1).to_bytes(32, "little"),
    "order 4": bytes(32),
    "order 4, sign bit": bytes(31) + b"\x80",
    "order 8": ORDER_8,
    "order 8, other": ORDER_8[:31] + bytes([ORDER_8[31] ^ 0x80]),
    "order 8, third": bytes.fromhex(
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
    ),
    "order 8, fourth": bytes.fromhex(
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"
    ),
    "not canonical: p": FIELD_PRIME.to_bytes(32, "little"),
    "not canonical: p + 1": (FIELD_PRIME + 1).to_bytes(32, "little"),
    "all ones": b"\xff" * 32,
    "not on the curve": b"\2" + bytes(31),
    "mixed order": crypto_core_ed25519_add(ALICE.public, ORDER_8),
    "mixed order 2": crypto_core_ed25519_add(
        ALICE.public, (FIELD_PRIME - 1).to_bytes(32, "little")
    ),
    "short": ALICE.public[:31],
    "long": ALICE.public + b"\0",
    "empty": b"",
}


def code_of(call, *args):
    with pytest.raises(RemoteError) as caught:
        call(*args)
    return caught.value.code


def test_signature_is_bound_to_key_label_and_fields():
    signature = ALICE.sign("label", 7, b"x", "y")
    verify(ALICE.public, signature, "label", 7, b"x", "y")
    for args in [
        (BOB.public, signature, "label", 7, b"x", "y"),
        (ALICE.public, signature, "other", 7, b"x", "y"),
        (ALICE.public, signature, "label", 8, b"x", "y"),
        (ALICE.public, signature, "label", 7, "x", "y"),
        (ALICE.public, signature, "label", 7, b"xy"),
        (ALICE.public, signature[:63], "label", 7, b"x", "y"),
        (ALICE.public, signature + b"\0", "label", 7, b"x", "y"),
        (ALICE.public, b"", "label", 7, b"x", "y"),
    ]:
        assert code_of(verify, *args) is Code.BAD_SIGNATURE


def test_signature_with_any_changed_byte_fails():
    signature = ALICE.sign("label")
    for at in range(64):
        bad = signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]
        assert code_of(verify, ALICE.public, bad, "label") is Code.BAD_SIGNATURE


@pytest.mark.parametrize("public", WEAK.values(), ids=WEAK.keys())
def test_weak_keys_are_refused(public):
    assert code_of(check_key, public) is Code.BAD_IDENTITY
    assert code_of(check_key, public) is Code.BAD_IDENTITY  # from the cache as well
    # For a key of small order, R = identity and S = 0 verify under a lax verifier, whatever the
    # message.
    for signature in (b"\1" + bytes(63), bytes(64), ALICE.sign("label")):
        assert code_of(verify, public, signature, "label") is Code.BAD_SIGNATURE


def test_valid_keys_are_accepted():
    check_key(ALICE.public)
    check_key(BOB.public)


def test_malleated_signature_is_refused():
    order = 2**252 + 27742317777372353535851937790883648493
    signature = ALICE.sign("label")
    other = signature[:32] + (int.from_bytes(signature[32:], "little") + order).to_bytes(
        32, "little"
    )
    assert not is_signature_valid(ALICE.public, other, encode_fields("label"))


def test_seeds_have_32_bytes_and_stay_hidden():
    seed = bytes(range(32))
    for wrong in (b"", seed[:31], seed + b"x"):
        with pytest.raises(LocalError) as caught:
            Identity(wrong)
        assert not wrong or wrong.hex() not in str(caught.value)
    shown = f"{Identity(seed)!r} {Identity(seed)}"
    assert seed.hex() not in shown
    assert repr(seed)[2:10] not in shown
    assert short_fingerprint(Identity(seed).public) in shown


def test_fingerprints_match_examples():
    text = fingerprint(ALICE.public)
    assert len(text) == 40
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyz234567")
    assert text != fingerprint(BOB.public)
    assert short_fingerprint(ALICE.public) == "-".join(
        (text[:4], text[4:8], text[8:12], text[12:16])
    )
    # must never change
    assert fingerprint(Identity(bytes(32)).public) == "v72l5hjcbas2wd6bvjqt77zu2rb7sndne3ja3tzj"


LETTERS = fingerprint(ALICE.public)


@pytest.mark.parametrize(
    ("text", "link"),
    [
        (f"fairdeal://example.org:7500/{LETTERS}", JoinLink("example.org", 7500, LETTERS)),
        (
            f"  FairDeal://EXAMPLE.org:7500/{LETTERS.upper()}\n",
            JoinLink("example.org", 7500, LETTERS),
        ),
        ("fairdeal://localhost:1", JoinLink("localhost", 1)),
        ("fairdeal://localhost:65535/", JoinLink("localhost", 65535)),
        ("fairdeal://192.0.2.1:7500", JoinLink("192.0.2.1", 7500)),
        (f"fairdeal://[::1]:7500/{LETTERS}", JoinLink("::1", 7500, LETTERS)),
        ("fairdeal://[2001:DB8:0:0::1]:7500", JoinLink("2001:db8::1", 7500)),
        (
            f"Fairdeal-Direct://example.org:7501/{LETTERS}",
            JoinLink("example.org", 7501, LETTERS, direct=True),
        ),
        (
            f"fairdeal://example.org:7500/{LETTERS}/{'ab' * 16}".upper(),
            JoinLink("example.org", 7500, LETTERS, invite=b32decode("AB" * 16)),
        ),
        (
            f"fairdeal+wss://example.org/{LETTERS}",
            JoinLink("example.org", 443, LETTERS, web_scheme="wss"),
        ),
        (
            f"FairDeal+WSS://Example.org:443/{LETTERS}",
            JoinLink("example.org", 443, LETTERS, web_scheme="wss"),
        ),
        (
            f"fairdeal+wss://example.org:8443/Games/a.b~c_d-1/{LETTERS}/{'ab' * 16}",
            JoinLink(
                "example.org",
                8443,
                LETTERS,
                invite=b32decode("AB" * 16),
                web_scheme="wss",
                path="/Games/a.b~c_d-1",
            ),
        ),
        (
            f"https://example.org/#wss://example.org/table/{LETTERS}",
            JoinLink("example.org", 443, LETTERS, web_scheme="wss", path="/table"),
        ),
        (
            f"HTTP://192.0.2.1:7581/a/index.html#fairdeal+WS://192.0.2.1:7580/fairdeal/{LETTERS}",
            JoinLink("192.0.2.1", 7580, LETTERS, web_scheme="ws", path="/fairdeal"),
        ),
        (
            f"Come: <https://example.org/#wss://example.org/table/{LETTERS}>, at eight.",
            JoinLink("example.org", 443, LETTERS, web_scheme="wss", path="/table"),
        ),
        (
            f"fairdeal://A.example.org:7500,[::1]:1,192.0.2.1:7500/{LETTERS}/{'ab' * 16}",
            JoinLink(
                "a.example.org",
                7500,
                LETTERS,
                invite=b32decode("AB" * 16),
                other_hosts=(("::1", 1), ("192.0.2.1", 7500)),
            ),
        ),
        (
            f"fairdeal+wss://a.example.org,b.example.org:8443,[::1]/x/{LETTERS}",
            JoinLink(
                "a.example.org",
                443,
                LETTERS,
                web_scheme="wss",
                path="/x",
                other_hosts=(("b.example.org", 8443), ("::1", 443)),
            ),
        ),
        (
            "fairdeal://example.org",
            JoinLink("example.org", 7500),
        ),
        (
            f"fairdeal://a:1,b/{LETTERS}",
            JoinLink("a", 1, LETTERS, other_hosts=(("b", 7500),)),
        ),
        ("fairdeal://example.org.:7500", JoinLink("example.org", 7500)),
        ("fairdeal://[fe80::1%eth0]:7500", JoinLink("fe80::1%eth0", 7500)),
        ("fairdeal://[FE80::1%25eth0]", JoinLink("fe80::1%eth0", 7500)),
        ("fairdeal://bücher.example:1", JoinLink("xn--bcher-kva.example", 1)),
        ("fairdeal://bu\u0308cher.example:1", JoinLink("xn--bcher-kva.example", 1)),
        (
            f"fairdeal+ws://[::1]:7580/{LETTERS}/{LETTERS}",
            JoinLink("::1", 7580, LETTERS, web_scheme="ws", path=f"/{LETTERS}"),
        ),
    ],
)
def test_join_links_round_trip(text, link):
    assert JoinLink.parse(text) == link
    assert JoinLink.parse(str(link)) == link


@pytest.mark.parametrize(
    "pasted",
    [
        "<LINK>",
        "LINK.",
        "'LINK'",
        '"LINK"',
        "\u201eLINK\u201c",
        "\u00abLINK\u00bb,",
        "(LINK)",
        "[Join us](LINK)!",
        "`LINK`",
        "**LINK**",
        "\ufeffLINK\u200b",
        "Here it is:\r\nLINK\r\nSee you!",
        "fairdeal join LINK --web",
        "LINK  LINK",
    ],
)
@pytest.mark.parametrize("secret", ["", f"/{'ab' * 16}"])
def test_link_is_found_in_what_people_paste(pasted, secret):
    link = f"fairdeal://example.org:7500/{LETTERS}{secret}"
    assert str(JoinLink.parse(pasted.replace("LINK", link))) == link


@pytest.mark.parametrize("pasted", ["<LINK>", "LINK.", "'LINK'", "(LINK),", "\u201eLINK\u201d"])
@pytest.mark.parametrize("link", ["fairdeal://example.org:7500", "fairdeal://[::1]"])
def test_link_without_fingerprint_loses_what_stands_around_it(pasted, link):
    assert JoinLink.parse(pasted.replace("LINK", link)) == JoinLink.parse(link)


def test_link_that_a_letter_has_broken_is_joined():
    link = f"fairdeal://example.org:7500/{LETTERS}"
    assert str(JoinLink.parse(f"{link[:40]}\n  {link[40:]}\n")) == link


def test_address_of_a_web_page_is_told_from_a_link():
    with raises_text(LocalError, match="address of a web page"):
        JoinLink.parse("https://example.org:7500/")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org:7500",
        "http://example.org:7500",
        "fairdeal://",
        "fairdeal://example.org:",
        "fairdeal-direct://example.org:7501",
        f"fairdeal-other://example.org:7501/{LETTERS}",
        "fairdeal://:7500",
        "fairdeal://example.org:0",
        "fairdeal://example.org:65536",
        "fairdeal://example.org:-1",
        "fairdeal://example.org:٧٥",
        "fairdeal://exa mple.org:7500",
        "fairdeal://example.org:7500//",
        "fairdeal://exampl\u212a.org:7500",
        "fairdeal://user@example.org:7500",
        "fairdeal://::1:7500",
        "fairdeal://[::1:7500",
        "fairdeal://[:::1]:7500",
        "fairdeal://[fe80::1%]:7500",
        "fairdeal://[192.0.2.1%eth0]:7500",
        "fairdeal-direct://example.org/" + LETTERS,
        f"fairdeal://a:1/{LETTERS} fairdeal://b:1/{LETTERS}",
        f"fairdeal://example.org:7500/{LETTERS[:-1]}",
        f"fairdeal://example.org:7500/{LETTERS}a",
        f"fairdeal://example.org:7500/{LETTERS[:-1]}1",
        f"fairdeal://example.org:7500/{LETTERS}?x",
        f"fairdeal://example.org:7500/{LETTERS}/",
        f"fairdeal://example.org:7500/{LETTERS}/{'a' * 31}",
        f"fairdeal://example.org:7500/{LETTERS}/{'a' * 33}",
        f"fairdeal://example.org:7500/{LETTERS}/{'a' * 32}/",
        f"fairdeal://example.org:7500//{'a' * 32}",
        f"fairdeal-direct://example.org:7500/{LETTERS}/{'a' * 32}",
        "fairdeal+wss://example.org",
        "fairdeal+wss://example.org/table",
        f"fairdeal+wss://example.org:0/table/{LETTERS}",
        f"fairdeal+wss://example.org//{LETTERS}",
        f"fairdeal+wss://example.org/../{LETTERS}",
        f"fairdeal+wss://example.org/a%20b/{LETTERS}",
        f"fairdeal+wss://example.org/a?b=c/{LETTERS}",
        f"fairdeal+wss://user@example.org/a/{LETTERS}",
        f"fairdeal+wss://example.org/a/{LETTERS}/{'a' * 31}",
        f"fairdeal+wss://example.org/{'a' * 200}/{LETTERS}",
        f"fairdeal+https://example.org/a/{LETTERS}",
        f"wss://example.org/a/{LETTERS}",
        f"https://example.org/#{LETTERS}",
        f"https://example.org#wss://example.org/a/{LETTERS}",
        f"https://example.org/?a#wss://example.org/a/{LETTERS}",
        f"https://a@example.org/#wss://example.org/a/{LETTERS}",
        f"https://example.org/#wss://example.org/a/{LETTERS}/{'a' * 31}",
        f"https://example.org/{'a' * 500}#wss://example.org/a/{LETTERS}",
        f"javascript://example.org/#wss://example.org/a/{LETTERS}",
        "fairdeal://a:1,b:2",
        f"fairdeal-direct://a:1,b:2/{LETTERS}",
        f"fairdeal://a:1,a:1/{LETTERS}",
        f"fairdeal://a:1,A:1/{LETTERS}",
        f"fairdeal://a:1,/{LETTERS}",
        f"fairdeal://a:1,b:0/{LETTERS}",
        f"fairdeal://a:1,fairdeal://b:1/{LETTERS}",
        f"fairdeal://{','.join(f'a:{n}' for n in range(1, 10))}/{LETTERS}",
        f"fairdeal+wss://a/x,b/x/{LETTERS}",
        f"fairdeal+wss://a,a:443/{LETTERS}",
    ],
)
def test_bad_link_error_shows_an_example(text):
    with raises_text(LocalError, match="fairdeal://example.org:7500/aaaa"):
        JoinLink.parse(text)


def test_link_error_never_quotes_the_secret():
    link = JoinLink("example.org", 7500, LETTERS, invite=bytes(20))
    assert "a" * 32 in str(link) and "invite" not in repr(link)
    with pytest.raises(LocalError) as answer:
        JoinLink.parse(f"fairdeal://example.org:7500/{LETTERS}/{'abcdefgh' * 5}")
    assert "abcdefgh" not in str(answer.value)


@pytest.mark.slow
@given(st.text())
def test_random_text_is_link_or_local_error(text):
    for candidate in (text, f"fairdeal://{text}", f"fairdeal://a:1/{text}"):
        with contextlib.suppress(LocalError):
            assert JoinLink.parse(str(JoinLink.parse(candidate))) == JoinLink.parse(candidate)


def test_link_of_page_is_written_as_it_was_read():
    text = f"https://example.org/play/#wss://[::1]:1/table/{LETTERS}/{'a' * 32}"
    link = JoinLink.parse(text)
    assert link.page == "https://example.org/play/"
    assert str(link) == text
    assert link == JoinLink.parse(f"fairdeal+wss://[::1]:1/table/{LETTERS}/{'a' * 32}")
