"""The roster's short fingerprint: a few words that all seats of a match can compare aloud.

A table can invent whole players, or stand between two halves of a table as everybody else. It then
shows different people different rosters, and their words differ. The digest covers a nonce of every
seat, committed to before any is opened, so nobody can search for two rosters with the same words:
every try costs a match.
"""

from protocol.crypto.hashing import digest
from protocol.match.state import Match


def roster_digest(match: Match) -> bytes | None:
    """32 bytes over match, table and every seat's name, identity, match key and nonce; None while
    some are missing.
    """
    if None in match.keys or None in match.nonces:
        return None
    people = [part for person in match.setup.people for part in (person.name, person.identity)]
    keys = [key for key in (*match.keys, *match.nonces) if key is not None]
    return digest("roster", match.match_id, match.setup.table.key, *people, *keys)
