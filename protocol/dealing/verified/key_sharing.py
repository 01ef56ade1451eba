"""Keys shared among the other seats, so that they can go on when one has left
(`leavers=threshold`).

Every seat shares its secret key by Feldman's scheme: the commitments in its `key` entry, the shares
sealed to their receivers. Who gets a share that does not fit says so in `confirm`; the accused
opens that share in `record_answer`, and is named if it does not fit then either. When a seat has
left, the others give its part in a card together, each with its share of that key and a proof: card
by card, for what the rules turn up, deal or have shown. The key itself is never put together, so
what a seat held when it left stays hidden, whoever says that it has left.
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
    """How a seat shares its key. Raises: RemoteError(BAD_KEY_SHARE) for another number of anything,
    or a bad point.
    """
    receivers = state.receivers(dealer) if state.quorum else []
    if len(commitments) != max(state.quorum - 1, 0) or len(sealed) != len(receivers):
        raise RemoteError(Code.BAD_KEY_SHARE)
    points = tuple(decode_points(b"".join(commitments)))
    return KeySharing(points, dict(zip(receivers, sealed, strict=True)))


def record_accusation(state: VerifiedState, accuser: int, dealers: list[int]) -> VerifiedState:
    """Note whom a seat says to have shared wrongly. Raises: RemoteError(BAD_ENTRY) unless all are
    others, ascending.
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
    """The accused opens the shares in question. Raises: RemoteError(BAD_KEY_SHARE) if they do not
    fit.
    """
    sharing = state.sharings[dealer]
    shares = _check_shares(
        state, opened, [(dealer, receiver) for receiver in sorted(sharing.accused_by)]
    )
    answered = replace(sharing, answered=dict(zip(sorted(sharing.accused_by), shares, strict=True)))
    return replace(state, sharings={**state.sharings, dealer: answered})


def missing_parts(state: VerifiedState) -> tuple[tuple[int, int], ...]:
    """(seat, card) for each part that only the others can give: of cards asked for, and of a
    leaver's to be shown.
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
    """The cards of which the others give the part of `state.replaced` now, ascending."""
    return tuple(card for seat, card in missing_parts(state) if seat == state.replaced_seat)


def record_stand_in(state: VerifiedState, giver: int, parts: Mapping[int, Point]) -> VerifiedState:
    """A seat has given what its share of a key makes of the cards in question."""
    return replace(
        state, stand_ins={**state.stand_ins, giver: parts}, posted=state.posted | {giver}
    )


def combine_stand_ins(state: VerifiedState) -> VerifiedState:
    """All have: together that is the part of the seat that they stand in for."""
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
    """The public half of a receiver's share of a key: what its proofs are checked against."""
    return public_share(receiver, state.keys[dealer], state.sharings[dealer].commitments)


def key_share_fits(state: VerifiedState, dealer: int, receiver: int, own: Scalar) -> bool:
    """Whether this is the receiver's share of the dealer's key."""
    return share_fits(own, receiver, state.keys[dealer], state.sharings[dealer].commitments)


def _check_shares(
    state: VerifiedState, opened: list[bytes], places: Sequence[tuple[int, int]]
) -> list[Scalar]:
    """Shares by (dealer, receiver), all of which fit. Raises: RemoteError(BAD_KEY_SHARE)."""
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
