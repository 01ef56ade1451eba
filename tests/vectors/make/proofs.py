"""Vectors of sections 13.2 to 13.5 and 13.9: the group, the three proofs with their contexts, key
sharing.
"""

from typing import Any

from protocol.crypto.dlog_proofs import (
    Equality,
    check_equality,
    check_knowledge,
    prove_equality,
    prove_knowledge,
)
from protocol.crypto.elgamal import (
    Ciphertext,
    check_share,
    clear_ciphertext,
    decode_ciphertexts,
    encode_ciphertexts,
    prove_share,
    share,
)
from protocol.crypto.group import (
    GENERATOR,
    ZERO,
    Point,
    Scalar,
    decode_point,
    decode_scalar,
    hash_to_point,
    random_scalar,
    scalar_from_int,
    scalars_from_uniform,
    times_base,
)
from protocol.crypto.hashing import derive
from protocol.crypto.proof_context import ProofPlace, challenges, proof_context
from protocol.crypto.secret_sharing import combine_points, share_fits, share_secret
from protocol.crypto.shuffle import check_shuffle, generators, prove_shuffle, shuffle
from tests.vectors.make.forms import Bad, Vector, random_for
from tests.vectors.make.forms import second as masked

Place = dict[str, Any]  # deal, seat, identity, position; the purpose is the operation's


def take_point(point: bytes) -> dict[str, Any]:
    """Operation of 13.2.2: check a posted point."""
    return {"encoding": decode_point(point).encoded}


def take_scalar(scalar: bytes) -> dict[str, Any]:
    """Operation of 13.2.3: check a scalar."""
    return {"encoding": decode_scalar(scalar).encoded}


def reduce_scalar(uniform: bytes) -> dict[str, Any]:
    """Operation of 13.2.4: reduce 64 bytes to a scalar."""
    (scalar,) = scalars_from_uniform(uniform)
    return {"scalar": scalar.encoded}


def hash_point(label: str, fields: list[Any]) -> dict[str, Any]:
    """Operation of 13.2.5: hash to a point."""
    return {
        "uniform": derive(b"", label, *fields, length=64),
        "point": hash_to_point(label, *fields).encoded,
    }


def multiply(scalar: bytes, point: bytes) -> dict[str, Any]:
    """Operation of 13.2.1: multiply a point by a scalar. Null is the generator."""
    return {
        "product": (decode_scalar(scalar) * (decode_point(point) if point else GENERATOR)).encoded
    }


def check_key(X: bytes, proof: bytes, place: Place) -> dict[str, Any]:
    """Operation of 13.4, 13.7.1: check the proof of knowledge in `key`."""
    point, where = decode_point(X), ProofPlace(**place, purpose="key")
    check_knowledge(proof, point, where)
    return {
        "context": proof_context(where, "knowledge of a discrete logarithm", [GENERATOR, point])
    }


def check_equal(
    X: bytes, H: bytes, Y: bytes, bound: list[bytes], proof: bytes, place: Place
) -> dict[str, Any]:
    """Operation of 13.4: check a proof of equality for any points, with the purpose of a share."""
    points = [Point(raw) for raw in (X, H, Y, *bound)]
    where = ProofPlace(**place, purpose="share")
    check_equality(proof, Equality(points[0], points[1], points[2], tuple(points[3:])), where)
    return {
        "context": proof_context(where, "equality of discrete logarithms", [GENERATOR, *points])
    }


def check_card_share(X: bytes, card: bytes, D: bytes, proof: bytes, place: Place) -> dict[str, Any]:
    """Operation of 13.4.2: check a share of a card, and return the card without the share."""
    (e,), given = decode_ciphertexts(card, 1), decode_point(D)
    where = ProofPlace(**place, purpose="share")
    check_share(proof, decode_point(X), e, given, where)
    points = [GENERATOR, decode_point(X), e.C1, given, e.C2]
    context = proof_context(where, "equality of discrete logarithms", points)
    return {"context": context, "without": (e.C2 - given).encoded}


