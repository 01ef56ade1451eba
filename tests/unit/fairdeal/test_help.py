"""`--help` fits a screen, is about one command or one game, and is in the person's language."""

import json
import re
import subprocess
import sys

import pytest

from fairdeal.__main__ import COMMANDS, main
from fairdeal.host_arguments import make_parser as host_parser
from fairdeal.overview import GROUPS
from fairdeal.play_arguments import make_parser as play_parser
from player.cli.arguments import parser as join_parser
from protocol.games.registry import BUILT_IN
from protocol.i18n.help_parser import MAX_COLUMNS, wrap_help

LANGUAGES = ("en", "de")
MAX_LINES = 40  # of the overview: a terminal of usual height
# modules that a command line does not need: screens, the page and its server
SCREENS = ("player.presenter", "player.ui.web", "prompt_toolkit", "uvicorn", "starlette")
LOADED = """
import json, sys
from fairdeal.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.fixture
def read_help(monkeypatch, capsys):
    """Return a function that runs a command with `--help`, and returns what it prints."""

    def run(*words, language="en", columns=200):
        monkeypatch.setenv("LANGUAGE", language)
        monkeypatch.setenv("COLUMNS", str(columns))
        try:
            main([*words, "--help"])
        except SystemExit as ended:
            assert ended.code == 0
        return capsys.readouterr().out

    return run


def flags(parser):
    """Return the long options of a parser."""
    return {flag for action in parser._actions for flag in action.option_strings if "--" in flag}


def test_overview_lists_each_command_once():
    listed = [name for commands in GROUPS.values() for name in commands]
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_overview_fits_small_screen(read_help, language):
    lines = read_help(language=language, columns=80).splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= 80


def test_overview_shows_groups_in_persons_language(read_help):
    titles = ("play:", "meet people:", "check a match:", "own cards:", "host a table:")
    english, german = read_help(), read_help(language="de")
    assert all(f"\n{title}\n" in english and f"\n{title}\n" not in german for title in titles)
    assert german.startswith("Aufruf: ") and "\neine Partie prüfen:\n" in german


@pytest.mark.parametrize("command", [*COMMANDS, "play nim"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_help_has_short_lines_and_no_catalogue_key(read_help, command, language):
    said = read_help(*command.split(), language=language)
    assert [line for line in said.splitlines() if len(line) > MAX_COLUMNS] == []
    assert re.findall(r"\bhelp(?:\.[a-z_]+)+", said) == []


def test_help_of_game_names_its_rules_and_bots(read_help):
    said = read_help("play", "nim")
    assert "  rows=X: " in said and "  misere=X: " in said
    assert all(f"\n  {bot} " in said for bot in ("random", "search", "mcts", "perfect"))
    assert "fairdeal play nim --option rows=" in said


def test_help_of_game_names_nothing_of_other_games(read_help):
    said = read_help("play", "nim")
    own = {option.name for option in BUILT_IN.specs["nim"].options}
    others = {option.name for row in BUILT_IN.specs.values() for option in row.options} - own
    assert [name for name in sorted(others) if f" {name}=" in said] == []
    assert not re.search("poker|texas|greedy|--deck|--target|--leavers", said)


def test_help_before_game_is_about_this_game(read_help, capsys):
    after = read_help("play", "ligretto")
    with pytest.raises(SystemExit):
        main(["play", "--help", "ligretto"])
    assert capsys.readouterr().out == after


def test_help_of_players_has_no_host_option(read_help):
    for parser, words in ((play_parser(), ("play",)), (join_parser(), ("join",))):
        foreign = flags(host_parser()) - flags(parser)
        assert {"--listen", "--standby", "--cluster", "--metrics", "--bound"} <= foreign
        said = read_help(*words)
        assert [flag for flag in foreign if re.search(rf"{flag}(?![a-z-])", said)] == []


@pytest.mark.parametrize("make_parser", [play_parser, join_parser, host_parser])
def test_every_option_is_in_a_group_with_title(make_parser):
    made = make_parser()
    in_groups = [
        action.dest for group in made._action_groups[2:] for action in group._group_actions
    ]
    rest = {"help", "link", "game_plugin", "lang"}  # of every command, under "more"
    assert sorted(in_groups) == sorted({one.dest for one in made._actions} - rest)


def test_help_of_host_is_in_german(read_help):
    said = read_help("host", language="de")
    assert "\nSchlüssel und Daten:\n" in said and "(sonst: 127.0.0.1:7500)" in said
    assert "default" not in said and "usage" not in said


@pytest.mark.process
@pytest.mark.parametrize("words", [[], ["play", "nim"], *([command] for command in COMMANDS)])
def test_help_imports_no_screen(words):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = json.loads(done.stderr)
    assert "fairdeal.__main__" in loaded
    assert [name for name in loaded if name.startswith(SCREENS)] == []


def test_wrap_continues_line_under_its_second_column():
    assert wrap_help("  one  two three four five", 20) == ["  one  two three", "       four five"]


def test_wrap_joins_paragraph_and_keeps_indented_line():
    assert wrap_help("one two\nthree:\n  four\n\nfive", 20) == [
        "one two three:",
        "  four",
        "",
        "five",
    ]
