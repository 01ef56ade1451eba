"""All files and all operations."""

from tests.vectors.make import (
    commutative,
    encoding,
    identities,
    layered,
    logs,
    matches,
    proofs,
    sealing,
    sessions,
    verified,
)
from tests.vectors.make.forms import Operation, record, text_of

# file -> title, the module that makes it
FILES = {
    "encoding.json": ("Hashing, frames, values and messages", encoding),
    "identities.json": ("Keys, fingerprints, links, names and key files", identities),
    "sessions.json": ("Handshakes and records", sessions),
    "sealing.json": ("Pair keys, sealed envelopes, slots and talk", sealing),
    "logs.json": ("First entries, entries, chain, heads and log files", logs),
    "layered.json": ("Layered dealing", layered),
    "proofs.json": ("The group, proofs and key sharing", proofs),
    "verified.json": ("Verified dealing", verified),
    "commutative.json": ("Commutative dealing, and joint chance", commutative),
    "matches.json": ("Whole matches and their audit", matches),
}

OPERATIONS: dict[str, Operation] = {}
for _, _module in FILES.values():
    assert not OPERATIONS.keys() & _module.OPERATIONS.keys()
    OPERATIONS |= _module.OPERATIONS


def texts() -> dict[str, str]:
    """What must be in each file."""
    return {
        name: text_of(title, [record(vector, OPERATIONS) for vector in module.vectors()])
        for name, (title, module) in FILES.items()
    }
