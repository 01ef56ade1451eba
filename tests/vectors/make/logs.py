"""Vectors of chapters 6 and 10: the first entry, entries, the chain, heads, the roster, records of
a log file.
"""

from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.crypto.joint_randomness import nonce_commitment
from protocol.dealing import TABLE
from protocol.identity.keys import Identity, verify
from protocol.identity.roster_words import roster_words
from protocol.limits import MAX_ENTRY, MAX_FRAME
from protocol.match.clock import Allowance
from protocol.match.log import NO_HASH, EntryContent, Log, decode_entry, make_entry
from protocol.match.log_file import MAGIC, encode_record, read_records
from protocol.match.refusal import Refusal, check_refusal, sign_refusal
from protocol.match.setup import KIND, Person, Setup, TableIdentity
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from tests.vectors.make.forms import Bad, Vector, random_for


def make(
    seed: bytes,
    match: bytes,
    author: int,
    sequence: int,
    seen: list[Any],
    kind: str,
    body: list[Any],
) -> dict[str, Any]:
    """Operation of 6.3: make an entry, and return its parts."""
    raw = make_entry(
        Identity(seed), match, EntryContent(author, sequence, (seen[0], seen[1]), kind, body)
    )
    entry = decode_entry(raw)
    return {"content": entry.content, "signature": entry.signature, "entry": raw}


def read(entry: bytes) -> dict[str, Any]:
    """Operation of 6.3: read an entry's fields without a check of its signature."""
    found = decode_entry(entry)
    names = ("author", "sequence", "seen_number", "seen_hash", "kind", "body", "signature")
    return {name: getattr(found, name) for name in names}


def chain(previous: bytes, number: int, entry: bytes) -> dict[str, Any]:
    """Operation of 6.4.1: calculate the next hash of the chain."""
    return {"hash": digest("chain", previous, number, entry)}


def check_head(table: bytes, match: bytes, number: int, hash: bytes, head: bytes) -> dict[str, Any]:
    """Operation of 6.4.2: check a head."""
    verify(table, head, "head", match, number, hash)
    return {"holds": True}


def refusal_signed(
    table: bytes,
    match: bytes,
    entry_hash: bytes,
    number: int,
    hash: bytes,
    code: str,
    signature: bytes,
) -> dict[str, Any]:
    """Operation of 6.7.5: check a signed refusal."""
    check_refusal(Refusal(entry_hash, number, hash, code, signature), match, table)
    return {"holds": True}


def open_log(entry: bytes) -> dict[str, Any]:
    """Operation of 6.2: read a first entry."""
    log = Log(entry)
    setup = log.setup
    return {
        "match": log.match_id,
        "table": setup.table.key,
        "table_name": setup.table.name,
        "table_id": setup.table.id,
        "seats": [list(person) for person in setup.people],
        "terms": encode_terms(setup.terms),
    }


def next_entry(log: list[bytes], entry: bytes) -> dict[str, Any]:
    """Operation of 6.7.1, the first five rows: check the next entry of a log."""
    made = Log(log[0])
    for raw in log[1:]:
        made.append(made.check(raw))
    made.append(made.check(entry))
    return {"number": made.next_number - 1, "hash": made.chain_hashes[-1]}


def commit_nonce(match: bytes, seat: int, nonce: bytes) -> dict[str, Any]:
    """Operation of 6.6: commit to a roster nonce."""
    return {"commitment": nonce_commitment(match, seat, nonce)}


def words_of(
    match: bytes, table: bytes, people: list[Any], keys: list[bytes], nonces: list[bytes]
) -> dict[str, Any]:
    """Operation of 6.6.2: calculate the roster words."""
    roster = digest(
        "roster", match, table, *(part for person in people for part in person), *keys, *nonces
    )
    return {"digest": roster, "words": roster_words(roster)}


def read_file(file: bytes) -> dict[str, Any]:
    """Operation of 10.1: split a log file into records, without further checks."""
    return {"records": [list(pair) for pair in read_records(file)]}


