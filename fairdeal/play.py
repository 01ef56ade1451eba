"""`fairdeal play GAME`: matches at a table on this machine, against bots, with a person at the
terminal.

Table and bots are ordinary programs. The person's seat is in this process, which has the terminal.
Each has a folder of its own, so the match is like every other match, down to its log. Only the
person's name is used: identity and contacts are for play with people.
"""

import argparse
import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from random import SystemRandom

from bots.registry import best_bot
from commandline.console_text import print_error
from commandline.rule_file import GAME as SCRIPT
from commandline.rule_file import read_rule_file
from commandline.stop_signals import call_when_stopped
from commandline.terms_flags import (
    named_rule_file,
    parse_terms,
    rule_file_arguments,
    terms_arguments,
)
from fairdeal.play_arguments import (
    CARDS,
    SIMULTANEOUS_PACE,
    SIMULTANEOUS_TURN_SECONDS,
    TURN_PACE,
    TURN_SECONDS,
    log_folder,
    make_parser,
)
from fairdeal.processes import OWN_TERMS, Programs
from player.cards.decks.loadout import load_proxies
from player.cli.arguments import name_of, parser, plan_of, rules_text
from player.cli.screen_choice import Screens, screen_for, screen_name, screen_row
from player.cli.table_visits import play_matches
from player.client.environment import Environment
from player.client.loadouts import NO_OWNED_CARDS, Loadouts
from player.client.requirements import check_brought
from player.client.seat import Seat
from player.client.table_client import Plan
from player.presenter.match_screen import MatchScreen
from player.storage import contacts
from player.storage.data_directory import default_data
from player.storage.files import own_folder, sole_player
from player.storage.identity_file import load_identity
from player.storage.play_command import PERSON, UNFINISHED, StoredCommand
from player.storage.recovery_state import (
    RecoveryState,
    any_recovery_states,
    read_recovery_states,
)
from player.ui.terminal.leftover_input import drop_leftover_input
from protocol.errors import LocalError
from protocol.games.decks.accepted_lists import OWNED_CARDS
from protocol.games.decks.deck_hand import Loadout
from protocol.games.game_names import no_game
from protocol.games.registry import Games
from protocol.games.scripted.rule_file.built_in import SUFFIX as SUFFIX_OF_RULES
from protocol.games.spec import TurnOrder
from protocol.i18n.language_choice import own_language
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink
from protocol.identity.names import name_skeleton
from protocol.limits import MAX_SEATS
from protocol.match.log_file import SUFFIX
from protocol.view.phrase import phrase

# exit codes
CLEAN = 0
FAILED = 1
USAGE = 2
WATCHED = ("watch",)  # flags with which no person makes choices
NAMES = ("Bob", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana", "Ivo", "Jane", "Kim")


def complete_options(options: argparse.Namespace) -> tuple[int, str, Loadout]:
    """Complete the options from each other; return bots, the person's name, and the deck.

    Raises: LocalError if options do not go together.
    """
    _name_game(options)
    screen_row(options, WATCHED)
    options.seats, bots = count_seats(options)
    if options.turn_seconds is None:
        if _is_simultaneous(options):
            options.turn_seconds = SIMULTANEOUS_TURN_SECONDS
        else:
            options.turn_seconds = TURN_SECONDS
    brings = _loadout(options, bots)
    check_brought(parse_terms(options, options.games, has_table=True), brings, options.games)
    you = name_of(
        argparse.Namespace(name=options.name, bot=None, data=options.data), SystemRandom()
    )
    return bots, you, brings


def _loadout(options: argparse.Namespace, bots: int) -> Loadout:
    """Load the deck of the person. A deck of owned cards becomes practice copies for everybody.
    Raises: LocalError.
    """
    data, text = options.data or default_data(), rules_text(options)
    options.practice = None
    if options.deck is not None and bots == options.seats - 1:
        # reading the ledger takes a while to import
        from player.cards.decks.practice import read_practice

        options.practice = read_practice(data, options.deck, text)
    if options.practice is None:
        return load_proxies(data, options.deck, text)
    chosen = options.option or ()
    names = {option.name for option in options.games.specs[options.game].options}
    if CARDS in names and CARDS not in dict(chosen):
        options.option = [*chosen, OWNED_CARDS]
    # only the check before the match sees these copies: the key of the match is not made yet
    passing: Loadout = options.practice.loadout(Identity(SystemRandom().randbytes(KEY_SIZE)), text)
    return passing


def run(
    options: argparse.Namespace, plugins: tuple[str, ...], bots: int, you: str, brings: Loadout
) -> int:
    """Play match after match, and return the exit code."""
    with _match_folder(options, you) as folder:
        return asyncio.run(Play(options, Programs(folder, plugins), you, brings).run(folder, bots))


async def play_words(
    words: Sequence[str], games: Games, plugins: tuple[str, ...], screens: Screens
) -> int:
    """Play as `fairdeal play` with these words does, on a screen of `screens`. Raises:
    LocalError.
    """
    try:
        options = make_parser(games).parse_args(["--web", *words])
    except SystemExit:  # stored words of another version
        raise LocalError("home.no_match") from None
    options.words = list(words)
    bots, you, brings = complete_options(options)
    with _match_folder(options, you) as folder:
        playing = Play(options, Programs(folder, plugins), you, brings, screens)
        return await playing.play(folder, bots)


@contextmanager
def _match_folder(options: argparse.Namespace, you: str) -> Iterator[Path]:
    """Hold the folder of a match; at the end delete it if the match is over."""
    with own_folder(log_folder(options) / UNFINISHED / _command_digest(options, you)) as folder:
        try:
            if options.forget:
                _delete_match(folder)
            if not options.watch:
                StoredCommand(options.game, _continue_words(options.words, you)).write(folder)
            yield folder
        finally:
            if not any_recovery_states(folder / PERSON):
                shutil.rmtree(folder, ignore_errors=True)


def _continue_words(words: Sequence[str], you: str) -> tuple[str, ...]:
    """Return the words of the command that continues a match. They work in any folder, and after
    the person has changed name.
    """
    kept = [word for word in words if word not in ("--web", "--forget")]
    whole = [str(Path(word).resolve()) if word.endswith(SUFFIX_OF_RULES) else word for word in kept]
    return (*whole, "--name", you)


def _delete_match(folder: Path) -> None:
    """Delete the match with its table and bots: nobody else has a part in it."""
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each, ignore_errors=True)


