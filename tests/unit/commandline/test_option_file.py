"""Options of a command in a TOML file."""

import argparse
import tomllib

import pytest

from commandline.option_file import (
    FileFlags,
    Source,
    changed_keys,
    file_words,
    merge,
    parse_given,
    read_option_file,
    settings_text,
    take_file_flags,
    toml_value,
)
from protocol.errors import LocalError
from table.__main__ import CHECKS, EARLY_KEYS, make_parser, read_command


def settings(tmp_path, text, *words):
    """Return the settings of `fairdeal host` with a file and a command line."""
    path = tmp_path / "table.toml"
    path.write_text(text, "utf-8")
    return read_command([f"--config={path}", *words]).settings


def wrong(tmp_path, text, *words):
    with pytest.raises(LocalError) as error:
        settings(tmp_path, text, *words)
    return error.value.phrase.key, dict(error.value.phrase.args)


def test_command_line_wins_over_file_and_file_over_default(tmp_path):
    text = 'name = "Club"\nseats = 3\nbound = ["tables=5", "pipes=9"]\nws = true\n'
    made = settings(tmp_path, text, "--seats", "4", "--bound", "tables=7")
    assert (made.options.name, made.options.seats, made.options.log_level) == ("Club", 4, "info")
    assert made.options.bound == ["tables=7"]
    assert made.options.ws == "7580"
    assert [made.sources[key] for key in ("name", "seats", "bound", "log-level")] == [
        Source.FILE,
        Source.COMMAND_LINE,
        Source.COMMAND_LINE,
        Source.DEFAULT,
    ]


def test_shortened_option_of_command_line_wins_too(tmp_path):
    assert settings(tmp_path, 'greeting = "a"', "--greet", "b").options.greeting == "b"


@pytest.mark.parametrize(
    ("text", "key", "named"),
    [
        ('allow_create = "any"', "wrong.config.key.near", {"key": "allow_create"}),
        ("quux = 1", "wrong.config.key", {"key": "quux"}),
        ("[quux]\nseats = 2", "wrong.config.key", {"key": "quux"}),
        ('config = "x"', "wrong.config.key", {"key": "config"}),
        ('seats = "3"', "wrong.config.value", {"key": "seats"}),
        ("seats = true", "wrong.config.value", {"key": "seats"}),
        ("lan = 1", "wrong.config.value", {"key": "lan"}),
        ("name = 5", "wrong.config.value", {"key": "name"}),
        ('bound = "tables=5"', "wrong.config.value", {"key": "bound"}),
        ("bound = [5]", "wrong.config.value", {"key": "bound"}),
        ('bound = ["table=5"]', "wrong.config.value", {"key": "bound"}),
        ('relay = ["here"]', "wrong.config.value", {"key": "relay"}),
        ('listen = "here"', "wrong.config.value", {"key": "listen"}),
        ('name = ""', "wrong.config.value", {"key": "name"}),
        ('log-level = "loud"', "wrong.config.value", {"key": "log-level"}),
        ("log-level = [1]", "wrong.config.value", {"key": "log-level"}),
        ("workers = 1000", "wrong.config.value", {"key": "workers"}),
        ("ws = [1]", "wrong.config.value", {"key": "ws"}),
        ('lang = "xx"', "wrong.config.value", {"key": "lang"}),
        ("game-plugin = 3", "wrong.config.value", {"key": "game-plugin"}),
        ('data = "~no_such_user/a"', "wrong.config.value", {"key": "data"}),
        ("name 5", "wrong.config.toml", {}),
    ],
)
def test_wrong_file_is_refused_by_file_and_key(tmp_path, text, key, named):
    found, args = wrong(tmp_path, text)
    assert found == key and named.items() <= args.items()
    assert args["path"] == str(tmp_path / "table.toml")


def test_near_key_is_named(tmp_path):
    assert wrong(tmp_path, 'allow_create = "any"')[1]["near"] == "allow-create"