OPERATIONS = {
    "make entry": make,
    "read entry": read,
    "chain": chain,
    "check head": check_head,
    "check refusal": refusal_signed,
    "open log": open_log,
    "next entry": next_entry,
    "commit to nonce": commit_nonce,
    "roster words": words_of,
    "read file": read_file,
}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_entries(), _refusal(), *_first_entries(), *_next_entries(), *_rosters(), *_files()]


class Cast:
    """A table, two people, and their match without entries."""

    def __init__(self, name: str) -> None:
        rng = self.rng = random_for(name)
        self.table_seed, *self.seeds = (rng.randbytes(32) for _ in range(3))
        self.table, *self.people = (Identity(seed) for seed in (self.table_seed, *self.seeds))
        people = tuple(
            Person(who, one.public) for who, one in zip(("Ann", "Bob"), self.people, strict=True)
        )
        self.setup = Setup(
            table=TableIdentity(self.table.public, "Friday table", "main"),
            nonce=rng.randbytes(32),
            created=1_800_000_000,
            terms=make_terms(
                Selection("block-dominoes", (("hand", 3), ("target", 1))),
                Selection("layered", (("take", 100),)),
                Allowance(extensions=3, step=300, turn=120).options(),
                2,
            ),
            people=people,
        )
        self.first = self.opening(self.setup.body())
        self.match = Log(self.first).match_id

    def opening(self, body: list[Any], **other: Any) -> bytes:
        """Make a first entry with this body."""
        given = {"author": TABLE, "sequence": 0, "seen": (0, NO_HASH), "kind": KIND} | other
        return make_entry(
            self.table,
            NO_HASH,
            EntryContent(given["author"], given["sequence"], given["seen"], given["kind"], body),
        )


def _entries() -> list[Vector]:
    cast = Cast("entries")
    given = {
        "seed": cast.seeds[0],
        "match": cast.match,
        "author": 0,
        "sequence": 3,
        "seen": [12, b"\xcd" * 32],
    }
    given |= {"kind": "protest", "body": [11]}
    raw = make(**given)["entry"]
    content, signature = wire.decode(raw)
    values = wire.decode(content)

    def other(place: int, value: Any) -> bytes:
        return wire.encode([wire.encode([*values[:place], value, *values[place + 1 :]]), signature])

    bad = {
        "a byte left over": raw + b"\0",
        "content with a byte left over": wire.encode([content + b"\0", signature]),
        "content that is a list": wire.encode([values, signature]),
        "63 bytes of signature": wire.encode([content, signature[1:]]),
        "no signature": wire.encode([content]),
        "author 256": other(0, 256),
        "an author that is text": other(0, "0"),
        "a hash of 31 bytes": other(3, bytes(31)),
        "an empty kind": other(4, ""),
        "a kind of 25 characters": other(4, "a" * 25),
        "a body that is no list": other(5, b""),
        "a field too many": wire.encode([wire.encode([*values, 0]), signature]),
        "too long": wire.encode([other(5, [bytes(MAX_ENTRY - 100)]), signature]),
        "nothing": b"",
    }
    faults = tuple(Bad(text, {"entry": entry}, "bad_entry") for text, entry in bad.items())
    hashed = digest("chain", b"\xcd" * 32, 13, raw)
    head = {"table": cast.table.public, "match": cast.match, "number": 13, "hash": hashed}
    head["head"] = cast.table.sign("head", cast.match, 13, hashed)
    wrong = (
        Bad("another number", {"number": 14}, "bad_signature"),
        Bad("another hash", {"hash": bytes(32)}, "bad_signature"),
        Bad("another match", {"match": bytes(32)}, "bad_signature"),
        Bad("another table", {"table": cast.people[0].public}, "bad_signature"),
    )
    return [
        Vector("6.3", "an entry of seat 0", "make entry", given),
        Vector("6.3", "an entry read", "read entry", {"entry": raw}, faults),
        Vector("6.4", "hash 13", "chain", {"previous": b"\xcd" * 32, "number": 13, "entry": raw}),
        Vector(
            "6.4",
            "hash 0: the match id",
            "chain",
            {"previous": NO_HASH, "number": 0, "entry": cast.first},
        ),
        Vector("6.4", "head 13", "check head", head, wrong),
    ]


