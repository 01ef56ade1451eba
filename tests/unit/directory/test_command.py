"""Command line of `fairdeal directory`."""

import pytest

from directory.command import config_of, make_parser
from protocol.errors import LocalError
from protocol.limits import MAX_DIRECTORY_RELAYS
from tests.support.errors import raises_text

RELAY = "wss://relay{}.example.org"


def relays_of(tmp_path, *urls):
    words = ["--data", str(tmp_path), *(word for url in urls for word in ("--relay", url))]
    return config_of(make_parser().parse_args(words)).relays


def test_relays_are_taken_up_to_the_bound(tmp_path):
    urls = [RELAY.format(number) for number in range(MAX_DIRECTORY_RELAYS)]
    assert list(map(str, relays_of(tmp_path, *urls))) == urls
    with raises_text(LocalError, f"at most {MAX_DIRECTORY_RELAYS}"):
        relays_of(tmp_path, *urls, RELAY.format("-more"))


@pytest.mark.parametrize("urls", [("relay.example.org",), (RELAY, RELAY), (RELAY, f"{RELAY}/")])
def test_wrong_or_repeated_relay_is_refused(tmp_path, urls):
    with raises_text(LocalError, "each stands once"):
        relays_of(tmp_path, *(url.format(1) for url in urls))
