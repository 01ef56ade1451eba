"""Oblivious transfer delivers exactly the chosen item, and the audit finds liars."""

from dataclasses import replace
from random import Random

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.group import (
    IDENTITY,
    Point,
    Scalar,
    random_scalar,
    scalar_from_int,
    times_base,
)
from protocol.crypto.hashing import derive
from protocol.crypto.oblivious_transfer import (
    TAG,
    DrawContext,
    check_choice,
    check_transfer,
    choose,
    receive,
    sender_setup,
    transfer,
)
from protocol.errors import RemoteError

N = 6
CONTEXT = DrawContext(deal=bytes(range(32)), seat=1, draw=2)
RNG = Random("oblivious")
Y, S = sender_setup(RNG)


def messages(n: int = N) -> list[bytes]:
    return [bytes([j + 1]) * 34 for j in range(n)]


def refuses(code: Code, *args: object) -> bool:
    with pytest.raises(RemoteError) as caught:
        receive(*args)  # type: ignore[arg-type]
    return caught.value.code == code


@pytest.mark.parametrize("n", range(1, 15))
def test_transfer_delivers_every_choice(n: int) -> None:
    for choice in range(n):
        x, R = choose(S, choice, n, RNG)
        ciphertexts = transfer(Y, S, R, messages(n), CONTEXT)
        assert receive(x, S, R, choice, ciphertexts, CONTEXT) == messages(n)[choice]
        assert check_choice(x, S, R, choice, n)
        assert check_transfer(Y, S, R, ciphertexts, messages(n), CONTEXT)


def test_transfer_of_largest_size_works() -> None:
    x, R = choose(S, 207, 208, RNG)
    ciphertexts = transfer(Y, S, R, [bytes([j]) * 34 for j in range(208)], CONTEXT)
    assert receive(x, S, R, 207, ciphertexts, CONTEXT) == bytes([207]) * 34
    assert {len(each) for each in ciphertexts} == {34 + TAG}


def test_transfer_keys_match_documentation() -> None:
    """Slot by slot, the keys follow y·(R − j·S) as the docstring states."""
    _, R = choose(S, 4, N, RNG)
    for j, ciphertext in enumerate(transfer(Y, S, R, messages(), CONTEXT)):
        shared = Y * (R - scalar_from_int(j) * S)
        bound = (CONTEXT.deal, CONTEXT.seat, CONTEXT.draw, N, S.encoded, R.encoded, j)
        key = derive(shared.encoded, "oblivious transfer", *bound)
        assert AESGCM(key).decrypt(bytes(12), ciphertext, None) == messages()[j]


def test_receiver_opens_no_other_slot() -> None:
    x, R = choose(S, 2, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), CONTEXT)
    for other in range(N):
        if other != 2:
            assert refuses(Code.BAD_TRANSFER, x, S, R, other, ciphertexts, CONTEXT)
            moved = [*ciphertexts]
            moved[2], moved[other] = moved[other], moved[2]
            assert refuses(Code.BAD_TRANSFER, x, S, R, 2, moved, CONTEXT)


def test_receiver_combinations_open_no_other_slot() -> None:
    """A dishonest receiver tries, on every slot, all small combinations of the points that it
    has.
    """
    x, R = choose(S, 1, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), CONTEXT)
    known = [x * S, x * R, S, R, times_base(x), IDENTITY]
    guesses = {p + q for p in known for q in known} | {p - q for p in known for q in known}
    opened = set()
    for j, ciphertext in enumerate(ciphertexts):
        bound = (CONTEXT.deal, CONTEXT.seat, CONTEXT.draw, N, S.encoded, R.encoded, j)
        for guess in guesses:
            try:
                AESGCM(derive(guess.encoded, "oblivious transfer", *bound)).decrypt(
                    bytes(12), ciphertext, None
                )
                opened.add(j)
            except InvalidTag:
                pass
    assert opened == {1}


@pytest.mark.parametrize("change", [{"deal": bytes(32)}, {"seat": 0}, {"draw": 3}])
def test_transfer_of_another_context_does_not_open(change: dict[str, object]) -> None:
    x, R = choose(S, 0, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), replace(CONTEXT, **change))  # type: ignore[arg-type]
    assert refuses(Code.BAD_TRANSFER, x, S, R, 0, ciphertexts, CONTEXT)
    assert not check_transfer(Y, S, R, ciphertexts, messages(), CONTEXT)


def test_draws_of_one_setup_share_no_keys() -> None:
    draws = [(choose(S, 3, N, RNG), replace(CONTEXT, draw=draw)) for draw in range(5)]
    sent = [transfer(Y, S, R, messages(), context) for (_, R), context in draws]
    assert len({each for ciphertexts in sent for each in ciphertexts}) == 5 * N
    for ((x, R), context), ciphertexts in zip(draws, sent, strict=True):
        assert receive(x, S, R, 3, ciphertexts, context) == messages()[3]
    (x, R), context = draws[0]
    assert refuses(Code.BAD_TRANSFER, x, S, R, 3, sent[1], context)


def test_repeated_query_in_another_draw_shares_no_key() -> None:
    _, R = choose(S, 3, N, RNG)
    first, second = (transfer(Y, S, R, messages(), replace(CONTEXT, draw=draw)) for draw in (0, 1))
    assert not set(first) & set(second)


@pytest.mark.parametrize("byte", range(34 + TAG))
def test_transfer_with_tampered_ciphertext_is_refused(byte: int) -> None:
    x, R = choose(S, 2, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), CONTEXT)
    altered = bytearray(ciphertexts[2])
    altered[byte] ^= 1
    ciphertexts[2] = bytes(altered)
    assert refuses(Code.BAD_TRANSFER, x, S, R, 2, ciphertexts, CONTEXT)


