"""Targets for messages between a table and a relay, and for the file of a profile."""

from base64 import b64encode

from protocol.crypto.primitives.passphrase import SALT_SIZE
from protocol.identity import profile_file
from protocol.limits import RELAY_TOKEN
from protocol.messages import relay


def relay_message(data: bytes) -> None:
    """Read a message between a table and a relay."""
    relay.decode(data)


def relay_seeds() -> list[bytes]:
    """Return one message of most kinds, without frames."""
    messages = (
        relay.Open(),
        relay.Guest(bytes(RELAY_TOKEN), None),
        relay.TurnAway(bytes(RELAY_TOKEN)),
    )
    return [relay.encode(message)[4:] for message in messages]


def profile(data: bytes) -> None:
    """Read the lines at the begin of a profile's file."""
    profile_file.parse_profile(data)


def profile_seeds() -> list[bytes]:
    """Return the begin of a profile's file, with a box that no passphrase opens."""
    salt = b64encode(bytes(SALT_SIZE)).decode()
    lines = (
        profile_file.MAGIC,
        "kind carried",
        f"fingerprint {'a' * 40}",
        "number 3",
        f"passphrase argon2id 3 65536 {salt}",
        "",
        "",
    )
    return ["\n".join(lines).encode() + bytes(64)]
