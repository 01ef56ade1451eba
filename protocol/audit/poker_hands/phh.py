"""Poker Hand History: the open file format (TOML) of arXiv:2312.11753, as pokerkit reads it.

A file `*.phhs` has a table for each hand, named by its number.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from protocol.audit.poker_hands.records import HandAction, HandRecord
from protocol.match.state import Match

UNKNOWN = "??"  # a card that nobody has shown
# variants of the format, by the name of the game and its limit
_VARIANTS = {
    ("texas-holdem", "none"): "NT",
    ("texas-holdem", "fixed"): "FT",
}


def is_in_phh(match: Match) -> bool:
    """Check that the format has the game of this match."""
    return _variant(match) is not None


def phh_lines(match: Match, hands: Iterable[HandRecord]) -> Iterator[str]:
    """Yield the lines of a file with these hands of a match."""
    variant = _variant(match)
    assert variant is not None, "is_in_phh"
    for number, hand in enumerate(hands, 1):
        yield f"[{number}]"
        for name, value in _fields(match, hand, variant):
            yield f"{name} = {_toml(value)}"
        yield ""


def _variant(match: Match) -> str | None:
    setup = match.setup
    limit = setup.spec.values(setup.seats, dict(setup.terms.game.options)).get("limit", "none")
    return _VARIANTS.get((match.setup.terms.game.name, str(limit)))


def _fields(match: Match, hand: HandRecord, variant: str) -> Iterator[tuple[str, object]]:
    setup = match.setup
    yield "variant", variant
    yield "ante_trimming_status", True
    yield "antes", [hand.ante] * len(hand.seats)
    yield "blinds_or_straddles", _blinds(hand)
    big = hand.blinds[1]
    if variant == "FT":
        yield "small_bet", big
        yield "big_bet", 2 * big
    else:
        yield "min_bet", big
    yield "starting_stacks", list(hand.starting)
    yield "actions", list(_actions(hand))
    yield "event", f"fairdeal match {match.match_id.hex()}"
    yield "hand", hand.number
    yield "table", setup.table.id if setup.has_table else setup.table.name
    yield "seat_count", setup.seats
    yield "seats", [seat + 1 for seat in hand.seats]
    yield "players", [setup.people[seat].name for seat in hand.seats]
    yield "finishing_stacks", list(hand.finishing)
    yield (
        "winnings",
        [sum(won for who, won in hand.won if who == player) for player in hand.players],
    )
    try:
        began = datetime.fromtimestamp(setup.created, UTC)
    except (ValueError, OverflowError, OSError):  # a table may claim any time
        return
    yield "day", began.day
    yield "month", began.month
    yield "year", began.year


def _blinds(hand: HandRecord) -> list[int]:
    small, big = hand.posters
    blinds = [0] * len(hand.seats)
    # of two players the format names the small blind first, though the button, who is last, posts it
    if len(blinds) == 2:
        small, big = (None if small is None else 0), (None if big is None else 1)
    if small is not None:
        blinds[small] = hand.blinds[0]
    if big is not None:
        blinds[big] = hand.blinds[1]
    return blinds


def _actions(hand: HandRecord) -> Iterator[str]:
    for player in hand.players:
        yield f"d dh p{player + 1} {''.join(hand.shown.get(player, (UNKNOWN, UNKNOWN)))}"
    for action in hand.actions:
        yield _action(action)


def _action(action: HandAction) -> str:
    cards = "".join(action.cards)
    if action.player is None:
        return f"d db {cards}"
    who = f"p{action.player + 1}"
    match action.verb:
        case "fold":
            return f"{who} f"
        case "call":
            return f"{who} cc"
        case "raise":
            return f"{who} cbr {action.amount}"
        case "show":
            return f"{who} sm {cards}"
    return f"{who} sm"


def _toml(value: object) -> str:
    """Write a value of TOML; its strings are those of JSON, but for one character."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
