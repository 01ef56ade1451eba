"""Sharing of keys among the other seats, so that they can go on after a seat has left
(`leavers=threshold`; docs/protocol, 13.9).

Every seat shares its secret key by Feldman's scheme. Its `key` entry has the commitments, and the
shares sealed to their receivers. A receiver whose share does not fit accuses the dealer in
`confirm`. The accused dealer opens that share in `answer`, and is named if it does not fit then
either.

When a seat has left, the others together give its part in a card, each with its share of the key
and a proof. They do this card by card, for cards that the rules turn up, deal or have shown. The
key itself is never reconstructed, so the other cards of the seat stay hidden, even after a false
claim that it has left.
"""

from collections.abc import Mapping, Sequence

from protocol.codes import Code
from protocol.crypto.group import Point, Scalar, decode_points, decode_scalars
from protocol.crypto.secret_sharing import combine_points, public_share, share_fits
from protocol.dealing.verified.state import KeySharing, VerifiedState
from protocol.errors import RemoteError
from protocol.fast_replace import replace


def read_sharing(
    state: VerifiedState, dealer: int, commitments: list[bytes], sealed: list[bytes]
) -> KeySharing:
    """Decode the sharing of a seat's key.

    Raises: RemoteError(BAD_KEY_SHARE) for a wrong number of commitments or shares;
    RemoteError(BAD_POINT) for an invalid commitment.
    """
    receivers = state.receivers(dealer) if state.quorum else []
    if len(commitments) != max(state.quorum - 1, 0) or len(sealed) != len(receivers):
        raise RemoteError(Code.BAD_KEY_SHARE)
    points = tuple(decode_points(b"".join(commitments)))
    return KeySharing(points, dict(zip(receivers, sealed, strict=True)))


def record_accusation(state: VerifiedState, accuser: int, dealers: list[int]) -> VerifiedState:
    """Record the dealers whose shares do not fit, according to the accuser.

    Raises: RemoteError(BAD_ENTRY) unless `dealers` are other seats, ascending.
    """
    if dealers != sorted(set(dealers) & set(state.receivers(accuser))):
        raise RemoteError(Code.BAD_ENTRY)
    sharings = {
        dealer: replace(sharing, accused_by=sharing.accused_by | {accuser})
        if dealer in dealers
        else sharing
        for dealer, sharing in state.sharings.items()
    }
    return replace(state, sharings=sharings)


def record_answer(state: VerifiedState, dealer: int, opened: list[bytes]) -> VerifiedState:
    """Record the shares that an accused dealer opens. Raises: RemoteError(BAD_KEY_SHARE) if one
    does not fit.
    """
    sharing = state.sharings[dealer]
    shares = _check_shares(
        state, opened, [(dealer, receiver) for receiver in sorted(sharing.accused_by)]
    )
    answered = replace(sharing, answered=dict(zip(sorted(sharing.accused_by), shares, strict=True)))
    return replace(state, sharings={**state.sharings, dealer: answered})


def missing_parts(state: VerifiedState) -> tuple[tuple[int, int], ...]:
    """Return (seat, card) for each part that the others must give for a departed or silent seat.

    These are shares of requested cards, and cards of the seat's hand that must be shown.
    """
    asked = {
        (seat, card)
        for card, given in state.shares.items()
        for seat in state.departed
        if card in state.requested and seat not in given and state.holders[card] != seat
    }
    shown = {
        (seat, card)
        for seat in (state.departed | state.silent_seats) & state.seats_to_show
        for card in state.hidden_of(seat)
    }
    return tuple(sorted(asked | shown))


def replaced_cards(state: VerifiedState) -> tuple[int, ...]:
    """Return the cards for which the others now give the part of `state.replaced_seat`,
    ascending.
    """
    return tuple(card for seat, card in missing_parts(state) if seat == state.replaced_seat)


def record_stand_in(state: VerifiedState, giver: int, parts: Mapping[int, Point]) -> VerifiedState:
    """Record the parts that a seat has computed with its share of the replaced seat's key."""
    return replace(
        state, stand_ins={**state.stand_ins, giver: parts}, posted=state.posted | {giver}
    )


def combine_stand_ins(state: VerifiedState) -> VerifiedState:
    """Combine the parts of all seats into the part of the replaced seat, for each card."""
    shares, shown, seat = dict(state.shares), dict(state.shown), state.replaced_seat
    for card in replaced_cards(state):
        part = combine_points({giver: parts[card] for giver, parts in state.stand_ins.items()})
        if card in state.requested:
            shares[card] = {**shares[card], seat: part}
            continue
        piece = state.piece_of(card, part)
        assert piece is not None, "the proofs make every card one of the deck's"
        shown[card] = piece
    return replace(state, shares=shares, shown=shown, stand_ins={})


def stand_in_key(state: VerifiedState, dealer: int, receiver: int) -> Point:
    """Return the public key of a receiver's share, against which its proofs are checked."""
    return public_share(receiver, state.keys[dealer], state.sharings[dealer].commitments)


def key_share_fits(state: VerifiedState, dealer: int, receiver: int, own: Scalar) -> bool:
    """Check that `own` is the receiver's share of the dealer's key."""
    return share_fits(own, receiver, state.keys[dealer], state.sharings[dealer].commitments)


def _check_shares(
    state: VerifiedState, opened: list[bytes], places: Sequence[tuple[int, int]]
) -> list[Scalar]:
    """Return the opened shares, one for each (dealer, receiver).

    Raises: RemoteError(BAD_KEY_SHARE) if one does not decode or fit, or if the number is wrong.
    """
    if len(opened) != len(places):
        raise RemoteError(Code.BAD_KEY_SHARE)
    try:
        shares = list(decode_scalars(b"".join(opened)))
    except RemoteError:
        raise RemoteError(Code.BAD_KEY_SHARE) from None
    if not all(
        key_share_fits(state, dealer, receiver, own)
        for (dealer, receiver), own in zip(places, shares, strict=True)
    ):
        raise RemoteError(Code.BAD_KEY_SHARE)
    return shares