def _refusal() -> Vector:
    cast = Cast("a refusal")
    raw = make_entry(
        cast.people[0], cast.match, EntryContent(0, 3, (12, b"\xcd" * 32), "leave", [])
    )
    said = sign_refusal(cast.table, cast.match, raw, (13, b"\xce" * 32), Code.NOT_NOW)
    given = {"table": cast.table.public, "match": cast.match, **said._asdict()}
    others = {
        "table": cast.people[0].public,
        "match": bytes(32),
        "entry_hash": bytes(32),
        "number": 12,
    }
    others |= {"hash": b"\xcd" * 32, "code": "stale"}
    bad = tuple(
        Bad(f"another {name}", {name: value}, "bad_signature") for name, value in others.items()
    )
    return Vector("6.7", "a refusal, signed", "check refusal", given, bad)


def _first_entries() -> list[Vector]:
    cast = Cast("first entries")
    body, setup = cast.setup.body(), cast.setup
    version, table, nonce, created, terms, people = body

    def with_table(**other: Any) -> bytes:
        return cast.opening(
            [version, list(setup.table._replace(**other)), nonce, created, terms, people]
        )

    def with_terms(**other: Any) -> bytes:
        return cast.opening(
            [version, table, nonce, created, encode_terms(setup.terms._replace(**other)), people]
        )

    def with_game(*options: tuple[str, int]) -> bytes:
        return with_terms(game=Selection("block-dominoes", options))

    def with_people(*people: list[Any]) -> bytes:
        return cast.opening([version, table, nonce, created, terms, list(people)])

    ann, bob = (list(person) for person in setup.people)
    bad = {
        "another version": cast.opening([1, *body[1:]]),
        "a field too many": cast.opening([*body, 0]),
        "a field too few": cast.opening(body[:-1]),
        "another kind": cast.opening(body, kind="begin"),
        "another sequence": cast.opening(body, sequence=1),
        "a hash that was seen": cast.opening(body, seen=(0, b"\1" * 32)),
        "a number that was seen": cast.opening(body, seen=(1, NO_HASH)),
        "a table's key of small order": with_table(key=bytes([1]) + bytes(31)),
        "a nonce of 31 bytes": cast.opening([version, table, bytes(31), created, terms, people]),
        "an empty table name": with_table(name=""),
        "a name that turns text round": with_table(name="a\u202eb"),
        "an option that does not exist": with_game(("speed", 1)),
        "an option twice": with_game(("hand", 3), ("hand", 3)),
        "options out of order": with_game(("target", 1), ("hand", 3)),
        "a target of zero": with_game(("target", 0)),
        "more tiles than there are": with_game(("hand", 15)),
        "take above 100 per cent": with_terms(dealing=Selection("layered", (("take", 101),))),
        "no clock": with_terms(clock=()),
        "a clock of two options": with_terms(clock=(("step", 300), ("turn", 120))),
        "a turn of no time": with_terms(clock=(("extensions", 3), ("step", 300), ("turn", 0))),
        "another number of seats": with_terms(seats=3),
        "one person": with_people(ann),
        "nobody": with_people(),
        "a name twice": with_people(ann, ["Ann", bob[1]]),
        "a key twice": with_people(ann, ["Bob", ann[1]]),
        "the table's key at a seat": with_people(ann, ["Bob", setup.table.key]),
        "a person's key of small order": with_people(ann, ["Bob", bytes([1]) + bytes(31)]),
        "a person's name with a line end": with_people(ann, ["B\nob", bob[1]]),
    }
    faults = [Bad(text, {"entry": entry}, "bad_setup") for text, entry in bad.items()]
    other_rules = {
        "a game that is not here": with_terms(game=Selection("solitaire")),
        "another version of the rules": with_terms(rules="0"),
        "another version of the rules, and no clock": with_terms(rules="0", clock=()),
        "a game that is not here, dealt by what does not exist": with_terms(
            game=Selection("solitaire"), dealing=Selection("honest")
        ),
        "a dealing that does not exist": with_terms(dealing=Selection("honest")),
        "an edition of a dealing that does not exist": with_terms(
            dealing=Selection("verified-2"), clock=()
        ),
    }
    faults += [Bad(text, {"entry": entry}, "unknown_rules") for text, entry in other_rules.items()]
    forged = make_entry(cast.people[0], NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, body))
    faults += [
        Bad("signed by another", {"entry": forged}, "bad_entry_signature"),
        Bad("no entry", {"entry": b"\x90"}, "bad_entry"),
    ]
    return [Vector("6.2", "a first entry", "open log", {"entry": cast.first}, tuple(faults))]