def test_transfer_with_wrong_slots_is_refused() -> None:
    x, R = choose(S, 2, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), CONTEXT)
    cut = [*ciphertexts[:2], b"", *ciphertexts[3:]]
    for wrong in ([], ciphertexts[:2], ciphertexts[:-1], [*ciphertexts, bytes(50)], cut):
        assert refuses(Code.BAD_TRANSFER, x, S, R, 2, wrong, CONTEXT)


def test_transfer_identity_point_is_refused() -> None:
    x, R = choose(S, 1, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), CONTEXT)
    for attempt in (
        lambda: choose(IDENTITY, 1, N, RNG),
        lambda: transfer(Y, S, IDENTITY, messages(), CONTEXT),
        lambda: transfer(Y, IDENTITY, R, messages(), CONTEXT),
        lambda: receive(x, IDENTITY, R, 1, ciphertexts, CONTEXT),
        lambda: receive(x, S, IDENTITY, 1, ciphertexts, CONTEXT),
    ):
        with pytest.raises(RemoteError) as caught:
            attempt()
        assert caught.value.code == Code.BAD_POINT
    assert not check_transfer(Y, S, IDENTITY, ciphertexts, messages(), CONTEXT)


@pytest.mark.parametrize(("choice", "n"), [(-1, 5), (5, 5), (0, 0), (208, 209)])
def test_transfer_choice_out_of_range_raises_error(choice: int, n: int) -> None:
    with pytest.raises(ValueError, match="choice"):
        choose(S, choice, n, RNG)


@pytest.mark.parametrize("wrong", [[], [b"a"] * 209, [b"a", b"bb"]])
def test_transfer_messages_of_wrong_shape_raise_error(wrong: list[bytes]) -> None:
    _, R = choose(S, 0, N, RNG)
    with pytest.raises(ValueError, match="equal length"):
        transfer(Y, S, R, wrong, CONTEXT)
    assert not check_transfer(Y, S, R, wrong, wrong, CONTEXT)


def test_negative_index_is_not_a_choice() -> None:
    x, R = choose(S, N - 1, N, RNG)
    ciphertexts = transfer(Y, S, R, messages(), CONTEXT)
    assert refuses(Code.BAD_TRANSFER, x, S, R, -1, ciphertexts, CONTEXT)


def test_transfer_query_hides_the_choice() -> None:
    """Some x fits every R and every choice, so R reveals nothing. Computing this x takes y."""
    x, R = choose(S, 2, N, RNG)
    for other in range(N):
        fitting = x + (scalar_from_int(2) - scalar_from_int(other)) * Y
        assert check_choice(fitting, S, R, other, N)
    assert len({choose(S, 2, N, RNG)[1] for _ in range(20)}) == 20


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(choice=st.integers(0, N - 1), claimed=st.integers(-2, N + 2), seed=st.integers(0, 2**32))
def test_another_choice_is_not_opened_without_y(choice: int, claimed: int, seed: int) -> None:
    rng = Random(seed)
    x, R = choose(S, choice, N, rng)
    assert check_choice(x, S, R, claimed, N) == (claimed == choice)
    assert not check_choice(random_scalar(rng), S, R, choice, N)


def test_transfer_choice_beyond_pieces_is_found() -> None:
    """R = n·S + x·G opens nothing; a receiver might use it to decline a draw unnoticed."""
    x = random_scalar(RNG)
    R = scalar_from_int(N) * S + times_base(x)
    assert not check_choice(x, S, R, N, N)
    assert check_choice(x, S, R, N, N + 1)


@pytest.mark.parametrize("slot", range(N))
def test_garbage_in_any_slot_is_found_by_the_audit(slot: int) -> None:
    _, R = choose(S, 1, N, RNG)
    honest = transfer(Y, S, R, messages(), CONTEXT)
    garbage = [*honest]
    garbage[slot] = RNG.randbytes(34 + TAG)
    lie = messages()
    lie[slot] = b"another piece".ljust(34)
    assert check_transfer(Y, S, R, honest, messages(), CONTEXT)
    assert not check_transfer(Y, S, R, garbage, messages(), CONTEXT)
    assert not check_transfer(Y, S, R, transfer(Y, S, R, lie, CONTEXT), messages(), CONTEXT)


def test_check_transfer_wants_the_right_secret_and_count() -> None:
    _, R = choose(S, 1, N, RNG)
    sent = transfer(Y, S, R, messages(), CONTEXT)
    other: Scalar = random_scalar(RNG)
    assert not check_transfer(other, S, R, sent, messages(), CONTEXT)
    assert not check_transfer(
        other, S, R, transfer(other, S, R, messages(), CONTEXT), messages(), CONTEXT
    )
    assert not check_transfer(Y, S, R, sent[:-1], messages(), CONTEXT)
    assert not check_transfer(Y, S, R, sent, messages()[:-1], CONTEXT)
    assert not check_transfer(Y, S, R, sent[::-1], messages(), CONTEXT)
    assert not check_transfer(Y, S, R + S, sent, messages(), CONTEXT)


def test_choose_never_posts_the_identity() -> None:
    """The random source first gives x = −c·y, for which R would be the identity."""

    answers = [(-(scalar_from_int(3) * Y)).encoded + bytes(32), b"\1" * 64]

    class Unlucky(Random):
        def randbytes(self, n: int) -> bytes:
            return answers.pop(0)

    x, R = choose(S, 3, N, Unlucky())
    assert not answers
    assert not R.is_identity
    assert check_choice(x, S, R, 3, N)
    assert isinstance(R, Point)
