"""A match of one seat without a table, played from a list of actions by a key that is thrown
away.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from protocol.crypto.envelopes import new_key
from protocol.crypto.joint_randomness import NONCE, nonce_commitment
from protocol.games import Action
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity
from protocol.match.fold import apply, begin
from protocol.match.log import NO_HASH, EntryContent, Log, make_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.setup import KIND, NO_TABLE, Person, Setup
from protocol.match.terms import make_terms
from protocol.options import Selection

SEAT = 0


def write_solo_match(
    game: Selection, name: str, actions: Sequence[Action], rng: Random, games: Games = BUILT_IN
) -> bytes:
    """The log file of a match in which these actions are all that happens; its time is 0, for there
    is no clock here.

    `rng`: of the system, unless a test wants the same file again. Raises: Refused for an action
    that is not allowed, and Unfit for such a game.
    """
    person = Identity(rng.randbytes(32))
    terms = make_terms(game, Selection("none"), (), 1, games)
    setup = Setup(NO_TABLE, rng.randbytes(32), 0, terms, (Person(name, person.public),), games)
    kept = _Kept(person, setup)
    nonce = rng.randbytes(NONCE)
    kept.post("sit", [new_key(rng).public, nonce_commitment(kept.log.match_id, SEAT, nonce)])
    kept.post("nonce", [nonce])
    for action in actions:
        kept.post("move", [list(action), []])
    kept.post("receipt", kept.match.receipt)
    return kept.file


class _Kept:
    """The log as it grows."""

    def __init__(self, person: Identity, setup: Setup) -> None:
        first = make_entry(person, NO_HASH, EntryContent(SEAT, 0, (0, NO_HASH), KIND, setup.body()))
        self._person, self.log = person, Log(first, setup.games)
        self.match = begin(setup, self.log.match_id, SEAT)
        self.file = MAGIC + encode_record(first, self.log.head(person))

    def post(self, kind: str, body: list[Any]) -> None:
        """The seat's next entry. Raises: Refused."""
        content = EntryContent(SEAT, self.log.sequence(SEAT), self.log.newest_head, kind, body)
        entry = self.log.check(make_entry(self._person, self.log.match_id, content))
        self.match = apply(self.match, entry)
        self.log.append(entry)
        self.file += encode_record(entry.raw, self.log.head(self._person))