def check_cards(
    X: bytes, before: bytes | int, after: bytes, proof: bytes, place: Place
) -> dict[str, Any]:
    """Operation of 13.5: check a shuffle, and return its challenges. `before` may be a number of
    unencrypted pieces.
    """
    count = len(after) // 64
    deck = (
        tuple(map(clear_ciphertext, _faces(before)))
        if isinstance(before, int)
        else decode_ciphertexts(before, count)
    )
    cards, key, gens = decode_ciphertexts(after, count), decode_point(X), generators(count)
    where = ProofPlace(**place, purpose="shuffle")
    check_shuffle(proof, deck, cards, key, where)
    halves = [point for e in (*deck, *cards) for point in (e.C1, e.C2)]
    context = proof_context(where, "shuffle", [GENERATOR, gens.h, *gens.h_i, key, *halves])
    committed = [
        decode_point(proof[at : at + 32])
        for at in range((5 + 2 * count) * 32, (5 + 3 * count) * 32, 32)
    ]
    return {
        "context": context,
        "u": [u.encoded for u in challenges(context, "u", count, committed)],
    }


def _faces(pieces: int) -> list[Point]:
    return [hash_to_point("piece", piece) for piece in range(pieces)]


def check_key_share(
    X: bytes, commitments: list[bytes], receiver: int, share: bytes
) -> dict[str, Any]:
    """Operation of 13.9.3: check that a key share fits."""
    points = [decode_point(raw) for raw in commitments]
    return {"fits": share_fits(decode_scalar(share), receiver, decode_point(X), points)}


def put_parts_together(parts: list[list[Any]]) -> dict[str, Any]:
    """Operation of 13.9.7: combine [receiver, part] of a quorum into the point that the whole key
    gives.
    """
    return {"D": combine_points({receiver: decode_point(raw) for receiver, raw in parts}).encoded}


OPERATIONS = {
    "take point": take_point,
    "take scalar": take_scalar,
    "reduce to scalar": reduce_scalar,
    "hash to point": hash_point,
    "multiply": multiply,
    "check proof of knowledge": check_key,
    "check proof of equality": check_equal,
    "check share": check_card_share,
    "check shuffle": check_cards,
    "check key share": check_key_share,
    "put parts together": put_parts_together,
}
ORDER = 2**252 + 27742317777372353535851937790883648493
# RFC 9496, appendix A.3: a few of what is no encoding
NO_POINTS = {
    "a field element that is not canonical": "00" + 30 * "ff" + "ff",
    "the field's prime": "ed" + 30 * "ff" + "7f",
    "a negative field element": "01" + 31 * "00",
    "not a square": "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "the generator with bit 255 set": masked(GENERATOR.encoded).hex(),
    "the identity with bit 255 set": masked(bytes(32)).hex(),
    "31 bytes": 31 * "00",
    "the identity": 32 * "00",
}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_group(), *_knowledge(), *_equality(), *_shares(), *_shuffles(), *_sharing()]


def _group() -> list[Vector]:
    rng = random_for("the group")
    point, scalar, uniform = times_base(random_scalar(rng)), random_scalar(rng), rng.randbytes(64)
    no_points = tuple(
        Bad(text, {"point": bytes.fromhex(raw)}, "bad_point") for text, raw in NO_POINTS.items()
    )
    no_scalars = (
        Bad("the group's order", {"scalar": ORDER.to_bytes(32, "little")}, "bad_scalar"),
        Bad("2^256 - 1", {"scalar": b"\xff" * 32}, "bad_scalar"),
        Bad("31 bytes", {"scalar": bytes(31)}, "bad_scalar"),
    )
    return [
        Vector("13.2", "a point", "take point", {"point": point.encoded}, no_points),
        Vector("13.2", "a scalar", "take scalar", {"scalar": scalar.encoded}, no_scalars),
        Vector("13.2", "zero is a scalar", "take scalar", {"scalar": bytes(32)}),
        Vector("13.2", "64 bytes to a scalar", "reduce to scalar", {"uniform": uniform}),
        Vector("13.2", "64 times ff to a scalar", "reduce to scalar", {"uniform": b"\xff" * 64}),
        Vector(
            "13.2", "times the generator", "multiply", {"scalar": scalar.encoded, "point": None}
        ),
        Vector(
            "13.2", "times a point", "multiply", {"scalar": scalar.encoded, "point": point.encoded}
        ),
        Vector("13.2", "the face of piece 0", "hash to point", {"label": "piece", "fields": [0]}),
        Vector(
            "13.2", "the face of piece 207", "hash to point", {"label": "piece", "fields": [207]}
        ),
        Vector(
            "13.2",
            "generator h_28",
            "hash to point",
            {"label": "shuffle generator", "fields": [28]},
        ),
    ]