def _name_game(options: argparse.Namespace) -> None:
    """Replace the path of a rule file by the game `script` with this file. Raises: LocalError."""
    options.rules = None
    if options.game.endswith(SUFFIX_OF_RULES):
        options.rules = read_rule_file(Path(options.game))
        options.game = SCRIPT
    if options.game not in options.games.specs:
        raise no_game(options.game, options.games, own_language())


def bot_of(options: argparse.Namespace) -> str:
    """Return the name of the bot that plays."""
    return options.bot or best_bot(options.games.specs[options.game])


def _is_simultaneous(options: argparse.Namespace) -> bool:
    """Check that the game has simultaneous play."""
    dynamics: TurnOrder = options.games.specs[options.game].dynamics
    return dynamics is TurnOrder.INDEPENDENT


def bot_words(options: argparse.Namespace) -> list[str]:
    """Return the bot's name, strength and think time as flags of `fairdeal join`."""
    usual = SIMULTANEOUS_PACE if _is_simultaneous(options) else TURN_PACE
    words = [
        "--bot",
        bot_of(options),
        "--pace",
        str(usual if options.pace is None else options.pace),
        "--spread",
        str(options.spread),
    ]
    for flag in ("nodes", "simulations"):
        if (number := getattr(options, flag)) is not None:
            words += [f"--{flag}", str(number)]
    return words


def count_seats(options: argparse.Namespace) -> tuple[int, int]:
    """Return the numbers of seats and of bots. Raises: LocalError if they do not fit together."""
    rules = named_rule_file(options)
    default: int = rules.seats if rules else options.games.specs[options.game].default_seats
    if options.bots is not None:
        default = options.bots + 1
    seats: int = default if options.seats is None else options.seats
    bots: int = seats - 1 if options.bots is None else options.bots
    if not 0 <= bots < seats:
        raise LocalError("wrong.bots_seats", seats=seats, most=seats - 1)
    if bots >= MAX_SEATS:
        raise LocalError("wrong.bots_most", most=MAX_SEATS - 1)
    return seats, bots


def _command_digest(options: argparse.Namespace, you: str) -> str:
    """Return a digest of all options that define a match. An interrupted match is continued only by
    a command with the same digest.
    """
    terms = [
        terms_arguments(options),
        options.bots,
        options.bot,
        options.nodes,
        options.simulations,
        options.watch,
        options.deck,
        you,
    ]
    return sha256(repr(terms).encode()).hexdigest()[:12]


