"""Commands of `fairdeal mail`: a match by letters."""

import argparse
from random import Random
from secrets import SystemRandom

from bots.registry import available_bots
from player.cli import arguments
from player.cli.screen_choice import strength_of
from player.client.loadouts import Loadouts
from player.client.requirements import check_brought
from player.direct.saved_match import SavedMatch, SavedState, read_all_saved
from player.mail import inbox
from player.mail.config import read_config
from player.mail.correspondence import Correspondence
from player.mail.letter import check_address
from player.storage.data_directory import command_text
from player.storage.files import sole_player
from player.storage.identity_file import load_identity
from protocol.errors import LocalError, RemoteError
from protocol.i18n.language_choice import own_language
from protocol.view.phrase import phrase


def run(args: argparse.Namespace, loadouts: Loadouts) -> int:
    """Run a command of `fairdeal mail`; return 1 if a letter was refused. Raises: LocalError."""
    rng = SystemRandom()
    data = arguments.data_of(args)
    identity = load_identity(data, arguments.passphrase_of(args), rng)
    with sole_player(data):
        arguments.keep_given_name(args)
        bot = available_bots(args.games, strength_of(args)).get(args.bot)
        config = read_config(data)
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
            terms = arguments.terms_of(args, has_table=False)
            arguments.requirements_of(args).check(terms)
            check_brought(terms, correspondence.brings, args.games)
            correspondence.invite(
                arguments.name_of(args, rng), terms, check_address(args.partner), address
            )
        case "read":
            return 1 if inbox.read(correspondence, args.files) else 0
        case "accept":
            saved = _saved(correspondence, args.match, SavedState.INVITED)
            arguments.requirements_of(args).check(saved.invitation.terms)
            check_brought(saved.invitation.terms, correspondence.brings, args.games)
            if args.partner:
                partner = check_address(args.partner)
            else:
                partner = None
            correspondence.accept(
                saved, arguments.name_of(args, rng), _address(correspondence, args), partner
            )
        case "move":
            name, line = _split(correspondence, args.words)
            correspondence.move(_saved(correspondence, name, SavedState.OPEN), line)
        case "send":
            correspondence.send(
                _saved(correspondence, args.match, SavedState.OPEN, SavedState.OVER), args.since
            )
        case "leave":
            correspondence.leave(_saved(correspondence, args.match, SavedState.OPEN))
        case "drop":
            _saved(correspondence, args.match, *SavedState).forget()
        case "status":
            _status(correspondence, args.match)
    return 0


def _status(correspondence: Correspondence, name: str | None) -> None:
    if name is None:
        saved_matches = _all(correspondence)
    else:
        saved_matches = [_saved(correspondence, name, *SavedState)]
    if not saved_matches:
        new = command_text("mail new", correspondence.data, "--with ADDRESS")
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
        if saved.by_mail or saved.state is SavedState.INVITED
    ]


def _saved(to: Correspondence, name: str | None, *states: SavedState) -> SavedMatch:
    """The match of this name, or the only one there is in these states. Raises: LocalError."""
    found = [
        saved
        for saved in _all(to)
        if saved.state in states and _full_name(saved).startswith(name or "")
    ]
    if name is None and len(found) > 1:
        found = [saved for saved in found if saved.state is not SavedState.OVER] or found[-1:]
    if not found:
        raise LocalError("wrong.mail.no_match", command=command_text("mail status", to.data))
    if len(found) > 1:
        clash = len({saved.name for saved in found}) < len(found)
        names = [_full_name(saved) if clash else saved.name for saved in found]
        raise LocalError(
            "wrong.mail.which_match",
            names=", ".join(names),
            command=command_text("mail status", to.data),
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
