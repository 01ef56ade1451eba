"""All files and all operations."""

from tests.vectors.make import (
    commutative,
    directories,
    dominoes,
    encoding,
    identities,
    key_histories,
    layered,
    ledger,
    lines,
    logs,
    matches,
    merging,
    poker,
    proofs,
    residues,
    rules,
    runs,
    script_logs,
    sealing,
    seeded,
    sessions,
    trading,
    verified,
    whole_logs,
    witness,
)
from tests.vectors.make.forms import Operation, record, text_of

# file -> title, and the module that makes it
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
    "seeded.json": ("Seeded dealing", seeded),
    "ledger.json": ("Records of cards, and what sets of them say", ledger),
    "trading.json": ("Trading cards: payloads, proposals, standings", trading),
    "witness.json": ("Witnesses: the log, the map, heads, lies", witness),
    "directories.json": ("Directories: reports, lists, addresses", directories),
    "key-histories.json": ("Keys of tables: histories, and who follows them", key_histories),
    "runs.json": ("Runs of cards, sealed packs, and their sale", runs),
    "lines.json": ("Lines between two: messages, addresses, announcements", lines),
    "residues.json": ("Cards by residues: keys, decks, maskings, proofs", residues),
    "matches.json": ("Whole matches and their audit", matches),
    "whole-logs.json": (
        "Whole logs: lapses, doubts, sitting out, Ligretto, games by rule files",
        whole_logs,
    ),
    "dominoes.json": ("Dominoes: open ends, the spinner, points at once", dominoes),
    "poker.json": ("Poker: betting, pots, ranking of hands, the button", poker),
    "script-logs.json": (
        "Whole logs by small rule files: every effect, owned cards, disputes, residues",
        script_logs,
    ),
    "rules.json": ("Rule language 4: files, calls, costs", rules),
    "merging.json": ("Sets of records, files of cards, merges", merging),
}

OPERATIONS: dict[str, Operation] = {}
for _, _module in FILES.values():
    assert not OPERATIONS.keys() & _module.OPERATIONS.keys()
    OPERATIONS |= _module.OPERATIONS


def texts() -> dict[str, str]:
    """Return the content of each file."""
    return {
        name: text_of(title, [record(vector, OPERATIONS) for vector in module.vectors()])
        for name, (title, module) in FILES.items()
    }
