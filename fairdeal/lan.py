"""`fairdeal lan`: list the people and tables that announce themselves on the local network."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from commandline.console_text import print_error
from commandline.optional_packages import require_lan
from net.addresses import own_addresses
from net.lan.announcement import AnnouncementKind, DiscoveredService
from player.cli.arguments import data_of
from player.storage.contacts import Contact, read_contacts
from player.storage.data_directory import default_data
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag, own_language
from protocol.identity.keys import SHORT_LETTERS
from protocol.limits import FIND_SECONDS
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer

# exit codes
CLEAN = 0
FAILED = 1
USAGE = 2

_STRANGERS = {
    AnnouncementKind.PLAY: "lan.play",
    AnnouncementKind.TABLE: "lan.table",
    AnnouncementKind.TRADE: "lan.trade",
}
_CONTACTS = {
    AnnouncementKind.PLAY: "lan.play.known",
    AnnouncementKind.TABLE: "lan.table.known",
    AnnouncementKind.TRADE: "lan.trade.known",
}

EXAMPLES = (
    ("fairdeal lan", "help.lan.example.all"),
    ("fairdeal lan --want table", "help.lan.example.table"),
    ("fairdeal invite --lan", "help.lan.example.invite"),
    ("fairdeal cards trade --listen --lan", "help.lan.example.trade"),
    ("fairdeal host --lan --listen 0.0.0.0:7500", "help.lan.example.host"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    made = HelpParser(
        "fairdeal lan",
        about="help.command.lan",
        description=HelpText(phrase("help.lan.more", seconds=FIND_SECONDS)),
        examples=EXAMPLES,
        epilog="help.lan.next",
    )
    made.add_argument(
        "--want", choices=[want.value for want in AnnouncementKind], help="help.lan.want"
    )
    made.add_argument(
        "--on",
        metavar="ADDRESS",
        default="0.0.0.0",  # noqa: S104  # which networks to search; nothing listens here
        help="help.lan.on",
    )
    made.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.lan.data", usual=str(default_data()))),
    )
    add_language_flag(made)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    options = make_parser().parse_args(arguments)
    try:
        with require_lan():
            from net.lan.mdns import discover
        addresses = own_addresses(options.on)
        if not addresses:
            raise LocalError("wrong.lan")
        found = asyncio.run(discover(addresses))
        known = read_contacts(data_of(options))
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        print_error(error)
        return USAGE
    wanted = [one for one in found if options.want in (None, one.announcement.want)]
    print(listing(wanted, known, own_language()))
    return CLEAN


def listing(
    found: Sequence[DiscoveredService], known: dict[str, Contact], translate: Translate
) -> str:
    """Return the announcements as text; people in the contacts come first."""
    say = phrase_renderer(translate, ())
    if not found:
        return say(phrase("lan.nobody"))
    rows = sorted(
        found,
        key=lambda one: (
            one.announcement.fingerprint not in known,
            one.announcement.want,
            one.link.host,
        ),
    )
    lines = [
        line for one in rows for line in (say(_row(one, known)), f"  {_command(one)} {one.link}")
    ]
    return "\n".join([say(phrase("lan.hints")), *lines])


def _command(one: DiscoveredService) -> str:
    if one.announcement.want is AnnouncementKind.TRADE:
        return "fairdeal cards trade"
    return "fairdeal join"


def _row(one: DiscoveredService, known: dict[str, Contact]) -> Phrase:
    announcement = one.announcement
    letters = announcement.fingerprint[:SHORT_LETTERS]
    fields: dict[str, str | int] = {
        "game": announcement.game,
        "seats": announcement.seats,
        "short": "-".join(letters[start : start + 4] for start in range(0, SHORT_LETTERS, 4)),
    }
    if announcement.fingerprint in known:
        name = known[announcement.fingerprint].names[-1]
        return phrase(_CONTACTS[announcement.want], **fields, name=name)
    return phrase(_STRANGERS[announcement.want], **fields)
