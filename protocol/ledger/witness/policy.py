"""What somebody takes for a card: whose past is settled, or who gives it (docs/protocol, 27.7)."""

from collections.abc import Container
from enum import StrEnum

from protocol.ledger.record_contents import Trade
from protocol.ledger.view import LedgerView


class AcceptancePolicy(StrEnum):
    """Of a person, or of a table; the names are those that people read and type."""

    CERTIFIED = "certified only"
    MET = "certified or met in person"
    ANYTHING = "anything"


def cards_against_policy(
    policy: AcceptancePolicy, known: LedgerView, trade: Trade, me: bytes, met: Container[bytes]
) -> tuple[bytes, ...]:
    """The cards that I would get by this trade and that the policy does not take, as far as this
    view knows.

    A card's past is settled if the trade that made its giver the owner is certified, or if its
    creator gives it away for the first time. `met`: the keys of people that somebody has met in
    person: a cheat of theirs has a face.
    """
    if policy is AcceptancePolicy.ANYTHING:
        return ()
    found = []
    for one in trade.transfers:
        settled = one.prev is None or known.certified(one.prev)
        known_giver = policy is AcceptancePolicy.MET and trade.giver(one) in met
        if trade.receiver(one) == me and not settled and not known_giver:
            found.append(one.instance)
    return tuple(found)
