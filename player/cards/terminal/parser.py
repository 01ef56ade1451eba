"""The command line of `fairdeal cards`."""

import argparse
from pathlib import Path

from player import arguments
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag
from protocol.ledger.witness.policy import AcceptancePolicy

HERE = "0.0.0.0:7502"
FREE = "0.0.0.0:0"
ABOUT = """\
Cards that you own without a server: who made a card, and through whose hands it came to you, is signed, and on this
computer. Anybody can check it without a network.

  fairdeal cards import starter.cards        take in cards that somebody sent you, as a file
  fairdeal cards binder                      your cards
  fairdeal cards show "Ember #3"             all that is known of one
  fairdeal cards verify "Ember #3"           check every signature that it rests on, anew
  fairdeal cards trade --listen              wait for one person to trade with; it prints a link, and the other types:
  fairdeal cards trade LINK
  fairdeal cards buy LINK                    buy a sealed pack from a creator who sells them
  fairdeal cards trade --letter FILE         trade without a network: files to and fro, in whatever way you like
  fairdeal cards alarms                      who has cheated, with the proof
"""
EPILOG = """\
A card is named by its name, by name and serial (Ember#3), or by the beginning of its id, as it is shown: 3f2a91c0. A
person by the name of a creator or of somebody you have played with, or by the beginning of a fingerprint.

All answers are as far as this computer knows. Somebody can give a card to two people who do not know of each other;
when their records meet, an alarm names the cheat, the card burns, and what was built on it is undone. Only a card that
is settled is safe from that: witnesses, whom its creator names, have seen the trade first (docs/cards.md).

exit codes: 0 done, or it holds; 1 no trade came of it, or it does not hold; 2 wrong usage; 3 records are missing to say
"""
DECK_MORE = """

A deck is a list under a name, on this computer alone: of cards that you own or, with --proxies, of the cards that rules
bring along. `fairdeal join LINK --deck NAME` plays with it. A card may be in several decks.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of `fairdeal cards`."""
    made: argparse.ArgumentParser = HelpParser(
        prog="fairdeal cards", description=ABOUT, epilog=EPILOG
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _looking(commands)
    _marking(commands)
    _files(commands)
    _trade(commands)
    _buy(commands)
    _update(commands)
    for one in (*commands.choices.values(), *_decks(commands)):
        arguments.add_identity_options(one)
        add_language_flag(one)
    return made


def _looking(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    for name, about in (
        ("list", "list cards, one a line"),
        ("binder", "draw a binder: cards by edition"),
    ):
        made = arguments.add_command(commands, name, about)
        made.add_argument(
            "--of", metavar="PERSON", help="somebody else's, as far as this computer knows"
        )
        made.add_argument("--edition", metavar="NAME", help="of this edition only")
    made.add_argument(
        "--web",
        action="store_true",
        help="your cards on a page in your browser, to look at and to "
        "trade, which this program serves to this machine alone (needs fairdeal[web])",
    )
    made.add_argument(
        "--rules",
        metavar="FILE",
        type=Path,
        help="with --web: a rule file of your own, to make decks for beside those that come along",
    )
    made.add_argument(
        "--web-name", metavar="NAME", help="what a proxy of your own calls the page, from afar"
    )
    made.set_defaults(bot=None)
    made.add_argument(
        "--name", help="with --web: the name that others see (default: your login name)"
    )
    made.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=FREE,
        help=f"with --web: where somebody who trades with you calls (default: {FREE}, any free "
        "port)",
    )
    show = arguments.add_command(
        commands, "show", "show all that is known of a card, a trade or a person"
    )
    show.add_argument("what", metavar="CARD|TRADE|PERSON", nargs="+")
    verify = arguments.add_command(
        commands,
        "verify",
        "check cards, or a file of records, anew: every signature and every hand it went through",
        "\n\nexit codes: 0 it holds, 1 it does not, 3 records are missing to say",
    )
    verify.add_argument(
        "what",
        metavar="CARD|FILE",
        nargs="+",
        help="a card of yours, or a file that ends in .cards",
    )
    arguments.add_command(
        commands, "alarms", "list the proofs that somebody has cheated, and what is undone by them"
    )


def _marking(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    trust = arguments.add_command(
        commands,
        "trust",
        "say whom you trust as a creator; without a PERSON: list creators, with your marks",
        "\n\nCards of who is not trusted are marked before you trade. Nobody else hears of a "
        "mark against them.",
    )
    trust.add_argument("who", metavar="PERSON", nargs="?")
    how = trust.add_mutually_exclusive_group()
    how.add_argument("--not", dest="distrust", action="store_true", help="distrust them")
    how.add_argument("--forget", action="store_true", help="take the mark away")
    policy = arguments.add_command(
        commands,
        "policy",
        "say which cards you take in a trade; without a POLICY: which policy you have",
        "\n\nA card's past is settled if witnesses have certified the trade that brought it "
        "to the other, or if\n"
        "its creator gives it away for the first time. Whom you trust counts as met in person.",
    )
    policy.add_argument("policy", metavar="POLICY", nargs="*", help=" | ".join(AcceptancePolicy))
    witness = arguments.add_command(
        commands,
        "witness",
        "say where a witness is that creators name; without a LINK: list them, and where they are",
        "\n\nA witness is a table with `fairdeal host --witness`. Whoever answers there has "
        "to prove its key.",
    )
    witness.add_argument(
        "link", metavar="LINK", nargs="?", help="the join link that its table printed"
    )
    settle = arguments.add_command(
        commands,
        "settle",
        "ask witnesses to certify the trades by which you got your cards",
        "\n\nWhat is certified no later cheat can undo. Nobody has to: cards can be traded "
        "without it. Witnesses are\n"
        "told the trades that a card came by, not who asks.\n\nexit codes: 0 all is "
        "certified, 1 something is not",
    )
    settle.add_argument("cards", metavar="CARD", nargs="*", help="these; without: all of yours")
    mend = arguments.add_command(
        commands, "mend", "go on with an old copy of the data folder, if the newest one is lost"
    )
    mend.add_argument(
        "--yes",
        action="store_true",
        help="you know that you may be named for what you signed since",
    )


def _files(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    taken = arguments.add_command(
        commands,
        "import",
        "take in cards, trades and alarms from files",
        "\n\nEvery record is checked by its signature. Nothing that you have can be replaced "
        "by it, only joined.",
    )
    taken.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="what somebody has exported; - for a pipe",
    )
    given = arguments.add_command(
        commands,
        "export",
        "write cards into a file, with all that proves whose they are",
        "\n\nAlarms go with everything. Without CARD: all your cards.",
    )
    given.add_argument("cards", metavar="CARD", nargs="*")
    given.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        required=True,
        help="a new file; its name ends in .cards",
    )
    which = given.add_mutually_exclusive_group()
    which.add_argument(
        "--all", action="store_true", help="all that this computer knows, of everybody"
    )
    which.add_argument("--alarms", action="store_true", help="only alarms")


def _trade(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    trade = arguments.add_command(
        commands,
        "trade",
        "trade cards with one other person",
        "\n\n"
        "On a terminal you are asked; --give, --want and --yes do without, for scripts. "
        "Nothing is signed before you\n"
        "have seen what comes and what goes, the marks of its creators, and the alarms that "
        "name the other.",
    )
    trade.add_argument(
        "link",
        metavar="LINK",
        nargs="?",
        help="what `fairdeal cards trade --listen` printed over there",
    )
    way = trade.add_mutually_exclusive_group()
    way.add_argument(
        "--listen",
        metavar="HOST:PORT",
        nargs="?",
        const=HERE,
        help=f"wait for the other here (default: {HERE}; port 0: any free one)",
    )
    way.add_argument(
        "--letter",
        metavar="FILE",
        nargs="?",
        const="",
        help="trade by letters: read the other's FILE, and write the answer; without FILE: write "
        "the first one",
    )
    trade.add_argument(
        "--lan",
        action="store_true",
        help="with --listen: let `fairdeal lan` find you until somebody "
        "has come: all on the local network read your address and fingerprint (needs fairdeal[lan])",
    )
    arguments.add_lines(trade, "trade")
    trade.add_argument(
        "--keep-trying",
        type=arguments.patience,
        metavar="SECONDS",
        help="wait so long for another line when all are lost (default 600)",
    )
    trade.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="where the letter goes (default: beside the other's)",
    )
    trade.add_argument(
        "--give", metavar="CARD", nargs="+", default=[], help="cards of yours that you offer"
    )
    trade.add_argument(
        "--want",
        metavar="CARD",
        nargs="+",
        default=[],
        help="cards of theirs that you want for them",
    )
    trade.add_argument(
        "--yes",
        action="store_true",
        help="sign if exactly this comes and goes, and your policy allows it, without a question",
    )
    trade.add_argument("--name", help="the name the other sees (default: your login name)")
    trade.set_defaults(bot=None)


def _buy(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    buy = arguments.add_command(
        commands,
        "buy",
        "buy packs from a creator who sells them at a link",
        "\n\nThe packs were sealed before the first one was sold, and a coin of you both "
        "chooses yours: nobody knows\n"
        "which it is before both have committed to it. What the creator signed for it is "
        "kept, in receipts/.",
    )
    buy.add_argument("link", metavar="LINK", help="what `fairdeal creator sell` printed over there")
    buy.add_argument(
        "--run", metavar="RUN", help="the beginning of a run's id, if several are on sale"
    )
    buy.add_argument(
        "--packs", type=int, metavar="N", default=1, help="how many (default: %(default)s)"
    )
    buy.add_argument(
        "--pay",
        metavar="CARD",
        nargs="+",
        default=[],
        help="cards of that creator's, if packs have a price; for all packs together",
    )


def _update(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    update = arguments.add_command(
        commands,
        "update",
        "ask the creators you trust for news: revisions of their cards, and records that you lack",
        "\n\nNever needed, and nothing is taken unchecked. The link that a creator gives is "
        "fetched over https, the\n"
        "same for everybody: nobody hears what you own. Whoever runs it sees your address.",
    )
    update.add_argument(
        "who", metavar="PERSON", nargs="*", help="these creators (default: all that you trust)"
    )


def _decks(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> list[argparse.ArgumentParser]:
    """Return the parsers of all commands about decks."""
    made = arguments.add_command(
        commands, "deck", "make decks of your cards, and check them", DECK_MORE
    )
    below = made.add_subparsers(dest="do", required=True, metavar="WHAT")
    new = _deck_command(below, "new", "make a deck")
    new.add_argument("cards", metavar="CARD", nargs="*", help="what is in it; more can be added")
    new.add_argument(
        "--all", action="store_true", help="all your cards that are not reserved or burnt"
    )
    new.add_argument(
        "--game",
        metavar="GAME",
        default=BUILT_IN_RULES[0],
        help="whose rules it is for (default: %(default)s)",
    )
    _add_deck_rules(new)
    new.add_argument(
        "--proxies",
        action="store_true",
        help="of the cards that the rules bring along, nobody's own",
    )
    arguments.add_command(below, "list", "list your decks")
    _add_deck_rules(_deck_command(below, "show", "show the cards of a deck"))
    for name, about in (("add", "put cards into a deck"), ("remove", "take cards out of a deck")):
        changed = _deck_command(below, name, about)
        changed.add_argument("cards", metavar="CARD", nargs="+")
        _add_deck_rules(changed)
    check = _deck_command(
        below,
        "check",
        "say what speaks against playing a deck",
        "\n\nexit codes: 0 nothing, 1 something: what its rules say, and cards that are not "
        "yours, burnt or reserved",
    )
    check.add_argument(
        "--rules",
        metavar="FILE",
        type=Path,
        help="by this rule file instead of the deck's own rules",
    )
    _deck_command(below, "delete", "delete a deck; the cards stay yours")
    return list(below.choices.values())


def _add_deck_rules(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--rules",
        metavar="FILE",
        type=Path,
        help="the rule file, for a deck that is played by one of your own",
    )


def _deck_command(
    below: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    about: str,
    more: str = "",
) -> argparse.ArgumentParser:
    made = arguments.add_command(below, name, about, more)
    made.add_argument("deck", metavar="NAME")
    return made