def test_file_that_is_not_there_or_not_utf8_is_refused(tmp_path):
    with pytest.raises(LocalError, match=r"wrong\.config\.read"):
        read_option_file(FileFlags(tmp_path / "none", frozenset()))
    (tmp_path / "latin").write_bytes(b'name = "\xe4"')
    with pytest.raises(LocalError, match=r"wrong\.config\.toml"):
        read_option_file(FileFlags(tmp_path / "latin", frozenset()))


def test_file_nested_without_end_is_refused(tmp_path):
    (tmp_path / "deep").write_text("name = " + "[" * 100_000)
    with pytest.raises(LocalError, match=r"wrong\.config\.toml"):
        read_option_file(FileFlags(tmp_path / "deep", frozenset()))


@pytest.mark.parametrize(
    "words", [["--config"], ["--config=a", "--config=b"], ["--config=a", "--config-ignore"]]
)
def test_wrong_file_flags_are_refused(words):
    with pytest.raises(LocalError, match=r"wrong\.config\.flag"):
        take_file_flags(words)


def test_ignored_keys_do_not_count_and_reach_child(tmp_path):
    made = settings(tmp_path, 'lan = 5\nname = "Club"', "--config-ignore=lan")
    assert made.options.name == "Club"
    flags, rest = take_file_flags(["--seats=2", "--config=a", "--config-ignore=lan"])
    assert rest == ["--seats=2"]
    assert file_words(flags, ["play"]) == [
        "--config=a",
        "--config-ignore=lan",
        "--config-ignore=play",
    ]
    assert file_words(FileFlags(None, frozenset())) == []


def test_ignored_key_that_does_not_exist_is_refused(tmp_path):
    found, args = wrong(tmp_path, "", "--config-ignore=sets")
    assert (found, args["path"]) == ("wrong.config.key.near", "--config-ignore")
    assert args["near"] == "seats"


def test_home_is_found_in_paths_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    made = settings(tmp_path, 'data = "~/table"\ngreeting = "~/table"').options
    assert (made.data, made.greeting) == (tmp_path / "table", "~/table")


EVERYTHING = """
game = "draw-dominoes"
option = ["target=50", "hand=5"]
seats = 2
turn-seconds = 30
listen = "127.0.0.1:0"
name = "Cl\\"ub ä"
lan = true
bound = ["tables=5", "frames=10/2.5"]
data = "/tmp/a b"
key = "/tmp/key"
workers = 0
ws = 7590
proxy = ["10.0.0.0/8"]
metrics = 0
log-format = "json"
log-addresses = true
lang = "de"
"""


def test_settings_as_text_are_a_file_with_the_same_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")
    parser = make_parser()
    first = settings(tmp_path, EVERYTHING, "--greeting", "Hello", "--deal", "layered")
    text = settings_text(parser, first)
    second = settings(tmp_path, text)
    assert changed_keys(parser, first.options, second.options) == []
    values = tomllib.loads(EVERYTHING)
    assert {key for key, source in first.sources.items() if source is Source.FILE} == set(values)
    for line in (
        'greeting = "Hello"  # Befehlszeile',
        "lan = true  # Datei",
        "invite = false  # V",
    ):
        assert f"\n{line}" in text


def test_changed_keys_are_named_and_empty_lists_are_not(tmp_path):
    parser = make_parser()
    old = settings(tmp_path, 'name = "A"\nseats = 2').options
    new = settings(tmp_path, 'name = "B"\nseats = 2\ngame-plugin = []\ncards = []').options
    assert changed_keys(parser, old, new) == ["name"]


@pytest.mark.parametrize("value", [True, 0, 'a\n"\\\x7f\x01ä\U0001f600', [], ["a", "b]"]])
def test_toml_value_is_read_as_it_was(value):
    assert tomllib.loads(f"x = {toml_value(value)}") == {"x": value}


def test_merge_checks_values_of_the_file_that_the_command_line_replaces(tmp_path):
    parser = make_parser()
    given = parse_given(parser, ["--seats=2"])
    with pytest.raises(LocalError, match=r"wrong\.config\.value"):
        merge(parser, given, {"seats": "x"}, tmp_path, untyped=EARLY_KEYS, checks=CHECKS)
    assert isinstance(merge(parser, given, {}, None).options, argparse.Namespace)