class Proof:
    """A random place, and changes that spoil a proof."""

    def __init__(self, name: str, position: int) -> None:
        self.rng = random_for(name)
        self.place: Place = {
            "deal": self.rng.randbytes(32),
            "seat": 1,
            "identity": self.rng.randbytes(32),
        }
        self.place["position"] = position

    def at(self, purpose: str) -> ProofPlace:
        """Return the place for a proof of this purpose."""
        return ProofPlace(**self.place, purpose=purpose)

    def faults(self, proof: bytes) -> list[Bad]:
        """Return the proof at another place, and with other bytes."""
        c = int.from_bytes(proof[:32], "little")
        changes: dict[str, dict[str, Any]] = {
            "another deal": {"place/deal": bytes(32)},
            "another seat": {"place/seat": 2},
            "another identity": {"place/identity": bytes(32)},
            "another position": {"place/position": self.place["position"] + 1},
            "a bit of the challenge": {"proof": bytes([proof[0] ^ 1]) + proof[1:]},
            "a bit of an answer": {"proof": proof[:32] + bytes([proof[32] ^ 1]) + proof[33:]},
            "a challenge plus the group's order": {
                "proof": (c + ORDER).to_bytes(32, "little") + proof[32:]
            },
            "a byte left over": {"proof": proof + b"\0"},
            "a byte too few": {"proof": proof[:-1]},
            "all zeros": {"proof": bytes(len(proof))},
        }
        return [Bad(text, change, "bad_proof") for text, change in changes.items()]


def _knowledge() -> list[Vector]:
    made = Proof("a proof of knowledge", 0)
    x = random_scalar(made.rng)
    X = times_base(x)
    proof = prove_knowledge(x, X, made.at("key"), made.rng)
    other = prove_knowledge(x, X, made.at("share"), made.rng)
    bad = (
        *made.faults(proof),
        Bad("another key", {"X": (X + GENERATOR).encoded}, "bad_proof"),
        Bad("made for another purpose", {"proof": other}, "bad_proof"),
        Bad("the identity as key", {"X": bytes(32)}, "bad_point"),
    )
    given = {"X": X.encoded, "proof": proof, "place": made.place}
    return [Vector("13.4", "knowledge of a key", "check proof of knowledge", given, bad)]


def _equality() -> list[Vector]:
    made = Proof("a proof of equality", 2)
    x, H = random_scalar(made.rng), hash_to_point("piece", 5)
    X, Y = times_base(x), x * H
    proof = prove_equality(x, Equality(X, H, Y, (H + X,)), made.at("share"), made.rng)
    given = {
        "X": X.encoded,
        "H": H.encoded,
        "Y": Y.encoded,
        "bound": [(H + X).encoded],
        "proof": proof,
    }
    bad = (
        Bad("other logarithms", {"Y": (Y + GENERATOR).encoded}, "bad_proof"),
        Bad("another base", {"H": (H + GENERATOR).encoded}, "bad_proof"),
        Bad("something else bound", {"bound/0": H.encoded}, "bad_proof"),
        Bad("nothing bound", {"bound": []}, "bad_proof"),
        Bad("the identity as base", {"H": bytes(32), "Y": bytes(32)}, "bad_proof"),
    )
    vector = Vector(
        "13.4",
        "two equal logarithms",
        "check proof of equality",
        given | {"place": made.place},
        bad,
    )
    return [vector]


def _shares() -> list[Vector]:
    made = Proof("a share", 11)
    x, other, r = (random_scalar(made.rng) for _ in range(3))
    X = times_base(x)
    card, second = _card(X + times_base(other), r, 27), _card(X + times_base(other), r + r, 3)
    D = share(x, card)
    proof = prove_share(x, X, card, D, made.at("share"), made.rng)
    given = {"X": X.encoded, "card": encode_ciphertexts([card]), "D": D.encoded, "proof": proof}
    mixed = encode_ciphertexts([Ciphertext(card.C1, second.C2)])
    bad = (
        *made.faults(proof),
        Bad("another share", {"D": (D + GENERATOR).encoded}, "bad_proof"),
        Bad("the identity as share", {"D": bytes(32)}, "bad_point"),
        Bad("of another card", {"card": encode_ciphertexts([second])}, "bad_proof"),
        Bad("of a card with another second half", {"card": mixed}, "bad_proof"),
        Bad("another seat's key", {"X": times_base(other).encoded}, "bad_proof"),
    )
    return [
        Vector(
            "13.4", "one seat's share of card 11", "check share", given | {"place": made.place}, bad
        )
    ]


