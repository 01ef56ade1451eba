"""The `fairdeal` command: every subcommand exists and finds its program, and a link gives its
table.
"""

import asyncio
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from commandline.terms_flags import parse_terms, terms_arguments
from fairdeal import __main__ as door
from fairdeal import play
from fairdeal.__main__ import COMMANDS, main
from fairdeal.overview import is_desktop, overview
from fairdeal.play_arguments import make_parser
from fairdeal.processes import Programs
from player.client.seat import NOTHING_BROUGHT
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.limits import MAX_SEATS
from protocol.messages.table import VERSION
from table import __main__ as table

LETTERS = "a" * 40


@pytest.mark.parametrize("command", COMMANDS)
def test_main_describes_every_command(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: fairdeal {command} ")


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("fairdeal", "play", "nim"), 1),
        (("fairdeal", "conformance", "--list"), 2),
        (("table", "--help"), 1),
        (("conformance", "--help"), 2),
    ],
)
def test_main_without_a_native_library_says_what_to_do(words, code, tmp_path):
    (tmp_path / "rbcl.py").write_text(
        "raise OSError('failed to map segment: Operation not permitted')", "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", *words],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    (line,) = done.stderr.splitlines()
    assert "libsodium could not be loaded: set TMPDIR" in line


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_help_names_every_command(words, capsys):
    assert main(words) == 0
    said = capsys.readouterr().out
    assert all(f"\n  {name} " in said for name in COMMANDS)


def test_main_prints_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(
        f"fairdeal {version('fairdeal')}, protocol {VERSION}, Python 3."
    )


@pytest.mark.parametrize(
    ("environ", "platform", "terminal", "desktop"),
    [
        ({"DISPLAY": ":0"}, "linux", True, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, True),
        ({}, "win32", True, True),
        ({}, "darwin", True, True),
        ({"DISPLAY": ""}, "linux", True, False),
        ({"DISPLAY": ":0"}, "linux", False, False),
    ],
)
def test_overview_begins_with_app_in_desktop_session(environ, platform, terminal, desktop):
    assert is_desktop(environ, platform, terminal) is desktop
    first = overview(desktop).splitlines()[0]
    assert first.endswith("fairdeal app") is desktop


def test_main_without_arguments_prints_overview(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("usage: fairdeal ")


def test_unknown_command_is_wrong_usage(capsys):
    assert main(["paly"]) == 2
    said = capsys.readouterr().err
    assert "There is no command paly. Did you mean play?" in said
    assert main(["qqqq"]) == 2
    assert "There is no command qqqq. There are: app, play," in capsys.readouterr().err


def test_main_with_missing_file_exits_with_audit_code(tmp_path, capsys):
    assert main(["audit", str(tmp_path / "no.fairdeal")]) == 2
    assert "no.fairdeal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "player"),
    [
        (
            [f"fairdeal://example.org:7500/{LETTERS}", "--list"],
            [f"fairdeal://example.org:7500/{LETTERS}", "--list"],
        ),
        (
            ["--bot", "greedy", f"Fairdeal-Direct://h:1/{LETTERS}"],
            ["join", "--bot", "greedy", f"Fairdeal-Direct://h:1/{LETTERS}"],
        ),
        ([], []),
    ],
)
def test_link_shows_whether_a_table_is_given(words, player, monkeypatch):
    asked = []
    monkeypatch.setattr(door, "_player", lambda words: asked.append(words) or 0)
    door._join(words)
    assert asked == [player]


def test_play_without_a_game_lists_the_games(capsys):
    assert main(["play"]) == 0
    said = capsys.readouterr().out
    named = [name for name in BUILT_IN.specs if name != "script"]
    assert all(f"fairdeal play {name} " in said for name in (*named, "FILE.rules"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--bots", "3"], (4, 3)),
        (["--seats", "3"], (3, 2)),
        (["--seats", "4", "--bots", "1"], (4, 1)),
        (["--bots", "0", "--seats", "2"], (2, 0)),
        ([], (2, 1)),
    ],
)
def test_play_fills_remaining_seats_with_bots(words, expected):
    assert play.count_seats(make_parser().parse_args(["block-dominoes", *words])) == expected


def test_play_of_game_for_one_adds_no_bot():
    asked = make_parser().parse_args(["intruder"])
    assert play.count_seats(asked) == (1, 0)
    assert parse_terms(asked, BUILT_IN, has_table=True).seats == 1


@pytest.mark.parametrize(
    "words",
    [
        ["block-dominoes", "--seats", "2"],
        [
            "texas-holdem",
            "--seats",
            "3",
            "--option",
            "hands=3",
            "--option",
            "ante=1",
            "--leavers",
            "void",
        ],
        [
            "block-dominoes",
            "--seats",
            "4",
            "--target",
            "7",
            "--deal",
            "layered",
            "--deal-option",
            "take=25",
        ],
        [
            "five-card-draw",
            "--seats",
            "3",
            "--turn-seconds",
            "9",
            "--extensions",
            "1",
            "--step-seconds",
            "8",
        ],
    ],
)
def test_play_asks_table_for_exactly_the_requested_options(words):
    asked = make_parser().parse_args(words)
    at_the_table = table.make_parser().parse_args(terms_arguments(asked))
    assert parse_terms(at_the_table, BUILT_IN, has_table=True) == parse_terms(
        asked, BUILT_IN, has_table=True
    )


@pytest.mark.parametrize(
    "words", [["--seats", "2", "--bots", "2"], ["--bots", "-1"], ["--bots", "10"]]
)
def test_more_bots_than_seats_is_wrong_usage(words):
    with pytest.raises(LocalError):
        play.count_seats(make_parser().parse_args(["block-dominoes", *words]))


def test_full_table_has_names_for_all_bots():
    """A person may have the name of one of them."""
    assert play.count_seats(make_parser().parse_args(["texas-holdem", "--bots", "9"])) == (10, 9)
    assert len(set(play.NAMES)) == len(play.NAMES) >= MAX_SEATS


async def test_player_stopping_before_screen_exists_is_not_seated(tmp_path):
    """The screen did not exist yet, so the client could not report to it."""
    asked = make_parser().parse_args(["nim", "--watch"])
    (asked.seats, _), asked.rules = play.count_seats(asked), None
    run = play.Play(asked, Programs(tmp_path), "Ann", NOTHING_BROUGHT)
    run._stopped = True
    async with asyncio.timeout(60):
        assert await run._sit_down(asyncio.Future(), tmp_path, only_bots=True) == play.FAILED
