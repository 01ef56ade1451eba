"""Terms of a match: the same values in entry 0, a lobby's list, a request for a table and an
invitation.
"""

from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing.registry import (
    NONE_NAME,
    check_newest,
    create_dealing,
    dealing_fits,
    fitting_dealings,
    is_known,
    own_name,
    wire_name,
)
from protocol.errors import Refused
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.limits import MAX_RULES, MAX_SEATS
from protocol.match.clock import parse_clock
from protocol.options import (
    OPTIONS,
    SELECTION,
    BadOptions,
    OptionList,
    Selection,
    or_phrase,
    sorted_options,
)
from protocol.schema import fields, text, uint
from protocol.view.phrase import Phrase, phrase

# game, version of its rules, dealing, clock, seats
TERMS = fields(SELECTION, text(MAX_RULES), SELECTION, OPTIONS, uint(MAX_SEATS))


class Terms(NamedTuple):
    """Terms of a match. Option lists are sorted by name."""

    game: Selection
    rules: str  # version of the rules
    dealing: Selection
    clock: OptionList
    seats: int


def make_terms(
    game: Selection, dealing: Selection, clock: OptionList, seats: int, games: Games = BUILT_IN
) -> Terms:
    """Return checked terms for the newest editions of rules and dealing here. Without a clock, the match has
    no table.

    Raises: UnknownRules, BadOptions.
    """
    rules = games.spec(game.name).version
    assert rules is not None
    check_newest(dealing.name)
    game, dealing = (Selection(name, sorted_options(options)) for name, options in (game, dealing))
    terms = Terms(game, rules, dealing, sorted_options(clock), seats)
    check_terms(terms, games, has_table=bool(clock))
    return terms


def check_terms(terms: Terms, games: Games, *, has_table: bool) -> None:
    """Check that a match with these terms can be played and judged here.

    Raises: UnknownRules if this version of the rules is not in `games`, or if this edition of the
    dealing is unknown here; Refused(BAD_OPTIONS) for terms that can be played nowhere.
    """
    spec = games.spec_of_version(terms.game.name, terms.rules)
    dealt = terms.dealing.name
    if not is_known(dealt):
        raise UnknownRules(terms.game.name, terms.rules, spec, dealing=wire_name(dealt))
    for options in (terms.game.options, terms.dealing.options):
        if options != sorted_options(options):
            raise Refused(Code.BAD_OPTIONS)
    dealing = create_dealing(terms.dealing.name, dict(terms.dealing.options), terms.seats)
    game = spec.create(terms.seats, dict(terms.game.options))
    # without a table the author of the newest entry goes on, and could act again and again
    if game.real_time and not has_table:
        raise BadOptions("unfit.no_table.at_once", name=terms.game.name)
    if not dealing_fits(terms.dealing.name, game):
        raise BadOptions("unfit.dealt", name=dealing.name, names=or_phrase(fitting_dealings(game)))
    dealing.check_size(dict(terms.dealing.options), terms.seats, len(game.pieces))
    if has_table:
        if parse_clock(terms.clock).level and not game.real_time:
            raise BadOptions("unfit.level")
    elif terms.clock:
        raise BadOptions("unfit.clock")
    elif dealing.needs_table:
        raise BadOptions("unfit.no_table", name=dealing.name)
    elif not dealing.fits_parcels:
        raise BadOptions("unfit.no_table.large", name=dealing.name)


def dealing_phrase(terms: Terms) -> Phrase:
    """Describe the dealing, as a part of a sentence."""
    if terms.dealing.name == NONE_NAME:
        return phrase("dealing.nothing")
    return phrase("dealing.by", dealing=terms.dealing.name)


def encode_terms(terms: Terms) -> list[Any]:
    """Return the terms as a list for the wire."""
    game, rules, dealing, clock, seats = terms
    return [
        _encode_selection(game),
        rules,
        _encode_selection(dealing._replace(name=wire_name(dealing.name))),
        _encode_options(clock),
        seats,
    ]


def terms_hash(terms: Terms) -> bytes:
    """Return 32 bytes that identify these terms. A player signs them to state the terms it has
    seen.
    """
    return digest("terms", wire.encode(encode_terms(terms)))


def decode_terms(values: list[Any]) -> Terms:
    """Read a list of the shape `TERMS`. Whether the terms can be played is not checked."""
    game, rules, dealing, clock, seats = values
    dealt = _decode_selection(dealing)
    return Terms(
        _decode_selection(game),
        rules,
        dealt._replace(name=own_name(dealt.name)),
        _decode_options(clock),
        seats,
    )


def _encode_selection(chosen: Selection) -> list[Any]:
    return [chosen.name, _encode_options(chosen.options)]


def _encode_options(options: OptionList) -> list[list[Any]]:
    return [list(option) for option in options]


def _decode_selection(values: list[Any]) -> Selection:
    name, options = values
    return Selection(name, _decode_options(options))


def _decode_options(pairs: list[list[Any]]) -> OptionList:
    return tuple((name, value) for name, value in pairs)
