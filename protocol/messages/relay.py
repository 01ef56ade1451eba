"""Control messages between a table and a relay (docs/protocol, 3.7), and the signature by which a
table claims its channel.

A message is a canonical MessagePack list that starts with its name, in one frame.

    challenge    relay: 32 random bytes, for this line alone
    claim        table: its key, the relay's URL as the table called it, the signature
    open         relay: the channel is the table's
    guest        relay: a token of a guest that waits, and the guest's address or nothing
    turn_away    table: the token of a guest for which the table has no place
    closed       relay: the code with which it closes the line
"""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.crypto.hashing import Field
from protocol.identity.address import Address
from protocol.identity.keys import (
    FINGERPRINT_LETTERS,
    KEY_SIZE,
    SIGNATURE_SIZE,
    check_key,
    verify,
)
from protocol.limits import MAX_ADDRESS, MAX_NAME, MAX_RELAYED_ADDRESS, RELAY_TOKEN
from protocol.messages.named import NamedMessages
from protocol.schema import either, exactly, fields, nothing, text

LABEL = "relay claim"  # of the signature
CHALLENGE = 32  # bytes
# the last parts of the paths under the relay's URL, of a table's control line, of a guest, and of
# the line that a table opens for a guest
TABLE_PATH, GUEST_PATH, LINE_PATH = "table", "t", "line"


@dataclass(frozen=True)
class Challenge:
    """Bytes that the table signs."""

    challenge: bytes


@dataclass(frozen=True)
class Claim:
    """A table's key, and its signature of the challenge and of the relay's URL."""

    public: bytes
    relay: str
    signature: bytes


@dataclass(frozen=True)
class Open:
    """The channel is the table's."""


@dataclass(frozen=True)
class Guest:
    """A guest waits. `address` counts as the guest's, as the table would count it; None: not
    told.
    """

    token: bytes
    address: str | None


@dataclass(frozen=True)
class TurnAway:
    """The table has no place for a guest."""

    token: bytes


@dataclass(frozen=True)
class Closed:
    """The relay closes the line."""

    code: Code


ControlMessage = Challenge | Claim | Open | Guest | TurnAway | Closed

_TOKEN = exactly(RELAY_TOKEN)
_MESSAGES: NamedMessages[ControlMessage] = NamedMessages(
    {
        "challenge": (Challenge, fields(exactly(CHALLENGE))),
        "claim": (Claim, fields(exactly(KEY_SIZE), text(MAX_ADDRESS), exactly(SIGNATURE_SIZE))),
        "open": (Open, fields()),
        "guest": (Guest, fields(_TOKEN, either(nothing, text(MAX_RELAYED_ADDRESS)))),
        "turn_away": (TurnAway, fields(_TOKEN)),
        "closed": (Closed, fields(text(MAX_NAME))),
    }
)


def encode(message: ControlMessage) -> bytes:
    """Return the message in its frame."""
    return _MESSAGES.encode(message)


def decode(payload: bytes) -> ControlMessage:
    """Read a message without its frame. Raises: RemoteError."""
    return _MESSAGES.decode(payload)


def signed_fields(challenge: bytes, relay: str) -> tuple[Field, ...]:
    """Return what a table signs under `LABEL`: no other relay can use the signature, nor this one
    for another line.
    """
    return challenge, relay


def check_claim(claim: Claim, challenge: bytes) -> None:
    """Check that the key of the claim signed this challenge and the claim's URL. Raises:
    RemoteError.
    """
    check_key(claim.public)
    verify(claim.public, claim.signature, LABEL, *signed_fields(challenge, claim.relay))


def guest_address(relay: Address, fingerprint: str) -> Address:
    """Return the address at a relay at which guests find the table of this fingerprint."""
    assert len(fingerprint) == FINGERPRINT_LETTERS
    return _below(relay, f"{GUEST_PATH}/{fingerprint}")


def table_address(relay: Address) -> Address:
    """Return the address at a relay of a table's control line."""
    return _below(relay, TABLE_PATH)


def line_address(relay: Address, token: bytes) -> Address:
    """Return the address at a relay of the line for the guest of this token."""
    return _below(relay, f"{LINE_PATH}/{token.hex()}")


def _below(relay: Address, path: str) -> Address:
    return Address(relay.host, relay.port, relay.web_scheme, f"{relay.path}/{path}")