def _next_entries() -> list[Vector]:
    cast = Cast("next entries")
    body = [b"\x09" + bytes(31), bytes(32)]
    log = [
        cast.first,
        make_entry(cast.people[1], cast.match, EntryContent(1, 0, (0, cast.match), "sit", body)),
    ]
    seen = (1, digest("chain", cast.match, 1, log[1]))

    def entry(
        signer: int = 0,
        author: int = 0,
        sequence: int = 0,
        seen: tuple[int, bytes] = seen,
        match: bytes = cast.match,
    ) -> bytes:
        return make_entry(
            cast.people[signer], match, EntryContent(author, sequence, seen, "sit", body)
        )

    bad = {
        "a seat that there is not": (entry(author=2), "wrong_author"),
        "signed by another seat": (entry(signer=1), "bad_entry_signature"),
        "signed for another match": (entry(match=bytes(32)), "bad_entry_signature"),
        "a bit of the body": (
            entry().replace(b"\x09" + bytes(4), b"\x0b" + bytes(4)),
            "bad_entry_signature",
        ),
        "one sequence number left out": (entry(sequence=1), "wrong_sequence"),
        "a sequence number again": (entry(signer=1, author=1), "wrong_sequence"),
        "a hash of another log": (entry(seen=(1, bytes(32))), "wrong_head"),
        "a number not reached yet": (entry(seen=(2, seen[1])), "wrong_head"),
        "the hash of another number": (entry(seen=(0, seen[1])), "wrong_head"),
        "no entry": (b"\x90", "bad_entry"),
    }
    faults = tuple(Bad(text, {"entry": raw}, code) for text, (raw, code) in bad.items())
    given = {"log": log, "entry": entry()}
    return [
        Vector("6.7", "the third entry of a log", "next entry", given, faults),
        Vector(
            "6.7",
            "its author has seen less",
            "next entry",
            given | {"entry": entry(seen=(0, cast.match))},
        ),
    ]


def _rosters() -> list[Vector]:
    cast = Cast("rosters")
    rng = cast.rng
    keys, nonces = ([rng.randbytes(32) for _ in range(2)] for _ in range(2))
    given = {
        "match": cast.match,
        "table": cast.table.public,
        "people": [list(one) for one in cast.setup.people],
    }
    commitment = {"match": cast.match, "seat": 1, "nonce": nonces[1]}
    return [
        Vector("6.6", "the commitment to a nonce", "commit to nonce", commitment),
        Vector(
            "6.6", "the roster's words", "roster words", given | {"keys": keys, "nonces": nonces}
        ),
    ]


def _files() -> list[Vector]:
    cast = Cast("files")
    head = cast.table.sign("head", cast.match, 0, cast.match)
    record = encode_record(cast.first, head)
    bad = {
        "another version": (MAGIC.replace(b"1", b"2") + record, "bad_encoding"),
        "no magic": (record, "bad_encoding"),
        "a frame of no bytes": (MAGIC + bytes(4), "frame_size"),
        "a frame above the limit": (MAGIC + (MAX_FRAME + 1).to_bytes(4, "big"), "frame_size"),
        "a head of 63 bytes": (
            MAGIC + wire.encode_frame(wire.encode([cast.first, head[1:]])),
            "bad_encoding",
        ),
        "no head": (MAGIC + wire.encode_frame(wire.encode([cast.first])), "bad_encoding"),
        "a byte left over in a frame": (
            MAGIC + wire.encode_frame(wire.encode([cast.first, head]) + b"\0"),
            "bad_encoding",
        ),
    }
    faults = tuple(Bad(text, {"file": raw}, code) for text, (raw, code) in bad.items())
    return [
        Vector("10.1", "a file of one entry", "read file", {"file": MAGIC + record}, faults),
        Vector("10.1", "a file of none", "read file", {"file": MAGIC}),
    ]
