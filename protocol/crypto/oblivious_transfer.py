"""1-of-n oblivious transfer: a receiver gets the one message it chose, and the sender does not
learn the choice.

The scheme is Chou and Orlandi, "The simplest protocol for oblivious transfer", LATINCRYPT 2015. It
runs over ristretto255, with the draw's context bound in every key and with authenticated
ciphertexts. The sender is the table; the receiver is the seat that draws.

    sender                                              receiver, choice c of 0..n−1
    y random, S = y·G           ── S, once a deal ──►
                                ◄── R ──                x random, R = c·S + x·G
    k_j = H(context, n, S, R, j, y·(R − j·S))
    E_j = AES-256-GCM(k_j, m_j) ── E_0..E_n−1 ──►       k_c = H(context, n, S, R, c, x·S)

Promises:

- The sender learns nothing about c by any computation, because R is uniform for every c. This needs
  a group of prime order, so that S has no component of small order; `Point` ensures it.
- The receiver opens at most one message: to know two keys of one draw it must know y·S = y²·G. This
  holds if Diffie–Hellman is hard in the group and H is a random oracle.
- A message that is altered, moved to another slot or taken from another draw does not open.

Two kinds of cheating are found only in the audit:

- A sender may put anything into any slot. A sender that spoils slot j learns from a protest whether
  c = j. For `check_transfer` the sender opens y and the messages, and every slot is computed again.
- A receiver may choose a piece that it should not. For `check_choice` the receiver opens (c, x).

A party that knows y can open any R as any choice (x' = x + (c − c')·y). Therefore **receivers open
first, the sender last**. A receiver's opening that is in the log after the sender's proves nothing.

One S serves all draws of a deal, as in the paper. Every key has the draw's context and R in its
hash, so draws with equal or related R share no key. Knowing one key of each of many draws gives no
second key of any draw: each would still need y·S. A new deal needs a new y, because the audit opens
y.

Each key encrypts one message, so the nonce is zero. `transfer` is deterministic: a repetition after
a crash gives the same bytes. It must never be called for one (draw, R) with other messages, because
that would use keys twice.
"""

from dataclasses import dataclass
from random import Random

from protocol.codes import Code
from protocol.crypto.group import Point, Scalar, random_scalar, scalar_from_int, times_base
from protocol.crypto.hashing import derive
from protocol.crypto.primitives.aes_gcm import NONCE_SIZE, TAG_SIZE, AesGcm
from protocol.errors import RemoteError
from protocol.limits import MAX_PILE

TAG = TAG_SIZE  # extra bytes of a ciphertext over its message
_NONCE = bytes(NONCE_SIZE)


@dataclass(frozen=True, slots=True)
class DrawContext:
    """Identity of one transfer; messages of one draw do not open in another."""

    deal: bytes  # id of the deal, which binds table, match and deal number
    seat: int  # seat that draws
    draw: int  # number of the draw in this deal, from 0, over all seats


def sender_setup(rng: Random) -> tuple[Scalar, Point]:
    """Return the sender's secret y and public S = y·G for all draws of one deal."""
    y = random_scalar(rng)
    return y, times_base(y)


def choose(S: Point, choice: int, n: int, rng: Random) -> tuple[Scalar, Point]:
    """Return the receiver's secret x and public R = choice·S + x·G, fresh for every draw.

    Raises: RemoteError(BAD_POINT) if S is the identity, which would reveal the choice; ValueError
    for a choice outside 0..n−1.
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
    """Encrypt each of 1 to 208 messages of equal length for its slot. Deterministic.

    Each ciphertext is 16 bytes longer than its message.

    Raises: RemoteError(BAD_POINT) if S or R is the identity; ValueError for unequal or too many
    messages.
    """
    _refuse_identity(S, R)
    n = len(messages)
    if not 1 <= n <= MAX_PILE or len({len(message) for message in messages}) != 1:
        raise ValueError("1 to 208 messages of equal length")
    # y·(R − j·S) = y·R − j·(y·S): a subtraction for each slot instead of a multiplication.
    step = y * S
    shared = y * R
    ciphertexts = []
    for j, message in enumerate(messages):
        ciphertexts.append(_cipher(shared, S, R, n, j, context).encrypt(_NONCE, message))
        shared = shared - step
    return ciphertexts


def receive(
    x: Scalar, S: Point, R: Point, choice: int, ciphertexts: list[bytes], context: DrawContext
) -> bytes:
    """Decrypt the chosen message.

    Raises: RemoteError(BAD_TRANSFER) if this ciphertext is missing or does not open;
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
    """Check in the audit that (choice, x) opens R as a choice among n.

    Sound only if (choice, x) was logged before y.
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
    """Check in the audit that the sender, which has opened y, sent exactly these messages."""
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
    """Return the cipher of slot j of n.

    The shared point is y·(R − j·S) for the sender, and x·S for the receiver.
    """
    bound = (context.deal, context.seat, context.draw, n, S.encoded, R.encoded, j)
    return AesGcm(derive(shared.encoded, "oblivious transfer", *bound))
