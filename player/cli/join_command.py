"""`fairdeal join`: reads the command line, opens the identity, and plays."""

import argparse
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path
from random import Random
from secrets import SystemRandom
from typing import TYPE_CHECKING

from commandline.game_plugins import load_plugins
from player.cli import arguments
from player.client.outcome import CHANGED, CLEAN, DECLINED, FAILED, USAGE
from player.storage.identity_file import load_identity, read_keyfile
from protocol.errors import LocalError
from protocol.i18n import language_choice
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink, fingerprint
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer, translate_phrase

# what a match needs takes a while to load, and not every command line comes to one
if TYPE_CHECKING:
    from player.cards.decks.loadout import FolderLoadouts
    from player.cli.screen_choice import Screens
    from player.client.connection import Connect
    from player.client.environment import Environment
    from player.client.table_client import Plan
    from player.presenter.match_screen import MatchScreen
    from player.storage.resumable_matches import ResumableMatches

    # a stay at the tables behind a link, until the person leaves; returns the exit code
    Stay = Callable[[JoinLink, Environment, Plan, MatchScreen], Awaitable[int]]

SIDE_COMMANDS = ("contacts", "identity")


def main(argv: Sequence[str] | None = None, connect: "Connect | None" = None) -> int:
    """Run the command line; the exit code. `connect` reaches a table in place of the usual way."""
    install_output_fallback()
    words = language_choice.take_language_flag(sys.argv[1:] if argv is None else argv, os.environ)
    plays = False
    try:
        if words and words[0] in SIDE_COMMANDS:
            return _side_command(words[0], arguments.side_parser(words[0]).parse_args(words[1:]))
        words, _, games = load_plugins(words)
        if words and words[0] == "mail":
            from player.cli.mail_arguments import parser as mail_parser

            args = mail_parser(games).parse_args(words[1:])
            # the mail libraries take a while to import
            from player.cli import mail_commands

            return mail_commands.run(args, _loadouts(args))
        plays = True
        if words and words[0] == "lobby":
            from player.cli.lobby_arguments import parser as lobby_parser

            asked = lobby_parser(games).parse_args(words[1:])
            # so do those of a terminal
            from player.cli import lobby_command
            from player.cli.lobby_trade import trade_from_lobby

            return lobby_command.run(asked, trade_from_lobby)
        if words and words[0] in ("invite", "join"):
            from player.cli.direct_arguments import parser as peer_parser

            asked = peer_parser(words[0], games).parse_args(words[1:])
            from player.cli import direct_commands

            return direct_commands.run(words[0], asked, _loadouts(asked))
        return _play(arguments.parser(games).parse_args(words), connect)
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        from player.client.requirements import Unacceptable

        return _complain(error, DECLINED if isinstance(error, Unacceptable) else USAGE)
    finally:
        if plays:
            _let_go()


def _loadouts(args: argparse.Namespace) -> "FolderLoadouts":
    from player.cards.decks.loadout import FolderLoadouts

    return FolderLoadouts(arguments.data_of(args))


