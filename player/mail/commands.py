"""`fairdeal mail`: the command line of a match by letters."""

import argparse
from functools import partial
from random import Random
from secrets import SystemRandom

from bots.registry import available_bots
from commandline.game_plugins import add_plugin_flag
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import add_terms_flags, parse_terms, terms_help
from player import arguments
from player.disk.files import sole_player
from player.disk.keys import load_identity
from player.disk.place import typed
from player.loadouts import Loadouts
from player.mail import inbox
from player.mail.config import read_config
from player.mail.correspondence import Correspondence
from player.mail.letter import check_address
from player.peer.saved import SavedMatch, State, read_all_saved
from player.requirements import check_brought
from player.screens import own_language, strength_of
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import phrase

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
    """The parser of `mail`."""
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


def run(args: argparse.Namespace, loadouts: Loadouts) -> int:
    """Run a command of `fairdeal mail`; return 1 if a letter was refused. Raises: LocalError."""
    rng, data = SystemRandom(), arguments.data_of(args)
    identity = load_identity(data, arguments.passphrase_of(args), rng)
    with sole_player(data):
        bot, config = available_bots(args.games, strength_of(args)).get(args.bot), read_config(data)
        correspondence = Correspondence(
            data,
            identity,
            rng,
            config,
            bot,
            args.out,
            args.quiet,
            own_language(),
            args.games,
            loadouts.load(identity.public, getattr(args, "deck", None), arguments.rules_text(args)),
            loadouts,
        )
        try:
            return _obey(correspondence, args, rng)
        except RemoteError as error:
            raise LocalError("wrong.cannot", why=error.phrase) from None


def _obey(correspondence: Correspondence, args: argparse.Namespace, rng: Random) -> int:
    match args.command:
        case "new":
            address = _address(correspondence, args)
            terms = parse_terms(args, args.games, has_table=False)
            arguments.requirements_of(args).check(terms)
            check_brought(terms, correspondence.brings, args.games)
            correspondence.invite(
                arguments.name_of(args, rng), terms, check_address(args.partner), address
            )
        case "read":
            return 1 if inbox.read(correspondence, args.files) else 0
        case "accept":
            saved = _saved(correspondence, args.match, State.INVITED)
            arguments.requirements_of(args).check(saved.invitation.terms)
            check_brought(saved.invitation.terms, correspondence.brings, args.games)
            partner = check_address(args.partner) if args.partner else None
            correspondence.accept(
                saved, arguments.name_of(args, rng), _address(correspondence, args), partner
            )
        case "move":
            name, line = _split(correspondence, args.words)
            correspondence.move(_saved(correspondence, name, State.OPEN), line)
        case "send":
            correspondence.send(
                _saved(correspondence, args.match, State.OPEN, State.OVER), args.since
            )
        case "leave":
            correspondence.leave(_saved(correspondence, args.match, State.OPEN))
        case "drop":
            _saved(correspondence, args.match, *State).forget()
        case "status":
            _status(correspondence, args.match)
    return 0


def _status(correspondence: Correspondence, name: str | None) -> None:
    saved_matches = _all(correspondence) if name is None else [_saved(correspondence, name, *State)]
    if not saved_matches:
        new = typed("mail new", correspondence.data, "--with ADDRESS")
        correspondence.tell(phrase("letter.no_matches", command=new))
    for saved in saved_matches:
        correspondence.show(saved)


def _address(correspondence: Correspondence, args: argparse.Namespace) -> str:
    if not (args.address or correspondence.config.address):
        raise LocalError("wrong.mail.own")
    return check_address(args.address or correspondence.config.address)


def _all(to: Correspondence) -> list[SavedMatch]:
    return [
        saved
        for saved in read_all_saved(to.data, to.games)
        if saved.by_mail or saved.state is State.INVITED
    ]


def _saved(to: Correspondence, name: str | None, *states: State) -> SavedMatch:
    """The match of this name, or the only one there is in these states. Raises: LocalError."""
    found = [
        saved
        for saved in _all(to)
        if saved.state in states and _full_name(saved).startswith(name or "")
    ]
    if name is None and len(found) > 1:
        found = [saved for saved in found if saved.state is not State.OVER] or found[-1:]
    if not found:
        raise LocalError("wrong.mail.no_match", command=typed("mail status", to.data))
    if len(found) > 1:
        clash = len({saved.name for saved in found}) < len(found)
        names = [_full_name(saved) if clash else saved.name for saved in found]
        raise LocalError(
            "wrong.mail.which_match", names=", ".join(names), command=typed("mail status", to.data)
        )
    return found[0]


def _full_name(saved: SavedMatch) -> str:
    """Its name is the beginning of this; an inviter can make two that begin alike."""
    return saved.invitation.nonce.hex()


def _split(to: Correspondence, words: list[str]) -> tuple[str | None, str]:
    """The match that is meant, if the first word is one's name, and the choice."""
    if len(words) > 1 and any(words[0] in (saved.name, _full_name(saved)) for saved in _all(to)):
        return words[0], " ".join(words[1:])
    return None, " ".join(words)
