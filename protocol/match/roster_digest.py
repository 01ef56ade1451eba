"""Roster digest: the source of the roster words, which all seats of a match can compare aloud.

A table can invent players, or split one group in two and play the absent half for each. It then
shows different rosters to different people, and their words differ. The digest covers a nonce of
every seat. Every seat commits to its nonce before any nonce is opened. So nobody can search for two
rosters with the same words: every attempt costs a match.
"""

from protocol.crypto.hashing import digest
from protocol.match.state import Match


def roster_digest(match: Match) -> bytes | None:
    """Return 32 bytes over the match, the table, and every seat's name, identity, match key and
    nonce.

    None while match keys or nonces are missing.
    """
    if None in match.keys or None in match.nonces:
        return None
    people = [part for person in match.setup.people for part in (person.name, person.identity)]
    keys = [key for key in (*match.keys, *match.nonces) if key is not None]
    return digest("roster", match.match_id, match.setup.table.key, *people, *keys)
