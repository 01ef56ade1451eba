"""Parsed built-in protocols. A program that only lists their names does not load the parser."""

from functools import cache

from verification.notation.protocol_parser import parse_protocol
from verification.protocol_model import Protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS


@cache
def load_protocol(name: str) -> Protocol:
    """Parse a built-in protocol, once. Raises: KeyError."""
    return parse_protocol(BUILT_IN_PROTOCOLS[name].text)
