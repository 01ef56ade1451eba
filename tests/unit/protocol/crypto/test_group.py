"""ristretto255: the group laws, and encodings that must be refused."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.group import (
    GENERATOR,
    IDENTITY,
    ONE,
    ORDER,
    ZERO,
    Point,
    Scalar,
    decode_point,
    decode_points,
    decode_scalar,
    decode_scalars,
    dot,
    encode,
    hash_to_point,
    hash_to_scalar,
    linear_combination,
    point_from_uniform,
    random_scalar,
    scalar_from_int,
    scalars_from_uniform,
    times_base,
    total,
)
from protocol.crypto.hashing import derive
from protocol.errors import RemoteError
from tests.support.errors import raises_text

edges = st.sampled_from([0, 1, 2, 8, ORDER // 2, ORDER - 2, ORDER - 1])
integers = edges | st.integers(0, ORDER - 1)
scalars = integers.map(scalar_from_int)
points = scalars.map(times_base) | st.integers(0, 99).map(lambda n: hash_to_point("test", n))
laws = settings(max_examples=60, deadline=None)


@pytest.mark.slow
@laws
@given(points, st.integers(0, 255))
def test_point_with_flipped_bit_is_invalid_or_another(point: Point, bit: int) -> None:
    raw = (int.from_bytes(point.encoded, "little") ^ 1 << bit).to_bytes(32, "little")
    try:
        other = decode_point(raw, identity=True)
    except RemoteError:
        return
    assert other - point != IDENTITY, "the same element under two encodings"


@pytest.mark.parametrize(
    "raw", [b"", bytes(31), bytes(33), GENERATOR.encoded + b"\0", "x" * 32, None, 7]
)
def test_point_of_wrong_shape_is_refused(raw: object) -> None:
    with raises_text(RemoteError, match="group element"):
        decode_point(raw, identity=True)
    with raises_text(RemoteError, match="scalar"):
        decode_scalar(raw)
    assert decode_point(GENERATOR.encoded) == GENERATOR


def test_identity_is_refused_unless_allowed() -> None:
    with pytest.raises(RemoteError) as caught:
        decode_point(bytes(32))
    assert caught.value.code == Code.BAD_POINT
    assert decode_point(bytes(32), identity=True) == IDENTITY
    assert IDENTITY.is_identity
    assert not GENERATOR.is_identity


@pytest.mark.parametrize("value", [ORDER, ORDER + 1, ORDER + 2**200, 2 * ORDER, 2**255, 2**256 - 1])
def test_scalar_of_the_order_or_more_is_refused(value: int) -> None:
    with pytest.raises(RemoteError) as caught:
        decode_scalar(value.to_bytes(32, "little"))
    assert caught.value.code == Code.BAD_SCALAR


@laws
@given(integers)
def test_scalar_below_the_order_is_accepted(value: int) -> None:
    scalar = decode_scalar(value.to_bytes(32, "little"))
    assert scalar == scalar_from_int(value) == scalar_from_int(value - ORDER)
    assert scalar.is_zero == (value == 0)


@pytest.mark.slow
@laws
@given(integers, integers)
def test_scalars_are_integers_modulo_the_order(a: int, b: int) -> None:
    s, t = scalar_from_int(a), scalar_from_int(b)
    assert s + t == scalar_from_int(a + b)
    assert s - t == scalar_from_int(a - b)
    assert s * t == scalar_from_int(a * b)
    assert -s == scalar_from_int(-a)
    if a:
        assert s.inverse() == scalar_from_int(pow(a, -1, ORDER))


def test_zero_has_no_inverse() -> None:
    with pytest.raises(ZeroDivisionError):
        ZERO.inverse()


@laws
@given(points, points, points)
@pytest.mark.slow
def test_addition_is_an_abelian_group(p: Point, q: Point, r: Point) -> None:
    assert p + q == q + p
    assert (p + q) + r == p + (q + r)
    assert p + IDENTITY == p == p - IDENTITY
    assert p - q == p + -q
    assert (p - p).is_identity
    assert Point((p + q).encoded) == p + q  # the result of arithmetic is canonical


@pytest.mark.slow
@laws
@given(scalars, scalars, points, points)
def test_multiplication_is_linear(s: Scalar, t: Scalar, p: Point, q: Point) -> None:
    assert (s + t) * p == s * p + t * p
    assert s * (p + q) == s * p + s * q
    assert s * (t * p) == (s * t) * p
    assert -s * p == -(s * p)
    assert Point((s * p).encoded) == s * p


@pytest.mark.slow
@laws
@given(scalars, points)
def test_products_equal_to_identity_are_returned(s: Scalar, p: Point) -> None:
    """libsodium reports these products as errors."""
    assert (ZERO * p).is_identity
    assert (s * IDENTITY).is_identity
    assert times_base(ZERO).is_identity
    assert (s * p - s * p).is_identity
    assert (s * p + -s * p).is_identity
    assert ONE * p == p
    assert (scalar_from_int(ORDER - 1) * p + p).is_identity
    assert (s * p).is_identity == (s.is_zero or p.is_identity)


@pytest.mark.slow
@laws
@given(st.lists(st.tuples(scalars, scalars, points), max_size=4))
def test_sum_of_list_equals_sum_of_parts(
    terms: list[tuple[Scalar, Scalar, Point]],
) -> None:
    left, right, bases = (
        [s for s, _, _ in terms],
        [t for _, t, _ in terms],
        [p for _, _, p in terms],
    )
    assert linear_combination(left, bases) == sum(
        (s * p for s, p in zip(left, bases, strict=True)), start=IDENTITY
    )
    assert total(bases) == total(iter(bases)) == sum(bases, start=IDENTITY)
    assert dot(left, right) == sum((s * t for s, t in zip(left, right, strict=True)), start=ZERO)
    assert Point(linear_combination(left, bases).encoded) == linear_combination(left, bases)
    for unequal in (
        lambda: linear_combination([*left, ONE], bases),
        lambda: dot(left, [*right, ONE]),
    ):
        with pytest.raises(ValueError, match="zip"):
            unequal()


def test_list_of_points_is_encoded_in_sequence() -> None:
    some_points, some_scalars = (
        [GENERATOR, hash_to_point("test", 1)],
        [ZERO, ONE, scalar_from_int(-1)],
    )
    assert encode(some_points) == GENERATOR.encoded + some_points[1].encoded
    assert decode_points(encode(some_points)) == some_points
    assert decode_scalars(encode(some_scalars)) == some_scalars
    assert decode_points(b"") == decode_scalars(b"") == []
    for raw in (
        encode(some_points)[:-1],
        encode([GENERATOR, IDENTITY]),
        encode([GENERATOR]) + bytes([1] * 32),
    ):
        with pytest.raises(RemoteError):
            decode_points(raw)
    for raw in (encode(some_scalars) + b"\0", encode([ONE]) + ORDER.to_bytes(32, "little")):
        with pytest.raises(RemoteError):
            decode_scalars(raw)


def test_scalar_from_uniform_bytes_is_reduced() -> None:
    numbers = [0, ORDER + 5, 2**512 - 1]
    raw = b"".join(number.to_bytes(64, "little") for number in numbers)
    assert scalars_from_uniform(raw) == [scalar_from_int(number) for number in numbers]
    with pytest.raises(ValueError, match="64"):
        scalars_from_uniform(raw[:-1])


def test_points_and_scalars_cannot_be_mixed() -> None:
    point, scalar = GENERATOR, ONE
    for mix in (
        lambda: point + scalar,
        lambda: scalar + point,
        lambda: point - scalar,
        lambda: scalar - point,
        lambda: point * scalar,
        lambda: point * point,
        lambda: scalar * 2,
        lambda: point + point.encoded,
    ):
        with pytest.raises(TypeError):
            mix()
    assert Point(bytes(32)) != Scalar(bytes(32))


def test_points_and_scalars_are_immutable() -> None:
    for value in (GENERATOR, ONE):
        with pytest.raises(AttributeError):
            value.encoded = bytes(32)
    assert {GENERATOR: 1}[times_base(ONE)] == 1


def test_repr_shows_no_value() -> None:
    for value in (GENERATOR, random_scalar(Random(1))):
        assert value.encoded.hex()[:8] not in repr(value)
        assert repr(value.encoded)[2:10] not in repr(value)


def test_hash_to_point_matches_documentation() -> None:
    point = hash_to_point("piece", b"x", 3)
    assert point == point_from_uniform(derive(b"", "piece", b"x", 3, length=64))
    assert hash_to_point("piece", b"x", 4) != point != hash_to_point("other", b"x", 3)
    scalar = int.from_bytes(derive(b"", "piece", b"x", 3, length=64), "little")
    assert hash_to_scalar("piece", b"x", 3) == scalar_from_int(scalar)


def test_point_from_uniform_wants_64_bytes() -> None:
    with pytest.raises(ValueError, match="64"):
        point_from_uniform(bytes(32))


class Scripted(Random):
    """Random source that returns the given byte strings."""

    def __init__(self, *answers: bytes) -> None:
        super().__init__(0)
        self.answers = list(answers)

    def randbytes(self, n: int) -> bytes:
        answer = self.answers.pop(0)
        assert len(answer) == n
        return answer


def test_random_scalar_reduces_64_bytes_and_is_never_zero() -> None:
    zero, order, wide = bytes(64), ORDER.to_bytes(64, "little"), b"\xff" * 64
    assert random_scalar(Scripted(zero, order, wide)) == scalar_from_int(2**512 - 1)
    assert random_scalar(Random(1)) != random_scalar(Random(2))


IMPORT = "import protocol.crypto.group as g; assert g.times_base(g.ONE) == g.GENERATOR"


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"TMPDIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60
    )


@pytest.mark.process
def test_import_leaves_no_file_behind(tmp_path: Path) -> None:
    done = run(IMPORT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_import_survives_an_undeletable_file(tmp_path: Path) -> None:
    code = (
        "import pathlib\n"
        "def refuse(self, missing_ok=False): raise PermissionError\n"
        "pathlib.Path.unlink = refuse\n" + IMPORT
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.process
def test_import_removes_only_files_in_temp_directory(tmp_path: Path) -> None:
    (keep := tmp_path / "system.so").touch()
    (temp := tmp_path / "temp").mkdir()
    code = f"import rbcl, sys; sys.modules['rbcl._sodium'].lib_path = {str(keep)!r}\n{IMPORT}"
    done = run(code, temp)
    assert done.returncode == 0, done.stderr
    assert keep.exists()


@pytest.mark.process
def test_library_load_error_says_what_to_do(tmp_path: Path) -> None:
    code = (
        "import ctypes\n"
        "def refuse(self, name): raise OSError('failed to map segment: Operation not permitted')\n"
        "ctypes.LibraryLoader.LoadLibrary = refuse\n"
        "from protocol.errors import LocalError\n"
        "from protocol.i18n import english_text\n"
        f"try: {IMPORT}\n"
        "except LocalError as error: print(english_text(error.phrase))\n"
    )
    done = run(code, tmp_path)
    assert done.stdout.startswith("libsodium could not be loaded: set TMPDIR"), done.stderr
