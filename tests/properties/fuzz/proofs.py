"""Fuzz targets: sealed and proven data: envelopes, hops, talk, points, scalars, proofs, transfers.
Conventions as in `wires`.
"""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from protocol.crypto import dlog_proofs, elgamal, envelopes, group, oblivious_transfer, shuffle
from protocol.crypto.proof_context import ProofPlace
from protocol.dealing.layered import primitives
from protocol.dealing.layered.blame import split_array
from protocol.errors import RemoteError
from protocol.limits import MAX_PILE, SAY_PADDED
from protocol.messages import table_talk

PLACE = ProofPlace(b"d" * 32, 1, b"i" * 32, "fuzz", 2)
CARDS = 3
KEY = bytes(range(32))


def envelope(data: bytes) -> None:
    """Read an envelope between seats, and a piece sealed to a slot."""
    own, other = envelopes.new_key(Random(1)), envelopes.new_key(Random(2))
    for read in (
        lambda: envelopes.unseal(KEY, data, "fuzz"),
        lambda: envelopes.open_from_slot(own, other.public, data, "fuzz"),
    ):
        try:
            read()
        except RemoteError:
            continue


def envelope_seeds() -> list[bytes]:
    """Return one of each."""
    own, other = envelopes.new_key(Random(1)), envelopes.new_key(Random(2))
    return [
        envelopes.seal(KEY, Random(3), b"text", "fuzz"),
        envelopes.seal_to_slot(own.public, other, b"text", "fuzz"),
    ]


def padded(data: bytes) -> None:
    """Read the content of an envelope that opens; accepted content has one padding only."""
    text = envelopes._unpad(data, 32)
    assert data == len(text).to_bytes(4, "big") + text.ljust(32, b"\0")


def slots(data: bytes) -> None:
    """Read the content of a hop: a bitmap, or an array of slots; and a piece's number and key."""
    size = data[0] % (MAX_PILE + 1) if data else 0
    taken = primitives.from_bitmap(data[1:], size)
    assert taken is None or primitives.to_bitmap(taken, size) == data[1:]
    array = split_array(data[1:], size)
    assert array is None or b"".join(array) == data[1:]
    primitives.decode_piece(data[:34].ljust(34, b"\0"))


def remark(data: bytes) -> None:
    """Read table talk in an envelope that opens: the result has no terminal control characters."""
    listener = table_talk.TalkChannel(0, 2, lambda sender, receiver: KEY)
    sent = envelopes.seal(
        KEY, Random(1), data[:SAY_PADDED], table_talk.PURPOSE, padded_to=SAY_PADDED
    )
    assert listener.open_remark(1, sent).isprintable()


def elements(data: bytes) -> None:
    """Check that accepted points, scalars and ciphertexts encode to the same bytes."""
    readers: list[Callable[[], list[Any]]] = [
        lambda: [group.decode_point(data, identity=True)],
        lambda: [group.decode_scalar(data)],
        lambda: group.decode_points(data),
        lambda: group.decode_scalars(data),
        lambda: [
            half for e in elgamal.decode_ciphertexts(data, len(data) // 64) for half in (e.C1, e.C2)
        ],
    ]
    for read in readers:
        try:
            taken = read()
        except RemoteError:
            continue
        assert group.encode(taken) == data


def element_seeds() -> list[bytes]:
    """Return one and several of each."""
    points = [group.hash_to_point("fuzz", n) for n in range(4)]
    return [
        points[0].encoded,
        bytes(32),
        group.encode(points),
        group.encode([group.scalar_from_int(-n) for n in range(4)]),
    ]


@cache
def _secret() -> tuple[group.Scalar, group.Point]:
    x = group.random_scalar(Random(1))
    return x, group.times_base(x)


@cache
def _decks() -> tuple[Any, Any, bytes]:
    """Return a deck, its shuffle, and the proof of the shuffle."""
    _, pk = _secret()
    deck = _deck()
    after, witness = shuffle.shuffle(deck, pk, Random(2))
    return deck, after, shuffle.prove_shuffle(deck, after, witness, pk, PLACE, Random(3))


def _deck() -> tuple[elgamal.Ciphertext, ...]:
    """Return cards under a key, as after a first shuffle."""
    points = iter([group.hash_to_point("card", n) for n in range(2 * CARDS)])
    return tuple(elgamal.Ciphertext(one, other) for one, other in zip(points, points, strict=True))


def proof(data: bytes) -> None:
    """Read proofs of a logarithm, of equal logarithms, of a share and of a shuffle."""
    x, X = _secret()
    deck, after, _ = _decks()
    statement = dlog_proofs.Equality(X, deck[0].C1, x * deck[0].C1)
    checks: list[Callable[[], None]] = [
        lambda: dlog_proofs.check_knowledge(data, X, PLACE),
        lambda: dlog_proofs.check_equality(data, statement, PLACE),
        lambda: elgamal.check_share(data, X, deck[0], x * deck[0].C1, PLACE),
        lambda: shuffle.check_shuffle(data, deck, after, X, PLACE),
    ]
    for check in checks:
        try:
            check()
        except RemoteError:
            continue


def proof_seeds() -> list[bytes]:
    """Return a valid proof of each."""
    x, X = _secret()
    deck, _, shuffled = _decks()
    D = elgamal.share(x, deck[0])
    statement = dlog_proofs.Equality(X, deck[0].C1, D)
    return [
        dlog_proofs.prove_knowledge(x, X, PLACE, Random(1)),
        dlog_proofs.prove_equality(x, statement, PLACE, Random(1)),
        elgamal.prove_share(x, X, deck[0], D, PLACE, Random(1)),
        shuffled,
    ]


def transferred(data: bytes) -> None:
    """Read the sender's ciphertexts of a draw, 48 bytes each."""
    _, S = oblivious_transfer.sender_setup(Random(1))
    x, R = oblivious_transfer.choose(S, 1, 2, Random(2))
    context = oblivious_transfer.DrawContext(bytes(32), 0, 0)
    ciphertexts = [data[start : start + 48] for start in range(0, min(len(data), 480), 48)]
    oblivious_transfer.receive(x, S, R, 1, ciphertexts, context)


def transferred_seeds() -> list[bytes]:
    """Return two messages, and the second chosen."""
    y, S = oblivious_transfer.sender_setup(Random(1))
    _, R = oblivious_transfer.choose(S, 1, 2, Random(2))
    return [
        b"".join(
            oblivious_transfer.transfer(
                y, S, R, [bytes(32), KEY], oblivious_transfer.DrawContext(bytes(32), 0, 0)
            )
        )
    ]
