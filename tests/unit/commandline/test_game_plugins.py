"""Games of other distributions: which of them are loaded, and the errors for the others."""

import pytest

from commandline.game_plugins import load_plugins
from fairdeal.__main__ import main
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, DEFAULT_GAME
from protocol.i18n import english_text

MODULE = """
from dataclasses import replace
from protocol.games import Game
from protocol.games.registry import BUILT_IN, DEFAULT_GAME

OURS = BUILT_IN.specs[DEFAULT_GAME]
ROW = replace(OURS, name="new")
PAIR = (replace(OURS, name="one"), replace(OURS, name="two"))
TAKEN, NOTHING, LIST = OURS, (), ["new"]
NO_RULES = replace(ROW, rules="nowhere:at_all")
NO_HALF = replace(ROW, private_half="nowhere:at_all")
NO_SHEET = replace(ROW, sheet="nowhere:at_all")


class Alike:
    def __init__(self, name, seats, values):
        self.real_time, self.pieces = False, ()


class Unfinished(Game):
    def __init__(self, name, seats, values):
        pass


NO_GAME = replace(ROW, rules="rows_of_a_plugin:Alike")
UNFINISHED = replace(ROW, rules="rows_of_a_plugin:Unfinished")
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs distributions with given entry points."""
    (tmp_path / "rows_of_a_plugin.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)

    def install(distribution: str = "some", **points: str) -> None:
        folder = tmp_path / f"{distribution}-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n"
        )
        lines = [f"{name} = {where}" for name, where in points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[fairdeal.games]", *lines]))

    return install


def refused(*words: str) -> str:
    with pytest.raises(LocalError) as caught:
        load_plugins(words, {})
    return english_text(caught.value.phrase)


def test_unnamed_plugin_is_not_loaded(installed):
    installed(fine="rows_of_a_plugin:ROW", broken="nowhere")
    assert load_plugins(["--game", "new"], {}) == (["--game", "new"], (), BUILT_IN)


def test_named_plugin_is_added_to_our_games(installed):
    installed(fine="rows_of_a_plugin:ROW", pair="rows_of_a_plugin:PAIR")
    words = ["host", "--game-plugin", "fine", "--game", "new"]
    found = load_plugins(words, {"FAIRDEAL_GAMES": "pair, fine"})
    assert found.arguments == ["host", "--game", "new"] and found.plugins == ("pair", "fine")
    assert list(found.games.specs) == [*BUILT_IN.specs, "one", "two", "new"]


def test_unknown_plugin_name_lists_available_ones(installed):
    assert (
        refused("--game-plugin", "mine")
        == "There is no game plug-in called mine. None is installed. Install it first."
    )
    installed(fine="rows_of_a_plugin:ROW", other="rows_of_a_plugin:PAIR")
    assert (
        refused("--game-plugin=mine")
        == "There is no game plug-in called mine. Installed: fine or other. Check the name, or install it."
    )


def test_plugin_cannot_take_name_of_another_game(installed):
    installed(taken="rows_of_a_plugin:TAKEN")
    assert refused("--game-plugin", "taken") == (
        f"There already is a game called {DEFAULT_GAME}. Leave one of the two plug-ins out."
    )


def test_two_plugins_with_one_name_are_both_refused(installed):
    installed("one", fine="rows_of_a_plugin:ROW")
    installed("other", fine="rows_of_a_plugin:PAIR")
    assert refused("--game-plugin", "fine").startswith(
        "2 distributions have a game plug-in called fine."
    )


@pytest.mark.parametrize(
    "where",
    [
        "nowhere",
        "rows_of_a_plugin:GONE",
        *(f"rows_of_a_plugin:{name}" for name in ("NOTHING", "LIST", "NO_RULES")),
    ],
)
def test_broken_plugin_is_reported_in_one_sentence(installed, where):
    installed(broken=where)
    assert refused("--game-plugin", "broken").startswith("The game plug-in broken does not work (")


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("NO_GAME", "Alike gives no protocol.games.Game"),
        ("UNFINISHED", "abstract"),
        ("NO_HALF", "nowhere"),
        ("NO_SHEET", "nowhere"),
    ],
)
def test_load_plugins_names_what_a_game_lacks(installed, point, why):
    installed(broken=f"rows_of_a_plugin:{point}")
    assert why in refused("--game-plugin", "broken")


@pytest.mark.parametrize("command", ["play", "host", "join", "invite", "mail", "audit"])
def test_every_command_reports_plugin_error_without_traceback(capsys, command):
    assert main([command, "--game-plugin", "mine"]) == 2
    assert "There is no game plug-in called mine." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["play", "host", "join", "invite"])
def test_abbreviated_plugin_flag_is_not_ignored(capsys, command):
    with pytest.raises(SystemExit) as ended:
        main([command, "--game-plug", "mine"])
    assert ended.value.code == 2 and "Write --game-plugin mine in full" in capsys.readouterr().err
