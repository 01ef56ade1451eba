"""The protocols that come along, read: whoever only names them need not load what reads them."""

from functools import cache

from verification.notation.protocol_parser import parse_protocol
from verification.protocol_model import Protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS


@cache
def load_protocol(name: str) -> Protocol:
    """A protocol that comes along. Raises: KeyError."""
    return parse_protocol(BUILT_IN_PROTOCOLS[name].text)
