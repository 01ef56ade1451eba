"""An honest match with each dealing protocol, before and after all cases."""

from conformance.case import SANITY_GROUP, Case, CaseFailed
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import short_terms
from protocol.audit.verdict import Verdict, audit
from protocol.match.log_file import MAGIC, encode_record


async def honest_match(arena: PlayerEnvironment) -> None:
    """Play a match from `hello` to the close record. Check that every signature of the player is
    valid, and that the audit of the log is clean.
    """
    table = arena.table
    if arena.scope.admits("block-dominoes", "verified"):
        arena.play(short_terms("verified"))
    await arena.start()
    await arena.expect_clean()
    file = MAGIC + b"".join(encode_record(*record) for record in table.room.records)
    if audit(file).verdict is not Verdict.CLEAN:
        raise CaseFailed("the audit of an honest match is not clean")


SANITY = Case("honest-match", "4.5", "clean", honest_match, SANITY_GROUP, alone=True)
