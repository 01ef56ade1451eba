"""ristretto255: the vectors of RFC 9496, appendix A, and second encodings of their points."""

import json
from pathlib import Path

import pytest

from protocol.codes import Code
from protocol.crypto.group import (
    FIELD_PRIME,
    GENERATOR,
    IDENTITY,
    Point,
    decode_point,
    point_from_uniform,
    scalar_from_int,
    times_base,
)
from protocol.errors import RemoteError

VECTORS = json.loads((Path(__file__).parent / "rfc9496.json").read_text())
INVALID = [(why, raw) for why, raws in VECTORS["invalid"].items() for raw in raws]


@pytest.mark.parametrize(("k", "encoded"), list(enumerate(VECTORS["multiples"])))
def test_multiples_of_generator_match_rfc(k: int, encoded: str) -> None:
    raw = bytes.fromhex(encoded)
    point = decode_point(raw, identity=True)
    assert times_base(scalar_from_int(k)) == scalar_from_int(k) * GENERATOR == point
    assert sum([GENERATOR] * k, start=IDENTITY) == point
    assert point.encoded == raw


@pytest.mark.parametrize(("why", "encoded"), INVALID)
def test_invalid_encoding_is_refused(why: str, encoded: str) -> None:
    for decode in (decode_point, Point, lambda raw: decode_point(raw, identity=True)):
        with pytest.raises(RemoteError) as caught:
            decode(bytes.fromhex(encoded))
        assert caught.value.code == Code.BAD_POINT, why


def _second_encodings(raw: bytes) -> list[bytes]:
    """Return other bytes that a decoder would read as the same point if it masked bit 255, reduced,
    or ignored the sign.
    """
    value = int.from_bytes(raw, "little")
    others = {
        value + 2**255,
        FIELD_PRIME - value,
        FIELD_PRIME - value + 2**255,
        value + FIELD_PRIME,
    }
    return [other.to_bytes(32, "little") for other in others - {value} if other < 2**256]


@pytest.mark.parametrize("encoded", VECTORS["multiples"])
def test_second_encoding_of_a_point_is_refused(encoded: str) -> None:
    for raw in _second_encodings(bytes.fromhex(encoded)):
        for decode in (decode_point, Point, lambda raw: decode_point(raw, identity=True)):
            with pytest.raises(RemoteError) as caught:
                decode(raw)
            assert caught.value.code == Code.BAD_POINT


@pytest.mark.parametrize(("uniform", "encoded"), VECTORS["derivation"])
def test_element_derivation_matches_rfc(uniform: str, encoded: str) -> None:
    assert point_from_uniform(bytes.fromhex(uniform)).encoded.hex() == encoded
