"""Hands of poker out of a log, for other programs: PHH and the text of PokerStars."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from protocol.audit.hand_format import HandFormat, HandText
from protocol.audit.poker_hands.phh import is_in_phh, phh_lines
from protocol.audit.poker_hands.pokerstars import is_in_pokerstars, pokerstars_lines
from protocol.audit.poker_hands.records import HandRecord, hand_records
from protocol.audit.replay import Step
from protocol.match.state import Match

Lines = Callable[[Match, Iterable[HandRecord]], Iterator[str]]


def _write(lines: Lines, steps: list[Step]) -> HandText:
    hands = list(hand_records(steps))
    regular = [hand for hand in hands if hand.regular]
    return HandText(lines(steps[0].after, regular), len(hands) - len(regular))


FORMATS = {
    "phh": HandFormat(is_in_phh, partial(_write, phh_lines)),
    "pokerstars": HandFormat(is_in_pokerstars, partial(_write, pokerstars_lines)),
}
