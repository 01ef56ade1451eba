"""Conversion between the message of a move and its text."""

from protocol.limits import MAX_INTRUDER_EXPONENTS, MAX_INTRUDER_TEXT
from verification.game.costs import check_message, check_powers, most_exponents
from verification.game.game_scenario import GameScenario
from verification.notation.ground_terms import can_write, term_of
from verification.notation.tokens import NotationError, ground_tokens
from verification.terms import Term, text


def read_message(scenario: GameScenario, written: str) -> Term | None:
    """Parse a message. Return None if the text is no message. Raises: TooCostly."""
    try:
        found = ground_tokens(written)
        check_message(found)
        message = term_of(found, scenario.atoms)
    except NotationError:
        return None
    check_powers(message)
    return message


def write_message(scenario: GameScenario, message: Term) -> str | None:
    """Return the text of a message, or None if the message is too large for a move."""
    if most_exponents((message,)) > MAX_INTRUDER_EXPONENTS or not can_write(
        message, scenario.atoms
    ):
        return None
    written = text(message)
    return written if len(written) <= MAX_INTRUDER_TEXT else None
