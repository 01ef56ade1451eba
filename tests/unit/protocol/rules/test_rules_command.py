"""`rules check` and `rules explain` at the command line."""

import argparse
from pathlib import Path

import pytest

from protocol.__main__ import main
from protocol.games.scripted.play_test import PlayTestConsole, run_play_test
from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.i18n import english


@pytest.fixture
def rules(tmp_path):
    def made(text):
        path = tmp_path / "game.rules"
        path.write_bytes(text)
        return str(path)

    return made


def test_check_accepts_a_valid_file(rules, capsys):
    assert main(["rules", "check", rules(built_in_text("crazy-eights").encode())]) == 0
    assert "The file is right: 11 functions." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "said", "shown"),
    [
        (
            'see = "all"',
            'see = "everybody"',
            'Line 11, column 1: region("pile") has to be like this',
            "REGIONS = [",
        ),
        (
            "def winner(g)",
            "def won(g)",
            "a rule file has the function winner: write `def winner(g):`",
            None,
        ),
        ("def winner(g)", "def winner(g, me)", "column 5: winner is given", "def winner(g, me):"),
        (
            'card = "hand"',
            'card = "hands"',
            'column 1: action("lay") has to be like this: "pile" |',
            "ACTIONS = [",
        ),
        (
            '"decks": "shared"',
            '"decks": "one"',
            'RULES["decks"] has to be like this: "own" | "shared"',
            "RULES = {",
        ),
    ],
)
def test_check_of_non_game_file_gives_advice(rules, capsys, old, new, said, shown):
    assert (
        main(["rules", "check", rules(built_in_text("crazy-eights").replace(old, new).encode())])
        == 1
    )
    first, *rest = capsys.readouterr().out.splitlines()
    assert said in first and "Line 0" not in first
    assert rest[0].strip().startswith(shown) if shown else not rest


@pytest.mark.parametrize(
    ("old", "new", "said", "shown"),
    [
        ('"told": "{seat} passes."', '"told": "{seat} {n}."', "nothing here that is called {n}", 1),
        ('"draw": {"offer"', '"drew": {"offer"', "called drew", 1),
        ('"# Goal"', '"# Go\\nal"', 'HELP["en"][0] has to be a text', 1),
        ('"de": [\n', '"fr": [\n', "HELP has the languages en, fr, and SENTENCES has en, de", 1),
        ('"{suit} next"', '"{suit} then"', "The rules say “", 0),
    ],
)
def test_check_names_wrong_and_missing_texts(rules, capsys, old, new, said, shown):
    text = built_in_text("crazy-eights")
    assert old in text
    assert main(["rules", "check", rules(text.replace(old, new).encode())]) == shown
    lines = capsys.readouterr().out.splitlines()
    assert any(said in line for line in lines)
    assert shown == 0 or lines[1].strip().startswith(("HELP = {", "SENTENCES = {"))


def test_check_marks_the_error_with_a_caret(rules, capsys):
    assert main(["rules", "check", rules(b"X = 1\ndef f(a):\n    retrun a\n")]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(
        'Line 3, column 5: "retrun" is no word of the language. Write "return" if you mean that.'
    )
    assert said[1:] == ["        retrun a", "        ^"]


@pytest.mark.parametrize("text", [b"\xff\x00", b"X = '\x1b[2J'\n", b"(" * 50_000, b""])
def test_check_of_binary_file_prints_no_escapes(rules, capsys, text):
    assert main(["rules", "check", rules(text)]) == 1
    assert all(" " <= char <= "~" or char in "\n…" for char in capsys.readouterr().out)


def test_explain_lists_declarations_of_a_file(rules, capsys):
    assert (
        main(["rules", "explain", rules(b"A = [1]\ndef f(a): return g(a)\ndef g(b): return b\n")])
        == 0
    )
    said = capsys.readouterr().out
    assert "  A is [1]\n  f(a) calls g\n  g(b) calls nothing\n" in said


def test_missing_rule_file_is_wrong_usage(capsys):
    assert main(["rules", "check", "/nowhere/x.rules"]) == 2
    assert capsys.readouterr().err


@pytest.mark.match
def test_rule_file_is_played_by_bots(rules, capsys):
    """The test plays whole matches, dealt openly: two with the same seed are equal."""
    path, said = rules(built_in_text("mau-mau-shared").encode()), []
    for _ in range(2):
        assert main(["rules", "play", path, "--seats", "3", "--seed", "4"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and said[0].count(" lays ") > 10 and "has won" in said[0]


@pytest.mark.slow
def test_person_plays_rule_file_by_numbers(rules, capsys, tmp_path):
    typed = iter(["nothing", "99", *["1"] * 500])
    asked = argparse.Namespace(file=Path("x"), person=True, seats=None, seed=2)
    said = []
    text = built_in_text("mau-mau")
    assert (
        run_play_test(
            asked,
            lambda _: text.encode(),
            english,
            PlayTestConsole(said.append, lambda _: next(typed)),
        )
        == 0
    )
    assert sum("Type one of the numbers" in line for line in said) == 2 and any(
        "has won" in line for line in said
    )


@pytest.mark.slow
def test_check_of_failing_rules_reports_them_wrong(rules, capsys):
    text = built_in_text("mau-mau-shared").replace(
        "def winner(g):", "def winner(g):\n    return 7\ndef other(g):"
    )
    assert main(["rules", "play", rules(text.encode())]) == 1
    assert "nobody has won" in capsys.readouterr().out
    assert main(["rules", "play", rules(text.encode()), "--seats", "9"]) == 1
    assert "Traceback" not in capsys.readouterr().out


ENDLESS = b"""
RULES = {"name": "endless", "edition": 1, "seats": 2, "decks": "shared", "turns": "alternate"}
CARDS = [{"name": "one"}, {"name": "two"}]
REGIONS = [region("deck", "one")]
ACTIONS = [action("wait")]
def start(g): return []
def legal(g, me, act): return True
def apply(g, me, act): return []
def winner(g): return None
"""


@pytest.mark.slow
def test_check_reports_endless_rules(rules, capsys):
    assert main(["rules", "play", rules(ENDLESS)]) == 1
    assert "After 2000 actions nobody has won" in capsys.readouterr().out.splitlines()[-1]


def test_rules_show_prints_rules_for_people(capsys):
    assert main(["rules", "show", "texas-holdem", "--seats", "6", "--option", "blind=8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Rules: texas-holdem\n\nGoal\n")
    assert "the small blind of 4" in out


def test_rules_show_speaks_german(capsys, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "de")
    assert main(["rules", "show", "nim", "--option", "rows=4-4"]) == 0
    assert "so vielen Hölzern: 4, 4." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["whist"], "There is no game whist."),
        (["nim", "--option", "rows=x"], "nim cannot be played like this"),
        (["nim", "--seats", "3"], "nim cannot be played like this"),
        (["nowhere.rules"], "nowhere.rules"),
    ],
)
def test_rules_show_with_wrong_words_says_what_is_wrong(words, said, capsys):
    assert main(["rules", "show", *words]) == 2
    assert said in capsys.readouterr().err


def test_rules_show_of_a_rule_file_names_no_built_in_game(rules, capsys):
    assert main(["rules", "show", rules(built_in_text("crazy-eights").encode())]) == 0
    assert capsys.readouterr().out.strip()
