"""Policies for the cards that a person accepts, by their settled past or by their giver
(docs/protocol, 27.7).
"""

from collections.abc import Container
from enum import StrEnum

from protocol.ledger.record_contents import Trade
from protocol.ledger.view import LedgerView


class AcceptancePolicy(StrEnum):
    """Policy of a person or of a table. The values are the names that people read and type."""

    CERTIFIED = "certified only"
    MET = "certified or met in person"
    ANYTHING = "anything"


def cards_against_policy(
    policy: AcceptancePolicy, known: LedgerView, trade: Trade, me: bytes, met: Container[bytes]
) -> tuple[bytes, ...]:
    """Return the cards that `me` would receive by this trade against the policy, according to this
    view.

    The past of a card is settled if the trade that made its giver the owner is certified. It is
    also settled if its creator gives it away for the first time. `met`: keys of people whom the
    person has met: a cheat among them can be found.
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
