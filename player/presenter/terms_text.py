"""The terms of a match for people before they sit down: the game, the clock, who can know a hand,
and who may leave.
"""

from collections.abc import Iterator, Sequence

from player.client.loadouts import Creators
from player.client.requirements import rules_of, secrecy_of
from player.client.rule_sets import OfferedRules
from protocol.audit.report_text import clock_phrase
from protocol.dealing.registry import DEALINGS
from protocol.errors import RemoteError
from protocol.games.decks.accepted_lists import CREATORS, EDITIONS, LIMITS, OWNED_CARDS
from protocol.games.decks.accepted_lists import NAMES as ACCEPTED_NAMES
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import short_letters
from protocol.match.clock import parse_clock
from protocol.match.terms import Terms, dealing_phrase
from protocol.options import Option, OptionList
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, sanitize


def option_texts(options: OptionList) -> list[str]:
    """Return options in words, such as "hands 5". Conditions on cards have lines of their own
    (`rules_lines`).
    """
    return [
        f"{sanitize(name)} {sanitize(str(value))}"
        for name, value in without_card_conditions(options)
    ]


def without_card_conditions(options: OptionList) -> OptionList:
    """Return the options without conditions on cards."""
    if OWNED_CARDS not in options:
        return options
    return tuple(option for option in options if option[0] not in ACCEPTED_NAMES)


def game_text(terms: Terms) -> str:
    """Return the game with its options and those of the dealing."""
    return ", ".join(
        [sanitize(terms.game.name), *option_texts((*terms.game.options, *terms.dealing.options))]
    )


def about_lines(terms: Terms, games: Games, say: Say) -> list[str]:
    """Return the descriptions of the game, its dealing and their options; none for those that are
    not installed.
    """
    row = games.specs.get(terms.game.name)
    dealing = DEALINGS.get(terms.dealing.name)
    chosen = [
        *_option_descriptions(terms.game.options, row.options if row else (), say),
        *_option_descriptions(terms.dealing.options, dealing.options if dealing else (), say),
    ]
    return [
        f"  {line}" for line in (say(phrase(row.about)) if row else "", "; ".join(chosen)) if line
    ]


def _option_descriptions(chosen: OptionList, options: Sequence[Option], say: Say) -> Iterator[str]:
    about = {option.name: f" ({say(phrase(option.help_key))})" for option in options}
    for (name, _), text in zip(without_card_conditions(chosen), option_texts(chosen), strict=True):
        yield text + about.get(name, "")


def clock_line(terms: Terms, say: Say) -> str:
    """Return a line with the time for a move. Raises: RemoteError for an invalid clock."""
    if not terms.clock:
        return f"  {say(phrase('terms.clockless'))}"
    return f"  {say(phrase('match.clock', clock=clock_phrase(parse_clock(terms.clock))))}"


def terms_lines(
    terms: Terms,
    say: Say,
    table: str | None = None,
    games: Games = BUILT_IN,
    *,
    offered: OfferedRules | None = None,
    creators: Creators | None = None,
) -> list[str]:
    """Return lines about terms that can be played here: the game, the time for a move, and the people
    whom a seat trusts. `creators`: knowledge of the reader about creators whom the terms may name;
    None if it was not read.
    """
    game = game_text(terms)
    seats = terms.seats
    dealt = dealing_phrase(terms)
    played = phrase("terms.played", game=game, seats=seats, dealt=dealt)
    if table is not None:
        played = phrase("terms.at", table=table, game=game, seats=seats, dealt=dealt)
    return [
        say(played),
        *rules_lines(terms, say, games, offered=offered, creators=creators),
        clock_line(terms, say),
        *trust_lines(terms, say, games),
    ]


def rules_lines(
    terms: Terms,
    say: Say,
    games: Games = BUILT_IN,
    *,
    offered: OfferedRules | None = None,
    creators: Creators | None = None,
) -> list[str]:
    """Return lines about the rule file and its cards; none for games without rule files.

    `offered`: the signed rule set, if it is stored here. `creators`: as for `terms_lines`.
    """
    played = rules_of(terms, games=games)
    if played is None:
        return []
    digest = played.game.rules
    if offered is not None:
        lines = [*offered.lines(), phrase("rule_set.digest", digest=digest)]
    elif played.contract is None:
        lines = [phrase("terms.rules.file", digest=digest)]
    else:
        lines = [phrase("terms.rules.ours", name=played.contract.name, digest=digest)]
    if played.game.owned:
        lines += _card_phrases(terms, played.game.mode == "open", say, creators)
    return [f"  {say(line)}" for line in lines]


def _card_phrases(terms: Terms, opened: bool, say: Say, creators: Creators | None) -> list[Phrase]:
    """Return sentences about the cards that are accepted, and about the time when all see them."""
    options = dict(terms.game.options)
    named, editions, limits = (one.texts(options) for one in (CREATORS, EDITIONS, LIMITS))
    if not named:
        found = [phrase("terms.cards.open") if opened else phrase("terms.cards.later")]
    else:
        names = ", ".join(say(creator_phrase(letters, creators)) for letters in named)
        found = [phrase("terms.cards.creators", names=names)]
    if editions:
        names = ", ".join(f"“{sanitize(name)}”" for name in editions)
        found.append(phrase("terms.cards.editions", names=names))
    if limits:
        found.append(phrase("terms.cards.limits", limits=", ".join(map(sanitize, limits))))
    if named:
        found.append(phrase("terms.cards.seen" if opened else "terms.cards.unseen"))
    return found


def creator_phrase(letters: str, creators: Creators | None) -> Phrase:
    """Return the name of the creator with this fingerprint, with the reader's mark of them."""
    short = short_letters(letters)
    if creators is None:
        return phrase("creator.listed", fingerprint=short)
    known = creators.get(letters)
    if known is None:
        return phrase("creator.unknown", fingerprint=short)
    if known.own:
        return phrase("creator.own")
    key = {True: "creator.trusted", False: "creator.distrusted", None: "creator.unmarked"}
    return phrase(key[known.trusted], name=sanitize(known.name) or short, fingerprint=short)


def trust_lines(terms: Terms, say: Say, games: Games = BUILT_IN) -> list[str]:
    """Return lines that say whom a seat trusts, and what happens when a seat leaves; none for a
    dealing that is not installed.
    """
    try:
        secrecy = secrecy_of(terms, games)
    except RemoteError:
        return []
    return [f"  {say(secrecy.hand)}", f"  {say(secrecy.leaving)}"]