def _card(X: Point, r: Scalar, piece: int) -> Ciphertext:
    return Ciphertext(times_base(r), hash_to_point("piece", piece) + r * X)


def _shuffles() -> list[Vector]:
    made = Proof("a shuffle", 0)
    X = times_base(random_scalar(made.rng))
    clear = tuple(map(clear_ciphertext, _faces(4)))
    first, witness = shuffle(clear, X, made.rng)
    proof = prove_shuffle(clear, first, witness, X, made.at("shuffle"), made.rng)
    given = {
        "X": X.encoded,
        "before": 4,
        "after": encode_ciphertexts(first),
        "proof": proof,
        "place": made.place,
    }
    again = Proof("a second shuffle", 1)
    second, witness = shuffle(first, X, again.rng)
    more = prove_shuffle(first, second, witness, X, again.at("shuffle"), again.rng)
    after = encode_ciphertexts(second)
    later = {
        "X": X.encoded,
        "before": encode_ciphertexts(first),
        "after": after,
        "proof": more,
        "place": again.place,
    }
    other = Ciphertext(second[0].C1, second[0].C2 + GENERATOR)
    points = (5 + 2 * 4) * 32
    bad = (
        *again.faults(more),
        Bad(
            "two cards exchanged", {"after": after[64:128] + after[:64] + after[128:]}, "bad_proof"
        ),
        Bad(
            "another face on a card",
            {"after": encode_ciphertexts([other, *second[1:]])},
            "bad_proof",
        ),
        Bad("a card twice", {"after": after[:64] + after[:64] + after[128:]}, "bad_proof"),
        Bad(
            "a card as it was", {"after": encode_ciphertexts([first[0], *second[1:]])}, "bad_proof"
        ),
        Bad("a card in clear", {"after": bytes(32) + after[32:]}, "bad_point"),
        Bad("another key", {"X": (X + GENERATOR).encoded}, "bad_proof"),
        Bad("the proof of another shuffle", {"proof": proof}, "bad_proof"),
        Bad(
            "a commitment that is the identity",
            {"proof": more[:points] + bytes(32) + more[points + 32 :]},
            "bad_proof",
        ),
    )
    return [
        Vector("13.5", "four pieces in clear, shuffled", "check shuffle", given),
        Vector("13.5", "and once more", "check shuffle", later, bad),
    ]


def _sharing() -> list[Vector]:
    rng = random_for("key sharing")
    x = random_scalar(rng)
    X = times_base(x)
    points, shares = share_secret(x, 2, (0, 2, 3), rng)
    commitments = [point.encoded for point in points]
    given = {"X": X.encoded, "commitments": commitments, "receiver": 2, "share": shares[2].encoded}
    C = times_base(random_scalar(rng))
    parts = {receiver: (share * C) for receiver, share in shares.items()}
    assert combine_points({0: parts[0], 3: parts[3]}) == x * C
    slope = (ZERO - x) * scalar_from_int(3).inverse()  # x + 3·slope = 0
    aimed = {
        "X": X.encoded,
        "commitments": [times_base(slope).encoded],
        "receiver": 2,
        "share": ZERO.encoded,
    }
    return [
        Vector("13.9", "a share of seat 1's key for seat 2", "check key share", given),
        Vector(
            "13.9",
            "the same for another seat: it does not fit",
            "check key share",
            given | {"receiver": 3},
        ),
        Vector("13.9", "a share of zero, which never fits", "check key share", aimed),
        *(
            Vector(
                "13.9",
                name,
                "put parts together",
                {"parts": [[seat, parts[seat].encoded] for seat in seats]},
            )
            for name, seats in (
                ("by seats 0 and 3", (0, 3)),
                ("by seats 0 and 2", (0, 2)),
                ("by all", (0, 2, 3)),
            )
        ),
    ]
