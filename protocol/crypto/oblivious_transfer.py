"""1-of-n oblivious transfer: a drawer gets the one message it chose, and the sender does not learn
which.

Chou and Orlandi, "The simplest protocol for oblivious transfer", LATINCRYPT 2015, over
ristretto255, with the draw's context bound in every key and authenticated ciphertexts:

    sender                                              receiver, choice c of 0..n−1
    y random, S = y·G           ── S, once a deal ──►
                                ◄── R ──                x random, R = c·S + x·G
    k_j = H(context, n, S, R, j, y·(R − j·S))
    E_j = AES-256-GCM(k_j, m_j) ── E_0..E_n−1 ──►       k_c = H(context, n, S, R, c, x·S)

What is promised
    - The sender learns nothing about c, whatever it computes: R is uniform for every c. (That needs
      a group of prime order, so that S has no part of small order: `Point` sees to it.)
    - The receiver opens at most one message: to know two keys of one draw it must know y·S = y²·G.
      This holds if Diffie–Hellman is hard to compute in the group and H is a random oracle.
    - A message that is altered, swapped with another slot's or taken from another draw does not
      open.

What only the audit finds
    - A sender may put anything in any slot. One that spoils slot j learns from a protest whether c
      = j. `check_transfer` shows it: the sender opens y and the messages, and every slot is
      computed anew.
    - A receiver may choose a piece that it should not. `check_choice` shows it: the receiver opens
      (c, x).

    Whoever knows y can open any R as any choice (x' = x + (c − c')·y). So **receivers open first, the sender
    last**, and a receiver's opening that stands in the log after the sender's proves nothing.

One S for all draws of a deal
    This is the paper's own setting: S is sent once, many transfers follow. Every key has the draw's
    context and R in its hash, so equal or related R of two draws share no key, and knowing one key
    of each of many draws gives no second key of any: each would still need y·S. A new deal takes a
    new y, because the audit opens y.

Keys
    A key encrypts one message, so the nonce is zero. `transfer` is deterministic: repeating it
    after a crash gives the same bytes. It must never be called for one (draw, R) with other
    messages: that would use keys twice.
"""

from dataclasses import dataclass
from random import Random

from protocol.codes import Code
from protocol.crypto.group import Point, Scalar, random_scalar, scalar_from_int, times_base
from protocol.crypto.hashing import derive
from protocol.crypto.primitives.aes_gcm import NONCE_SIZE, TAG_SIZE, AesGcm
from protocol.errors import RemoteError
from protocol.limits import MAX_PILE

TAG = TAG_SIZE  # bytes by which a ciphertext is longer than its message
_NONCE = bytes(NONCE_SIZE)


@dataclass(frozen=True, slots=True)
class DrawContext:
    """What one transfer is for; nothing made for one draw opens in another."""

    deal: bytes  # the deal's id, which binds table, match and deal number
    seat: int  # the drawer's seat
    draw: int  # the draw's number in this deal, from 0, over all seats


def sender_setup(rng: Random) -> tuple[Scalar, Point]:
    """The sender's secret y and public S = y·G for all draws of one deal."""
    y = random_scalar(rng)
    return y, times_base(y)


def choose(S: Point, choice: int, n: int, rng: Random) -> tuple[Scalar, Point]:
    """The receiver's secret x and public R = choice·S + x·G; fresh for every draw.

    Raises: RemoteError(BAD_POINT) if S is the identity (it would show the choice); ValueError for a
    choice outside 0..n−1.
    """
    _refuse_identity(S)
    if not 0 <= choice < n <= MAX_PILE:
        raise ValueError("a choice lies between 0 and n − 1")
    shift = scalar_from_int(choice) * S
    while True:
        x = random_scalar(rng)
        R = shift + times_base(x)
        if not R.is_identity:
            return x, R


def transfer(
    y: Scalar, S: Point, R: Point, messages: list[bytes], context: DrawContext
) -> list[bytes]:
    """One ciphertext for each message (1 to 208 of equal length), each 16 bytes longer.
    Deterministic.

    Raises: RemoteError(BAD_POINT) if S or R is the identity; ValueError for unequal or too many
    messages.
    """
    _refuse_identity(S, R)
    n = len(messages)
    if not 1 <= n <= MAX_PILE or len({len(message) for message in messages}) != 1:
        raise ValueError("1 to 208 messages of equal length")
    # y·(R − j·S) = y·R − j·(y·S): a subtraction a slot, not a multiplication
    step, shared = y * S, y * R
    ciphertexts = []
    for j, message in enumerate(messages):
        ciphertexts.append(_cipher(shared, S, R, n, j, context).encrypt(_NONCE, message))
        shared = shared - step
    return ciphertexts


def receive(
    x: Scalar, S: Point, R: Point, choice: int, ciphertexts: list[bytes], context: DrawContext
) -> bytes:
    """The chosen message.

    Raises: RemoteError(BAD_TRANSFER) if there is no such ciphertext or it does not open;
    RemoteError(BAD_POINT) if S or R is the identity.
    """
    _refuse_identity(S, R)
    if not 0 <= choice < len(ciphertexts):
        raise RemoteError(Code.BAD_TRANSFER)
    cipher = _cipher(x * S, S, R, len(ciphertexts), choice, context)
    try:
        return cipher.decrypt(_NONCE, ciphertexts[choice])
    except ValueError:
        raise RemoteError(Code.BAD_TRANSFER) from None


def check_choice(x: Scalar, S: Point, R: Point, choice: int, n: int) -> bool:
    """Audit: whether (choice, x) opens R as a choice among n. Only sound if it was logged before y
    was.
    """
    return 0 <= choice < n <= MAX_PILE and scalar_from_int(choice) * S + times_base(x) == R


def check_transfer(
    y: Scalar,
    S: Point,
    R: Point,
    ciphertexts: list[bytes],
    messages: list[bytes],
    context: DrawContext,
) -> bool:
    """Audit: whether the sender of S, which opened y, sent exactly these messages in every slot."""
    if times_base(y) != S or len(ciphertexts) != len(messages):
        return False
    try:
        return transfer(y, S, R, messages, context) == ciphertexts
    except (RemoteError, ValueError):
        return False


def _refuse_identity(*points: Point) -> None:
    if any(point.is_identity for point in points):
        raise RemoteError(Code.BAD_POINT)


def _cipher(shared: Point, S: Point, R: Point, n: int, j: int, context: DrawContext) -> AesGcm:
    """The cipher of slot j of n, whose shared point is y·(R − j·S); the receiver's own is x·S."""
    bound = (context.deal, context.seat, context.draw, n, S.encoded, R.encoded, j)
    return AesGcm(derive(shared.encoded, "oblivious transfer", *bound))
