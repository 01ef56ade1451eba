"""Options of the WebSocket: origins of pages as browsers write them."""

import argparse

import pytest

from protocol.errors import LocalError
from table.config import Ways
from table.net.listeners.arguments import add_listener_options, ways_of


def ways(*words: str) -> Ways:
    parser = argparse.ArgumentParser()
    add_listener_options(parser)
    return ways_of(parser.parse_args(words), "127.0.0.1")


def origins(*words: str) -> tuple[str, ...]:
    return ways(*words).origins


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("https://play.example.org", "https://play.example.org"),
        ("https://Play.Example.org/", "https://play.example.org"),
        ("https://play.example.org:443", "https://play.example.org"),
        ("http://192.168.1.5:8000", "http://192.168.1.5:8000"),
        ("http://[fe80::1]:8000", "http://[fe80::1]:8000"),
    ],
)
def test_origin_is_kept_as_browsers_write_it(typed, origin):
    assert origins("--ws", "--ws-origin", typed) == (origin,)


@pytest.mark.parametrize(
    "typed",
    [
        "play.example.org",
        "https://",
        "https://play.example.org/table",
        "https://play.example.org?a",
        "https://user@play.example.org",
        "https://play.example.org:port",
        "https://b\u00fccher.example",
        "wss://play.example.org",
        "null",
        "*",
    ],
)
def test_other_text_is_no_origin(typed):
    with pytest.raises(LocalError) as refusal:
        origins("--ws", "--ws-origin", typed)
    assert refusal.value.phrase.key == "wrong.web.origin"


def test_origin_without_websocket_is_refused():
    with pytest.raises(LocalError) as refusal:
        origins("--ws-origin", "https://play.example.org")
    assert refusal.value.phrase.key == "wrong.web.origin_only"


@pytest.mark.parametrize(
    ("typed", "page", "origin"),
    [
        ("https://play.example.org", "https://play.example.org/", "https://play.example.org"),
        ("https://Example.org:443/play/", "https://Example.org:443/play/", "https://example.org"),
    ],
)
def test_page_elsewhere_may_connect(typed, page, origin):
    found = ways("--ws-link", "wss://table.example.org", "--page", typed)
    assert (found.page_elsewhere, found.origins, found.page) == (page, (origin,), None)


def test_page_elsewhere_leads_to_relays_without_an_own_door():
    found = ways("--relay", "wss://relay.example.org", "--page", "https://relay.example.org")
    assert (found.page_elsewhere, found.web) == ("https://relay.example.org/", None)


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--page", "play.example.org", "--ws"), "wrong.page.address"),
        (("--page", "https://play.example.org/?a", "--ws"), "wrong.page.address"),
        (("--page", "https://play.example.org/#a", "--ws"), "wrong.page.address"),
        (("--page", "https://play.example.org/"), "wrong.page.leads_nowhere"),
        (("--page", "https://play.example.org/", "--ws"), "wrong.page.insecure"),
        (("--page", "https://a.test/", "--relay", "ws://b.test"), "wrong.page.insecure"),
        (("--page", "http://a.test/", "--web"), "wrong.page.two"),
    ],
)
def test_page_elsewhere_that_leads_nowhere_is_refused(words, wrong):
    with pytest.raises(LocalError) as error:
        ways(*words)
    assert error.value.phrase.key == wrong
