"""What must be on disk before a signature leaves, so that no slot is signed away twice
(docs/protocol, 26.6).

A trade that one has signed is a **promise**, and it counts from then on, whether or not the other's
signature ever comes. The number of all promises and waives that were ever made under a key is its
**standing**: it only grows, so a smaller one on disk is that of an old copy.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from protocol.errors import LocalError
from protocol.identity.keys import Identity, verify
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord, content_id, record_of, sign_content

_LABEL = "ledger standing"  # of what is signed


@dataclass(frozen=True, slots=True)
class Promise:
    """A trade as one party signs it. `theirs`: the other's signature, if it came first; then the
    trade is finished.
    """

    id: bytes
    trade: Trade
    me: bytes
    own_signature: bytes
    partner_signature: bytes | None = None

    @property
    def partner(self) -> bytes:
        """The other party's key."""
        return self.trade.b if self.me == self.trade.a else self.trade.a

    @property
    def slots(self) -> tuple[bytes, ...]:
        """The slots of the cards that go."""
        return tuple(one.slot for one in self.trade.transfers if self.trade.giver(one) == self.me)

    @property
    def cards(self) -> tuple[bytes, ...]:
        """The cards that go: instances."""
        return tuple(
            one.instance for one in self.trade.transfers if self.trade.giver(one) == self.me
        )

    def finished(self, theirs: bytes) -> LedgerRecord:
        """The record, with the other's signature. Raises: RemoteError(BAD_SIGNATURE) if it is not
        one.
        """
        both = (
            (self.own_signature, theirs)
            if self.me == self.trade.a
            else (theirs, self.own_signature)
        )
        return record_of(self.trade, *both)


def sign_promise(me: Identity, trade: Trade, theirs: bytes | None = None) -> Promise:
    """Sign a trade. Nobody may see the signature before `SignatureJournal.sign_once` has returned.

    Raises: RemoteError(BAD_CONTENT) for what is no trade, as a seller's pack can make it: too many
    cards, or one twice. A journal with that in it could not be read again.
    """
    read_content(content_bytes(trade))
    return Promise(content_id(trade), trade, me.public, sign_content(me, trade), theirs)


class JournalRefusal(LocalError):
    """What is asked for cannot be signed: another trade stands there, or this is an old copy of the
    journal.
    """


class JournalStanding(NamedTuple):
    """How many promises and waives somebody has made, in their own word."""

    made: int
    signature: bytes


def sign_standing(me: Identity, made: int) -> JournalStanding:
    """One's own word for it, which others keep, and show when it is forgotten."""
    return JournalStanding(made, me.sign(_LABEL, made))


def check_standing(key: bytes, standing: JournalStanding) -> None:
    """Raise `RemoteError(BAD_SIGNATURE)` if it is not this key's word."""
    verify(key, standing.signature, _LABEL, standing.made)


class SignatureJournal(Protocol):
    """The memory of one key, shared by all programs that sign with it. What a method has written is
    on disk when it returns; all or nothing of it."""

    def sign_once(self, promised: Promise, *, warned: bool = False) -> None:
        """Put a promise down. The same one again is no news.

        `warned`: the person knows that a card in it is reserved for another trade, and who will be
        named if both are finished. Raises `JournalRefusal`: another trade stands in one of the
        slots, the trade was waived here, or the journal is older than signatures that are out
        (`doubt`).
        """

    def waive_once(self, waive: LedgerRecord) -> None:
        """Put down that a trade was never finished.

        Raises `JournalRefusal` if it was signed here, or the journal is too old.
        """

    def finish(self, trade: bytes, theirs: bytes) -> None:
        """The other's signature has come: the cards are not reserved any more, they are gone."""

    def release(self, trade: bytes) -> None:
        """The other has waived: the cards are not reserved any more."""

    def promise_of(self, trade: bytes) -> Promise | None:
        """What was promised under this trade's id."""

    def waive_of(self, trade: bytes) -> LedgerRecord | None:
        """What was waived."""

    def reserved(self) -> tuple[Promise, ...]:
        """The promises that nobody has answered, oldest first: neither finished nor released."""

    def released(self, card: bytes) -> tuple[Promise, ...]:
        """The promises to give this card that the other has waived: their waives travel with what
        comes instead.
        """

    def standing(self) -> int:
        """How many promises and waives there are."""

    def record_proven_count(self, made: int) -> None:
        """There is proof that so many have been made."""

    def is_outdated(self) -> bool:
        """Whether signatures are out that are not here: then nothing is signed until they are
        found, or given up.
        """

    def store_standing(self, key: bytes, standing: JournalStanding) -> None:
        """Keep somebody's newest word about themselves."""

    def standing_of(self, key: bytes) -> JournalStanding | None:
        """The newest one that was kept."""
