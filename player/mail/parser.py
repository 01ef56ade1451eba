"""The command line of `fairdeal mail`."""

import argparse
from functools import partial

from bots.registry import available_bots
from commandline.game_plugins import add_plugin_flag
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import add_terms_flags, terms_help
from player import arguments
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag

ABOUT = """\
A match by mail, between two people who need no table and no server but the mail that they have.

  fairdeal mail new --with bob@example.org --from ann@example.org
  fairdeal mail read letter.eml        what came: a mail as a file, - for standard input, an mbox, a Maildir
  fairdeal mail accept 1a2b3c4d        answer an invitation
  fairdeal mail move raise 20          make a choice; `mail status` says which there are
  fairdeal mail send                   send the newest letter again, the same bytes: it was lost
  fairdeal mail status                 how things stand

Letters go to --out: a FILE.eml, a FILE.mbox, a Maildir, or - for a pipe. With mail.toml in the data folder they go and
come by SMTP and IMAP (docs/mail.md). Nobody's letter is lost or harmful if it comes twice, late, or in another order.
"""


def parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal mail`."""
    made: argparse.ArgumentParser = HelpParser(prog="fairdeal mail", description=ABOUT)
    made.set_defaults(games=games)
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = partial(_command, commands, games)
    new = command("new", "invite somebody")
    new.add_argument(
        "--with", dest="partner", metavar="ADDRESS", required=True, help="the other's mail address"
    )
    assert isinstance(new, HelpParser)
    new.epilog_builder = partial(terms_help, games, has_table=False)
    add_terms_flags(new, has_table=False)
    read = command("read", "read letters")
    read.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="a mail, - for standard input, an mbox or a Maildir",
    )
    accept = command("accept", "accept an invitation", match=True)
    accept.add_argument("--with", dest="partner", metavar="ADDRESS", help="where the answer goes")
    for one in (new, accept):
        one.add_argument("--from", dest="address", metavar="ADDRESS", help="your own mail address")
        one.add_argument("--name", help="the name the other sees (default: your login name)")
        arguments.add_requirements(one)
        arguments.add_deck(one)
        add_rule_file_flag(one)
    move = command("move", "make a choice")
    move.add_argument("words", metavar="WORD", nargs="+", help="[MATCH] and the choice")
    send = command("send", "send the newest letter again", match=True)
    send.add_argument(
        "--since", type=int, metavar="N", help="or one with all entries from this number on"
    )
    command("status", "how things stand", match=True)
    command("leave", "leave a match: that ends it, and its log says so", match=True)
    command("drop", "drop an invitation or a match without a word", match=True)
    return made


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    games: Games,
    name: str,
    text: str,
    match: bool = False,
) -> argparse.ArgumentParser:
    made = commands.add_parser(name, help=text, description=text)
    if match:
        made.add_argument(
            "match", metavar="MATCH", nargs="?", help="its name, if there are several"
        )
    made.add_argument(
        "--out", metavar="WHERE", help="where letters go: FILE.eml, FILE.mbox, a Maildir, or -"
    )
    made.add_argument("--bot", choices=sorted(available_bots(games)), help="let a bot choose")
    arguments.add_strength(made)
    made.add_argument(
        "--quiet", action="store_true", help="say only the verdict, and what is refused"
    )
    arguments.add_identity_options(made)
    add_plugin_flag(made)
    add_language_flag(made)
    return made
