"""Errors of command lines: whatever argparse says has words in the catalogue."""

import argparse

import pytest

from protocol.i18n.argument_errors import MESSAGES, WrongArgument, argparse_error
from protocol.i18n.help_parser import HelpParser, example_lines
from protocol.view.phrase import Phrase, phrase


class Rejected(Exception):
    """The message of an error."""


class PlainParser(argparse.ArgumentParser):
    """A parser that gives away what argparse says."""

    def error(self, message):
        raise Rejected(message)


def refused(*words):
    """Return argparse's own message for a command line."""
    made = PlainParser(prog="x")
    made.add_argument("--whole", type=int)
    made.add_argument("--part", type=float)
    made.add_argument("--path", type=bytes.fromhex)
    made.add_argument("--pair", nargs=2)
    made.add_argument("--some", nargs="+")
    made.add_argument("--on", action="store_true")
    made.add_argument("--kind", choices=["a", "b"])
    one = made.add_mutually_exclusive_group()
    one.add_argument("--left", action="store_true")
    one.add_argument("--right", action="store_true")
    must = made.add_mutually_exclusive_group(required="--free" not in words)
    must.add_argument("--free", action="store_true")
    must.add_argument("--paid", action="store_true")
    made.add_argument("name")
    with pytest.raises(Rejected) as found:
        made.parse_args(words)
    return str(found.value)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["--free"], "usage.required"),
        (["n"], "usage.one_required"),
        (["--free", "n", "--more"], "usage.unknown"),
        (["--free", "n", "--left", "--right"], "usage.together"),
        (["--free", "n", "--pa", "1"], "usage.ambiguous"),
        (["--free", "n", "--kind", "c"], "usage.choice"),
        (["--free", "n", "--whole", "c"], "usage.whole"),
        (["--free", "n", "--part", "c"], "usage.number"),
        (["--free", "n", "--path", "c"], "usage.value"),
        (["--free", "n", "--whole"], "usage.one_value"),
        (["--free", "n", "--some"], "usage.some_values"),
        (["--free", "n", "--pair", "1"], "usage.values"),
        (["--free", "n", "--on=1"], "usage.no_value"),
    ],
)
def test_argparse_error_of_wrong_words_has_a_key(words, key):
    said = argparse_error(refused(*words))
    assert isinstance(said, Phrase)
    inner = dict(said.args).get("what", said) if said.key == "usage.argument" else said
    assert inner.key == key
    assert key in {known for _, known in MESSAGES}


def test_argparse_error_keeps_text_that_is_not_argparses():
    assert argparse_error("Nimm einen anderen Namen.") == "Nimm einen anderen Namen."


def test_wrong_argument_is_told_in_persons_language(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "de")
    assert str(WrongArgument("usage.port", word="x")).startswith("Erwartet wird ein Port, ")


def test_error_of_help_parser_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setenv("LANGUAGE", "en")
    made = HelpParser(prog="x")
    made.add_argument("--whole", type=int)
    with pytest.raises(SystemExit) as ended:
        made.parse_args(["--whole", "c"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        "usage: x [OPTIONS]",
        "x: --whole: It takes a whole number, not 'c'.",
        "`x --help` says more.",
    ]


def test_example_wider_than_terminal_breaks_between_words_of_shell(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "32")
    lines = example_lines([("x --table 'a b c d e f' --list", "help.options"), ("x", "")])
    assert lines == [
        "examples:",
        "  x --table 'a b c d e f' \\",
        "      --list",
        "      options",
        "  x",
    ]


def test_example_comment_may_be_phrase(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "80")
    assert example_lines([("x", phrase("help.options"))])[1] == "  x  options"