class Play:
    """One run: the programs of table and bots, and the person's seat in this process."""

    def __init__(
        self,
        options: argparse.Namespace,
        programs: Programs,
        you: str,
        brings: Loadout,
        screens: Screens = screen_for,
    ) -> None:
        self._options = options
        self._programs = programs
        self._you = you
        self._brings = brings
        self._screens = screens
        self._row = screen_row(options, WATCHED)
        self._screen: MatchScreen | None = None
        self._stopped = False  # set by Ctrl-C or a signal
        # a command that continues a stored match says so; a page does not, as the person chose it
        self._reports_stored_match = False

    async def run(self, folder: Path, bots: int) -> int:
        """Play until a signal stops the program, and return the exit code."""
        self._reports_stored_match = True
        call_when_stopped(self._stop, hangup=True)
        drop_leftover_input()
        try:
            return await self.play(folder, bots)
        except LocalError as error:
            print_error(error)
            return USAGE if self._screen is None else FAILED

    async def play(self, folder: Path, bots: int) -> int:
        """Play, and return the exit code. Raises: LocalError."""
        opening = asyncio.create_task(self._open(folder, bots))
        try:
            if self._row.load is not None:  # the screen opens while the table still starts
                await asyncio.to_thread(self._row.load)
            else:
                await opening
            if self._stopped:
                return FAILED
            only_bots = bots == self._options.seats - 1
            return await self._sit_down(opening, folder / PERSON, only_bots)
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
            await self._programs.stop()

    async def _open(self, folder: Path, bots: int) -> str:
        """Open a table with bots, and return its link. Raises: LocalError."""
        options = self._options
        self._row.tell(phrase("notice.opening", game=options.game, count=options.seats, bots=bots))
        link = await self._programs.open_table(
            "--listen",
            "127.0.0.1:0",
            "--data",
            str(folder / "table"),
            "--name",
            own_language()("notice.own_table", None),
            "--log-level",
            "error",
            "--workers",
            "0",
            *terms_arguments(options),
        )
        if options.practice is not None:
            self._row.tell(phrase("notice.practice", name=options.deck))
        names = [name for name in NAMES if name_skeleton(name) != name_skeleton(self._you)]
        for name in names[:bots]:
            await self._programs.start_bot(
                link,
                name,
                OWN_TERMS,
                *bot_words(options),
                *rule_file_arguments(options),
                *self._bot_deck(folder / name),
            )
        if bots < options.seats - 1:
            self._row.tell(phrase("notice.for_others", link=link))
        return link

    def _bot_deck(self, data: Path) -> tuple[str, ...]:
        """Give a bot its own practice copies, and return the flag for them; nothing without
        copies.
        """
        practice = self._options.practice
        if practice is None:
            return ()
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        practice.store(data, load_identity(data, None, SystemRandom()))
        return ("--deck", practice.name)

    def _brought(self, identity: Identity) -> tuple[Loadout, Loadouts]:
        """Return the loadout of the person's seat, and the loadouts that check it."""
        practice = self._options.practice
        if practice is None:
            return self._brings, NO_OWNED_CARDS
        from player.cards.decks.practice import PracticeLoadouts

        data = self._options.data or default_data()
        return practice.loadout(identity, self._brings.text), PracticeLoadouts(data)

    async def _sit_down(self, opening: asyncio.Task[str], data: Path, only_bots: bool) -> int:
        """Play match after match in the person's seat, at the table of `opening`; return the exit
        code. `only_bots`: bots have all other seats. Raises: LocalError.
        """
        options = self._options
        rng = SystemRandom()
        played_by = bot_words(options) if options.watch else ()
        args = parser(options.games).parse_args(
            ["--name", self._you, "--data", str(data), OWN_TERMS, *played_by],
            argparse.Namespace(
                screen=screen_name(options), web_name=options.web_name, only_bots=only_bots
            ),
        )
        with sole_player(data):
            identity = load_identity(data, None, rng)
            async with self._screens(args, contacts.read_contacts(data)) as (self._screen, bot):
                if self._stopped:  # a signal came before the screen existed
                    return FAILED
                brings, loadouts = self._brought(identity)
                environment = Environment(
                    identity,
                    rng,
                    Seat,
                    bot,
                    self._screen.hear,
                    games=options.games,
                    brings=brings,
                    loadouts=loadouts,
                )
                if self._reports_stored_match:
                    _report_stored_match(self._screen, read_recovery_states(data, identity))
                link = JoinLink.parse(await opening)
                plans = self._plans(plan_of(args, rng))
                matches = play_matches(link, environment, plans, data, self._screen)
                code = await self._programs.run_matches(matches, self._screen.stop)
        return FAILED if self._stopped else code

    def _plans(self, plan: Plan) -> Iterator[Plan]:
        """Yield the plan of each match, with a new log file."""
        while True:
            yield replace(plan, log=_new_log_path(log_folder(self._options), self._options.game))

    def _stop(self) -> None:
        """Stop the person's seat, which keeps the match; then the run ends."""
        self._stopped = True
        if self._screen is not None:
            self._screen.stop()


def _report_stored_match(screen: MatchScreen, older: Sequence[RecoveryState]) -> None:
    """Say that this command continues a match, when that was played, and how to begin another."""
    if older:
        played = datetime.fromtimestamp(older[0].changed)
        screen.tell(phrase("notice.going_on.play", when=f"{played:%Y-%m-%d %H:%M}"), always=True)


def _new_log_path(folder: Path, game: str) -> Path:
    """Return the path of a new log file."""
    stem = f"{game}-{datetime.now():%Y%m%d-%H%M%S}"
    number = 1
    while (path := folder / f"{stem}{f'-{number}' if number > 1 else ''}{SUFFIX}").exists():
        number += 1
    return path
