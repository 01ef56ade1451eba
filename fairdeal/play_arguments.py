"""The command line of `fairdeal play`, and its help about one game."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bots.registry import available_bots, best_bot, game_bots
from commandline.game_plugins import add_plugin_flag
from commandline.rule_file import GAME as SCRIPT
from commandline.terms_flags import (
    add_terms_flags,
    deal_options,
    dealings_help,
    game_example,
    game_examples,
    game_help,
)
from player.cli.arguments import add_deck, add_spread, add_strength, add_web, seconds
from player.storage.data_directory import default_data
from player.storage.play_command import LOGS
from protocol.games.decks.accepted_lists import OWNED_CARDS
from protocol.games.registry import BUILT_IN, DEFAULT_GAME, Games
from protocol.games.scripted.rule_file.built_in import SUFFIX as SUFFIX_OF_RULES
from protocol.games.spec import GameSpec, Information, TurnOrder
from protocol.i18n.help_parser import HelpParser, HelpText, help_renderer
from protocol.i18n.language_choice import add_language_flag
from protocol.installation import here
from protocol.view.phrase import Phrase, phrase

CARDS = OWNED_CARDS[0]  # name of the option in games to which seats bring decks
TURN_SECONDS = 3600  # for a turn
# for a turn in simultaneous play: bots do not wait for an absent person, and fill the log
SIMULTANEOUS_TURN_SECONDS = 300
# a bot's mean think time in seconds; in simultaneous play a person must be as fast as a bot
TURN_PACE = 0.5
SIMULTANEOUS_PACE = 2.5

OPEN = next(row.name for row in BUILT_IN.specs.values() if row.information is Information.PERFECT)
EXAMPLES = (
    ("fairdeal play", "help.play.example.list"),
    (f"fairdeal play {OPEN}", "help.play.example.one"),
    (f"fairdeal play {DEFAULT_GAME} --bots 3 --watch", "help.play.example.watch"),
    (f"fairdeal play {OPEN} --bot search --nodes 50", "help.play.example.bot"),
)


def make_parser(games: Games = BUILT_IN, row: GameSpec | None = None) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal play`; with `row`, its help is about this game."""
    made = HelpParser(
        prog="fairdeal play",
        description=_about_game(row) if row else "help.play.about",
        examples=_examples(row),
        ending=partial(_ending, row),
    )
    party = made.add_argument_group("help.group.party")
    party.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        help=HelpText(phrase("help.play.game", suffix=SUFFIX_OF_RULES)),
    )
    party.add_argument("--bots", type=int, metavar="N", help="help.play.bots")
    party.add_argument("--seats", type=int, metavar="N", help="help.play.seats")
    party.add_argument("--name", help="help.play.name")
    party.add_argument("--watch", action="store_true", help="help.play.watch")
    _add_bots(made.add_argument_group("help.group.bots"), games)
    rules = made.add_argument_group("help.group.game")
    time = made.add_argument_group("help.group.time")
    time.add_argument(
        "--turn-seconds",
        type=int,
        metavar="N",
        help=HelpText(
            phrase("help.play.turn_seconds", usual=TURN_SECONDS, fast=SIMULTANEOUS_TURN_SECONDS)
        ),
    )
    # bots own no cards
    without = ("--game", "--seats", "--turn-seconds", "--cards")
    example = (game_example(row) if row else None) or ("hand", 5)
    add_terms_flags(rules, has_table=True, clock=time, without=without, example=example)
    add_deck(rules)
    rules.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.play.data", usual=str(default_data()))),
    )
    add_web(made.add_argument_group("help.group.page"))
    _add_logs(made.add_argument_group("help.group.matches"))
    add_plugin_flag(made)
    add_language_flag(made)
    made.set_defaults(games=games)
    if row is not None:
        _hide_foreign_flags(made, row)
    return made


