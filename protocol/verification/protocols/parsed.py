"""The protocols that come along, read: whoever only names them need not load what reads them."""

from functools import cache

from protocol.verification.description import Protocol
from protocol.verification.notation.parser import parse_protocol
from protocol.verification.protocols.table import SHIPPED


@cache
def shipped_protocol(name: str) -> Protocol:
    """A protocol that comes along. Raises: KeyError."""
    return parse_protocol(SHIPPED[name].text)
