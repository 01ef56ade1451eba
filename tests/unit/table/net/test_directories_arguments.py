"""The command line of a table that reports to directories."""

import pytest

from protocol.errors import LocalError
from table.__main__ import make_config, make_parser
from tests.support.errors import raises_text

LINK = f"fairdeal-directory://directory.example.org:7595/{'a' * 40}"
REACHED = ("--listen", "0.0.0.0:7500")


def made(tmp_path, *words):
    return make_config(make_parser().parse_args(["--data", str(tmp_path), *words]))


def test_directories_are_taken_once_each(tmp_path):
    config = made(tmp_path, *REACHED, "--directory", LINK, "--directory", LINK)
    assert list(map(str, config.ways.directories)) == [LINK]


def test_table_behind_relay_may_listen_here_alone(tmp_path):
    relay = ("--relay", "wss://relay.example.org")
    assert made(tmp_path, *relay, "--directory", LINK).ways.directories


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--directory", LINK), "Add --listen 0.0.0.0:7500"),
        ((*REACHED, "--directory", LINK, "--invite"), "--directory.*--invite"),
        ((*REACHED, "--directory", "https://example.org"), "looks like fairdeal-directory"),
        (
            (*REACHED, *(f"--directory={LINK[:-1]}{end}" for end in "abcde")),
            "at most 4 directories",
        ),
    ],
)
def test_table_that_cannot_be_listed_is_refused(tmp_path, words, text):
    with raises_text(LocalError, text):
        made(tmp_path, *words)
