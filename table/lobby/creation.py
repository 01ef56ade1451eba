"""The rule for tables that others than the host create: which of them this table takes."""

from protocol.codes import Code
from protocol.dealing.registry import DEALINGS
from protocol.errors import RemoteError
from protocol.match.terms import Terms, check_terms
from table.config import Config, Creation
from table.lobby.tables import Declined


def check_creation(terms: Terms, config: Config) -> None:
    """Check that somebody may create a table for these terms. Raises: Declined."""
    if config.creation is Creation.NONE:
        raise Declined(Code.HOST_ONLY)
    try:
        check_terms(terms, config.games, has_table=True)
    except RemoteError as error:
        raise Declined(error.code) from None
    row = config.games.spec(terms.game.name)
    # an older edition is kept for the matches begun under it
    if terms.rules != row.version or terms.dealing.name not in DEALINGS:
        raise Declined(Code.UNKNOWN_RULES)
    brought = row.brought(terms.seats, dict(terms.game.options))
    if config.creation is Creation.GAMES and brought - config.texts:
        raise Declined(Code.NOT_OFFERED)
