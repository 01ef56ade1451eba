"""Heads of requests that come in pieces, and bytes that are none."""

import pytest

from net.websocket_request import NotARequest, head_size

HEAD = b"GET /table HTTP/1.1\r\nHost: example.org\r\n\r\n"


def test_head_is_complete_at_its_last_byte():
    assert [head_size(HEAD[:size]) for size in range(len(HEAD))] == [None] * len(HEAD)
    assert head_size(HEAD) == head_size(HEAD + b"more\r\n\r\n") == len(HEAD)


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01", b"P", b"GEX /", b"get / HTTP/1.1\r\n\r\n", b"\r"]
)
def test_other_bytes_are_no_request(data):
    with pytest.raises(NotARequest):
        head_size(data)
