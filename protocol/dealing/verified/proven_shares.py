"""Proven shares in entries and parts: decoding, checking, and opening cards with them."""

from collections.abc import Iterable

from protocol.codes import Code
from protocol.crypto.dlog_proofs import PROOF_SIZE
from protocol.crypto.elgamal import check_share
from protocol.crypto.group import ELEMENT_BYTES, Point, decode_points
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import RemoteError
from protocol.fast_replace import replace
from protocol.games import Piece


def split_shares(body: list[bytes], cards: tuple[int, ...]) -> list[tuple[int, Point, bytes]]:
    """Return (card, share, proof) for each of these cards.

    `body` has all shares in one byte string and all proofs in another. Raises: RemoteError for a
    wrong number or a bad point.
    """
    shares, proofs = body
    if len(shares) != ELEMENT_BYTES * len(cards) or len(proofs) != PROOF_SIZE * len(cards):
        raise RemoteError(Code.BAD_PROOF)
    split = (proofs[start : start + PROOF_SIZE] for start in range(0, len(proofs), PROOF_SIZE))
    return list(zip(cards, decode_points(shares), split, strict=True))


def check_share_of(state: VerifiedState, seat: int, card: int, share: Point, proof: bytes) -> None:
    """Check a seat's own share of a card. Raises: RemoteError(BAD_PROOF)."""
    check_share(
        proof, state.keys[seat], state.deck[card], share, state.proof_place(seat, "share", card)
    )


def piece_from_share(
    state: VerifiedState, seat: int, card: int, share: Point, proof: bytes, proven: bool
) -> Piece | None:
    """Return the piece of a card, opened by its holder's proven share.

    `proven`: the proof was checked before. None: the result is no piece. Raises: RemoteError if
    the proof is wrong.
    """
    if not proven:
        check_share_of(state, seat, card, share, proof)
    return state.piece_of(card, share)


def open_cards(
    state: VerifiedState, seat: int, cards: Iterable[tuple[int, Point, bytes]], proven: bool
) -> VerifiedState:
    """Open cards by the shares of `seat`, the only missing ones; `proven`: as above.

    Raises: RemoteError if a proof is wrong or a card is no piece.
    """
    shown = dict(state.shown)
    for card, share, proof in cards:
        piece = piece_from_share(state, seat, card, share, proof, proven)
        if piece is None:
            raise RemoteError(Code.BAD_OPENING)
        shown[card] = piece
    return replace(state, shown=shown)
