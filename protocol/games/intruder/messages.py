"""A message of a move, read and written."""

from protocol.games.intruder.arena import Arena
from protocol.games.intruder.costs import check_message, check_powers, most_exponents
from protocol.limits import MAX_INTRUDER_EXPONENTS, MAX_INTRUDER_TEXT
from protocol.verification.notation.ground import can_write, term_of
from protocol.verification.notation.tokens import NotationError, ground_tokens
from protocol.verification.terms import Term, text


def read_message(arena: Arena, written: str) -> Term | None:
    """The message that is written so; None for what is none. Raises: TooCostly."""
    try:
        found = ground_tokens(written)
        check_message(found)
        message = term_of(found, arena.atoms)
    except NotationError:
        return None
    check_powers(message)
    return message


def write_message(arena: Arena, message: Term) -> str | None:
    """The text of a message that has few enough names; None if no move can have it."""
    if most_exponents((message,)) > MAX_INTRUDER_EXPONENTS or not can_write(message, arena.atoms):
        return None
    written = text(message)
    return written if len(written) <= MAX_INTRUDER_TEXT else None