def _let_go() -> None:
    """Lose the output that a full disk has not taken: the exit code of the match counts."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123


def _side_command(command: str, args: argparse.Namespace) -> int:
    data = arguments.data_of(args)
    if command == "contacts":
        from player.storage import contacts

        print(
            contacts.listing(
                contacts.read_contacts(data), language_choice.environment_translator(os.environ)
            )
        )
        return CLEAN
    file = read_keyfile(data)  # its fingerprint is readable without the passphrase
    if file:
        name = file.fingerprint
    else:
        name = fingerprint(_identity(args, SystemRandom()).public)
    kept = phrase("keyfile.protected" if _protected(data) else "keyfile.open", folder=str(data))
    print(
        f"{name}\n{phrase_renderer(language_choice.environment_translator(os.environ), ())(kept)}"
    )
    return CLEAN


def _protected(data: Path) -> bool:
    file = read_keyfile(data)
    return file is not None and file.protected


def _identity(args: argparse.Namespace, rng: Random) -> Identity:
    return load_identity(arguments.data_of(args), arguments.passphrase_of(args), rng)


def _play(args: argparse.Namespace, connect: "Connect | None") -> int:
    """Play at a table. Every error in the arguments is found before anything is sent."""
    import asyncio

    rng = SystemRandom()
    with prepared_visit(args, rng) as visit:
        if args.forget:
            print(
                phrase_renderer(language_choice.environment_translator(os.environ), ())(
                    visit.unfinished.forget(visit.given)
                )
            )
            return CLEAN
        return asyncio.run(_matches(args, visit.to_go_on(args), rng, connect))


@dataclass(frozen=True)
class PreparedVisit:
    """A visit to a table before it begins: its link and purpose, the person's key, and the
    unfinished matches.
    """

    given: JoinLink | None
    plan: "Plan"
    identity: Identity
    unfinished: "ResumableMatches"

    @property
    def link(self) -> JoinLink:
        """The link of the table. Raises: LocalError if there is none, or more than one."""
        return self.unfinished.link(self.given)

    def to_go_on(self, args: argparse.Namespace) -> "PreparedVisit":
        """Return the visit with its link. On a page a person without a match browses first."""
        from player.cli.screen_choice import screen_row

        link = self.link
        is_new = self.unfinished.at(link) is None
        if args.log is not None and is_new:
            _check_log(args.log)
        undecided = screen_row(args).shows_tables and not args.bot and self.plan.is_open and is_new
        return replace(self, given=link, plan=replace(self.plan, browse=undecided))


@contextmanager
def prepared_visit(args: argparse.Namespace, rng: Random) -> Iterator[PreparedVisit]:
    """Hold the data folder for a visit. Raises: LocalError for wrong arguments."""
    from player.cli.screen_choice import screen_row
    from player.presenter.table_words import search_by_words
    from player.storage.recovery_state import any_recovery_states
    from player.storage.resumable_matches import ResumableMatches

    link = JoinLink.parse(args.link) if args.link else None
    if link is not None and link.direct:
        raise LocalError("wrong.direct_link", link=str(link))
    if link is None and not args.bot and not any_recovery_states(arguments.data_of(args)):
        raise LocalError("wrong.no_link")
    plan = arguments.plan_of(args, rng)
    if args.list:
        say = phrase_renderer(language_choice.own_language(), ())
        plan = replace(plan, search=search_by_words(args.find, args.games, say))
    screen_row(args)  # finds options that do not go together
    own = plan.takes_seat
    with arguments.held_data(args) if own else nullcontext(arguments.data_of(args)) as data:
        if own:
            identity = _identity(args, rng)
        else:
            identity = Identity(rng.randbytes(KEY_SIZE))
        unfinished = ResumableMatches(data, identity if own else None)
        yield PreparedVisit(link, plan, identity, unfinished)


def _check_log(path: Path) -> None:
    """Raises LocalError now, not when the match begins: there the others would wait in vain for
    this player.
    """
    if path.exists():
        raise LocalError("wrong.log.exists", path=str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.access(path.parent, os.W_OK):
            return
    except OSError as error:
        raise LocalError("wrong.log.write", path=str(path), why=str(error.strerror)) from None
    raise LocalError("wrong.log.write.folder", path=str(path))


async def _matches(
    args: argparse.Namespace, visit: PreparedVisit, rng: Random, connect: "Connect | None"
) -> int:
    """Visit a table until a signal stops the program; the exit code."""
    from player.cli.screen_choice import screen_for
    from player.cli.table_visits import stop_when_interrupted
    from player.storage.known_tables import ChangedTable

    try:
        return await visit_table(
            args,
            visit,
            rng,
            screen_for,
            lambda screen: stop_when_interrupted(screen, FAILED),
            connect=connect,
        )
    except LocalError as error:
        return _complain(error, CHANGED if isinstance(error, ChangedTable) else FAILED)


async def visit_table(
    args: argparse.Namespace,
    visit: PreparedVisit,
    rng: Random,
    screens: "Screens",
    on_screen: "Callable[[MatchScreen], None]" = lambda screen: None,
    stay: "Stay | None" = None,
    connect: "Connect | None" = None,
) -> int:
    """Play one match, and another one with --again or if the person says so. Return the exit code.
    A plan that browses first lets the person choose the table.

    `on_screen` gets the screen, one of `screens`. `stay` does in place of all this what a person
    does at a table. `connect` reaches a table in place of the usual way. Raises: LocalError.
    """
    from player.cards.decks.loadout import FolderLoadouts
    from player.cards.rule_sets import FolderRuleSets
    from player.cli.table_visits import play_matches
    from player.client.environment import Environment
    from player.client.seat import Seat
    from player.storage import contacts

    plan = visit.plan
    identity = visit.identity
    known = contacts.read_contacts(data := arguments.data_of(args))
    deck = args.deck if plan.takes_seat or plan.browse else None
    loadouts = FolderLoadouts(data)
    brings = loadouts.load(identity.public, deck, arguments.rules_text(args))
    if args.spectate:
        own = read_keyfile(data)
        known = contacts.with_oneself(known, own.fingerprint if own else None)
    # the file that was named has a match in it then
    plans = chain([plan], repeat(replace(plan, log=None)))
    async with screens(args, known) as (screen, bot):
        on_screen(screen)
        environment = Environment(
            identity,
            rng,
            Seat,
            bot,
            screen.hear,
            games=args.games,
            brings=brings,
            loadouts=loadouts,
            rule_sets=FolderRuleSets(data, identity.public, older=args.older, games=args.games),
        )
        if connect is not None:
            environment = replace(environment, connect=connect)
        if stay is not None:
            return await stay(visit.link, environment, plan, screen)
        if plan.browse:
            return await _browse(args, visit.link, environment, replace(plan, browse=False), screen)
        return await play_matches(visit.link, environment, plans, data, screen, args.again)


async def _browse(
    args: argparse.Namespace,
    link: JoinLink,
    environment: "Environment",
    plan: "Plan",
    screen: "MatchScreen",
) -> int:
    from player.cards.decks.deck_choice import FolderDecks
    from player.cli.table_browser import TableBrowser
    from player.presenter.match_screen import TableScreen

    data = arguments.data_of(args)
    decks = FolderDecks(data, environment.identity.public, arguments.rules_text(args), args.deck)
    assert isinstance(screen, TableScreen)  # `ScreenRow.shows_tables`
    return await TableBrowser(environment, plan, data, screen, decks).play(link)


def _complain(error: LocalError, code: int) -> int:
    print(
        f"fairdeal: {translate_phrase(error.phrase, language_choice.environment_translator(os.environ))}",
        file=sys.stderr,
    )
    return code
