"""Keys shared among the other seats, so that they can go on when one has left (`leavers=threshold`).

Every seat shares its secret key by Feldman's scheme: the commitments in its `key` entry, the shares sealed to their
receivers. Who gets a share that does not fit says so in `confirm`; the accused opens that share in `answer`, and is
named if it does not fit then either. When a seat has left, the others post their shares of its key: from then on
everybody can give its part, and read its cards.
"""

from collections.abc import Sequence
from dataclasses import replace

from protocol.codes import Code
from protocol.crypto.elgamal import share
from protocol.crypto.group import Scalar, decode_points, decode_scalars
from protocol.crypto.sharing import recover_secret, share_fits
from protocol.dealing.verified.state import Sharing, Verified
from protocol.errors import RemoteError


def read_sharing(state: Verified, dealer: int, commitments: list[bytes], sealed: list[bytes]) -> Sharing:
    """How a seat shares its key. Raises: RemoteError(BAD_KEY_SHARE) for another number of anything, or a bad point."""
    receivers = state.receivers(dealer) if state.quorum else []
    if len(commitments) != max(state.quorum - 1, 0) or len(sealed) != len(receivers):
        raise RemoteError(Code.BAD_KEY_SHARE)
    points = tuple(decode_points(b"".join(commitments)))
    return Sharing(points, dict(zip(receivers, sealed, strict=True)))


def accuse(state: Verified, accuser: int, dealers: list[int]) -> Verified:
    """Note whom a seat says to have shared wrongly. Raises: RemoteError(BAD_ENTRY) unless all are others, ascending."""
    if dealers != sorted(set(dealers) & set(state.receivers(accuser))):
        raise RemoteError(Code.BAD_ENTRY)
    sharings = {
        dealer: replace(sharing, accused_by=sharing.accused_by | {accuser}) if dealer in dealers else sharing
        for dealer, sharing in state.sharings.items()
    }
    return replace(state, sharings=sharings)


def answer(state: Verified, dealer: int, opened: list[bytes]) -> Verified:
    """The accused opens the shares in question. Raises: RemoteError(BAD_KEY_SHARE) if they do not fit."""
    sharing = state.sharings[dealer]
    shares = _fitting(state, opened, [(dealer, receiver) for receiver in sorted(sharing.accused_by)])
    answered = replace(sharing, answered=dict(zip(sorted(sharing.accused_by), shares, strict=True)))
    return replace(state, sharings={**state.sharings, dealer: answered})


def recover(state: Verified, giver: int, opened: list[bytes]) -> Verified:
    """A seat opens its shares of the keys of those who left. Raises: RemoteError(BAD_KEY_SHARE)."""
    shares = _fitting(state, opened, [(dealer, giver) for dealer in state.recovering])
    recovering = {
        dealer: {**given, giver: own} for (dealer, given), own in zip(state.recovering.items(), shares, strict=True)
    }
    return replace(state, recovering=recovering)


def finish_recovery(state: Verified) -> Verified:
    """The keys of those who left, once every other seat has given its shares."""
    keys = {dealer: recover_secret(shares) for dealer, shares in state.recovering.items()}
    return replace(state, recovering={}, recovered={**state.recovered, **keys})


def give_for_gone(state: Verified) -> Verified:
    """Add the shares that seats which left would owe of cards that others hold."""
    shares = {card: dict(given) for card, given in state.shares.items()}
    for seat, x in state.recovered.items():
        for card, given in shares.items():
            if state.holders.get(card) != seat and seat not in given:
                given[seat] = share(x, state.deck[card])
    return replace(state, shares=shares)


def show_of_gone(state: Verified) -> Verified:
    """Everybody can read the cards of those who left, as far as all other shares are there: note them as shown."""
    shown = dict(state.shown)
    for seat, x in state.recovered.items():
        for card in frozenset(state.hidden_of(seat)).difference(state.asked):
            piece = state.piece_of(card, share(x, state.deck[card]))
            assert piece is not None, "the proofs make every card one of the deck's"
            shown[card] = piece
    return replace(state, shown=shown)


def fits(state: Verified, dealer: int, receiver: int, own: Scalar) -> bool:
    """Whether this is the receiver's share of the dealer's key."""
    return share_fits(own, receiver, state.keys[dealer], state.sharings[dealer].commitments)


def _fitting(state: Verified, opened: list[bytes], places: Sequence[tuple[int, int]]) -> list[Scalar]:
    """Shares by (dealer, receiver), all of which fit. Raises: RemoteError(BAD_KEY_SHARE)."""
    if len(opened) != len(places):
        raise RemoteError(Code.BAD_KEY_SHARE)
    try:
        shares = list(decode_scalars(b"".join(opened)))
    except RemoteError:
        raise RemoteError(Code.BAD_KEY_SHARE) from None
    if not all(fits(state, dealer, receiver, own) for (dealer, receiver), own in zip(places, shares, strict=True)):
        raise RemoteError(Code.BAD_KEY_SHARE)
    return shares
