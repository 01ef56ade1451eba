"""Signed heads of a witness: the number of slots it has signed for, with the roots of its log and
its map.
"""

from dataclasses import dataclass
from typing import Any

from protocol.identity.keys import Identity, verify

_LABEL = "witness head"


@dataclass(frozen=True, slots=True)
class WitnessHead:
    """A head with the witness's signature of all its values."""

    size: int
    log_root: bytes
    map_root: bytes
    signature: bytes

    def values(self) -> list[object]:
        """Return the values for the wire."""
        return [self.size, self.log_root, self.map_root, self.signature]

    @property
    def signed_bytes(self) -> tuple[int, bytes, bytes]:
        """Signed values."""
        return (self.size, self.log_root, self.map_root)

    @property
    def log(self) -> tuple[int, bytes]:
        """Size and root of the log."""
        return self.size, self.log_root


def sign_head(witness: Identity, size: int, log_root: bytes, map_root: bytes) -> WitnessHead:
    """Create and sign a head."""
    return WitnessHead(size, log_root, map_root, witness.sign(_LABEL, size, log_root, map_root))


def read_head(witness: bytes, values: list[Any]) -> WitnessHead:
    """Read a head of this witness from fields of the shape `HEAD`. Raises:
    RemoteError(BAD_SIGNATURE).
    """
    head = WitnessHead(*values)
    verify(witness, head.signature, _LABEL, *head.signed_bytes)
    return head
