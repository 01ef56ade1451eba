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
from protocol.games.registry import BUILT_IN, DEFAULT_GAME, Games
from protocol.i18n.help_parser import HelpParser, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag
from protocol.view.phrase import phrase

EXAMPLES = {
    "": (
        (
            "fairdeal mail new --with bob@example.org --from ann@example.org --out 1.eml",
            "help.mail.example.new",
        ),
        ("fairdeal mail read 1.eml", "help.mail.example.read"),
        (
            "fairdeal mail accept --from bob@example.org --out 2.eml",
            "help.mail.example.accept",
        ),
        ("fairdeal mail move raise 20 --out 8.eml", "help.mail.example.move"),
        ("fairdeal mail status", "help.mail.example.status"),
    ),
    "new": (
        ("fairdeal mail new --with bob@example.org --from ann@example.org --out 1.eml", ""),
        (f"fairdeal mail new --with bob@example.org --game {DEFAULT_GAME}", ""),
    ),
    "read": (
        ("fairdeal mail read 1.eml", "help.mail.example.file"),
        ("fairdeal mail read", "help.mail.example.fetch"),
    ),
    "accept": (
        ("fairdeal mail accept --from bob@example.org --out 2.eml", ""),
        ("fairdeal mail accept 1a2b3c4d --only-verified", ""),
    ),
    "move": (
        ("fairdeal mail move raise 20 --out 8.eml", ""),
        ("fairdeal mail move 1a2b3c4d fold", "help.mail.example.match"),
    ),
    "send": (("fairdeal mail send", ""), ("fairdeal mail send 1a2b3c4d --out 9.eml", "")),
    "status": (("fairdeal mail status", ""), ("fairdeal mail status 1a2b3c4d", "")),
    "leave": (("fairdeal mail leave 1a2b3c4d", ""),),
    "drop": (("fairdeal mail drop 1a2b3c4d", ""),),
}
ABOUT = {
    "new": "help.mail.new",
    "read": "help.mail.read",
    "accept": "help.mail.accept",
    "move": "help.mail.move",
    "send": "help.mail.send",
    "status": "help.mail.status",
    "leave": "help.mail.leave",
    "drop": "help.mail.drop",
}


def parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal mail`."""
    made = HelpParser(
        prog="fairdeal mail",
        about="help.command.mail",
        description="help.mail.more",
        examples=EXAMPLES[""],
        epilog="help.mail.next",
    )
    made.set_defaults(games=games)
    commands = add_commands(made)
    for name in ABOUT:
        _add(commands, name, games)
    return made


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, games: Games
) -> None:
    ending = partial(terms_help, games, has_table=False) if name == "new" else None
    made = add_command(commands, name, ABOUT[name], examples=EXAMPLES[name], ending=ending)
    if name == "move":
        made.add_argument("words", metavar="WORD", nargs="+", help="help.mail.words")
    elif name == "read":
        made.add_argument("files", metavar="FILE", nargs="*", help="help.mail.files")
    elif name != "new":
        made.add_argument("match", metavar="MATCH", nargs="?", help="help.mail.match")
    _add_letters(made.add_argument_group("help.group.letters"), name)
    if name in ("new", "accept"):
        rules = made.add_argument_group("help.group.game")
        if name == "new":
            add_terms_flags(rules, has_table=False)
        add_rule_file_flag(rules)
        arguments.add_deck(rules)
        arguments.add_requirements(made.add_argument_group("help.group.requirements"))
    bots = made.add_argument_group("help.group.bots")
    bots.add_argument(
        "--bot", choices=sorted(available_bots(games)), metavar="BOT", help="help.mail.bot"
    )
    arguments.add_strength(bots)
    arguments.add_identity_options(made.add_argument_group("help.group.files"))
    add_plugin_flag(made)
    add_language_flag(made)


def _add_letters(made: "argparse._ActionsContainer", name: str) -> None:
    if name in ("new", "accept"):
        made.add_argument(
            "--with",
            dest="partner",
            metavar="ADDRESS",
            required=name == "new",
            help="help.mail.with" if name == "new" else "help.mail.answer",
        )
        made.add_argument("--from", dest="address", metavar="ADDRESS", help="help.mail.from")
        made.add_argument("--name", help="help.flag.name")
    made.add_argument("--out", metavar="WHERE", help="help.mail.out")
    if name == "send":
        made.add_argument("--since", type=int, metavar="N", help="help.mail.since")
    made.add_argument("--quiet", action="store_true", help="help.mail.quiet")


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