def _add_bots(made: "argparse._ActionsContainer", games: Games) -> None:
    made.add_argument(
        "--bot", choices=sorted(available_bots(games)), metavar="BOT", help="help.play.bot"
    )
    made.add_argument(
        "--pace",
        type=seconds,
        metavar="SECONDS",
        help=HelpText(phrase("help.play.pace", usual=str(TURN_PACE), fast=str(SIMULTANEOUS_PACE))),
    )
    add_spread(made)
    add_strength(made)


def log_folder(options: argparse.Namespace) -> Path:
    """Return the folder for logs: the one that was named, or the usual one of the data folder."""
    folder: Path = options.logs or (options.data or default_data()) / LOGS
    return folder


def _add_logs(made: "argparse._ActionsContainer") -> None:
    logs = default_data() / LOGS
    made.add_argument(
        "--logs",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.play.logs", usual=str(logs))),
    )
    made.add_argument("--forget", action="store_true", help="help.flag.forget")


def _hide_foreign_flags(made: argparse.ArgumentParser, row: GameSpec) -> None:
    """Hide the flags that have no meaning in this game."""
    options = {option.name for option in row.options}
    bots = game_bots(row)
    foreign = {
        "target": "target" not in options,
        "deck": CARDS not in options,
        "data": CARDS not in options,
        "nodes": "search" not in bots,
        "simulations": "mcts" not in bots,
        "deal_option": not deal_options(row),
        "leavers": "leavers" not in deal_options(row),
        "level": row.dynamics is not TurnOrder.INDEPENDENT,
    }
    for action in made._actions:
        if foreign.get(action.dest):
            action.help = argparse.SUPPRESS


def _about_game(row: GameSpec) -> str:
    said = help_renderer()(phrase("help.play.one", game=row.name, about=_about(row)))
    return f"{said}\n\n{game_help(row)}".rstrip()


def _ending(row: GameSpec | None) -> str:
    say = help_renderer()
    exits = say(phrase("help.play.exits"))
    if row is None:
        return "\n".join([say(phrase("help.play.next")), "", exits])
    return "\n".join(
        [
            dealings_help(row),
            f"{say(phrase('help.bots.flag', usual=best_bot(row)))}:",
            *(f"  {name:10}  {say(phrase(about))}" for name, about in game_bots(row).items()),
            "",
            say(phrase("help.play.next.game")),
            "",
            exits,
        ]
    )


def _examples(row: GameSpec | None) -> Sequence[tuple[str, str]]:
    if row is None:
        return EXAMPLES
    watched = (f"fairdeal play {_named(row)} --watch", "help.play.example.watch")
    if row.name == SCRIPT:
        return ((f"fairdeal play {_named(row)}", ""), watched)
    return (*game_examples("fairdeal play", row), watched)


def _named(row: GameSpec) -> str:
    """Return the game as a person names it: rules that nobody has here by their file."""
    return f"FILE{SUFFIX_OF_RULES}" if row.name == SCRIPT else row.name


def game_in_help(words: Sequence[str], games: Games) -> GameSpec | None:
    """Return the game in a request for help, if any: `play --help nim` is the same as `play nim
    --help`.
    """
    if not {"-h", "--help"} & set(words):
        return None
    return next((games.specs[word] for word in words if word in games.specs), None)


def listing(games: Games) -> str:
    """Return the list of games as text."""
    say = help_renderer()
    lines = [f"  fairdeal play {_named(row):16} {say(_about(row))}" for row in games.specs.values()]
    return "\n".join([say(phrase("games.there_are")), *lines, say(phrase("help.games.more"))])


def _about(row: GameSpec) -> Phrase:
    (least, most), about = row.seats, phrase(row.about)
    if row.version and least == most:
        return phrase("games.row.exactly", about=about, count=most)
    if row.version:
        return phrase("games.row", about=about, least=least, most=most)
    return phrase(
        "games.row.install", about=about, least=least, most=most, install=here(row.install)
    )
