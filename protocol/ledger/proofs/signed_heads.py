"""A witness's signed heads: how many slots it has signed for, and the roots of its log and of its
map then.
"""

from dataclasses import dataclass
from typing import Any

from protocol.identity.keys import Identity, verify

_LABEL = "witness head"


@dataclass(frozen=True, slots=True)
class WitnessHead:
    """A head that somebody has signed; the signature covers all of it."""

    size: int
    log_root: bytes
    map_root: bytes
    signature: bytes

    def values(self) -> list[object]:
        """As it travels."""
        return [self.size, self.log_root, self.map_root, self.signature]

    @property
    def signed_bytes(self) -> tuple[int, bytes, bytes]:
        """What is signed."""
        return (self.size, self.log_root, self.map_root)

    @property
    def log(self) -> tuple[int, bytes]:
        """Size and root of the log."""
        return self.size, self.log_root


def sign_head(witness: Identity, size: int, log_root: bytes, map_root: bytes) -> WitnessHead:
    """A head of one's own."""
    return WitnessHead(size, log_root, map_root, witness.sign(_LABEL, size, log_root, map_root))


def read_head(witness: bytes, values: list[Any]) -> WitnessHead:
    """A head of this witness from its fields, which have the shape `HEAD`.

    Raises: RemoteError(BAD_SIGNATURE).
    """
    head = WitnessHead(*values)
    verify(witness, head.signature, _LABEL, *head.signed_bytes)
    return head
