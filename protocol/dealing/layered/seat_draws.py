"""Draws from the side of a seat: send layer keys, check those of others, and fetch the piece from
the table.
"""

from protocol.crypto.envelopes import seal, unseal
from protocol.crypto.group import decode_point, decode_scalar
from protocol.crypto.oblivious_transfer import DrawContext, choose, receive
from protocol.dealing import Post
from protocol.dealing.layered.blame import split_array
from protocol.dealing.layered.primitives import KEY_SIZE, layer
from protocol.dealing.layered.seat_secrets import SeatSecrets
from protocol.dealing.layered.state import Draw, LayeredState
from protocol.errors import RemoteError


def wrong_share_entry(own: SeatSecrets, deal: LayeredState) -> int | None:
    """Return the log number of the newest `draw_key` if it is wrong, or None.

    This seat must be the drawer or the next seat, so that it can open the envelope.
    """
    drawing = deal.draws[-1]
    if not drawing.keys:
        return None
    right = (
        drawer_keys(own, deal, drawing) if drawing.seat == own.seat else received_chain(own, deal)
    )
    return None if right is not None else drawing.keys[-1].at


def read_drawn_piece(
    own: SeatSecrets, deal: LayeredState, drawing: Draw, asked: tuple[int, bytes]
) -> bool:
    """Read the drawn piece from the table's reply; False if the reply contradicts the table's
    commitment.
    """
    choice, secret = asked
    keys = drawer_keys(own, deal, drawing)
    assert keys is not None
    context = DrawContext(deal.deal_id, own.seat, drawing.number)
    point, R = decode_point(deal.transfer_point), decode_point(drawing.query)
    try:
        told = receive(decode_scalar(secret), point, R, choice, list(drawing.reply), context)
    except RemoteError:
        return False
    return own.note_piece(deal, deal.stock_positions[choice], told, tuple(keys))


def received_chain(own: SeatSecrets, deal: LayeredState) -> list[bytes] | None:
    """Return the checked layer keys of the seats before this seat in the present draw.

    None if the seat before this seat sent wrong keys.
    """
    drawing = deal.draws[-1]
    if own.seat == 0:
        return []
    if drawing.seat == own.seat:
        return drawer_keys(own, deal, drawing)
    share = drawing.keys[-1]
    raw = _unseal_share(own, deal, share.to_next, share.sender, "draw chain", drawing.number)
    chain = split_array(raw, own.seat) if raw is not None else None
    return (
        chain
        if chain is not None and _strip_layers(own, deal, drawing, chain) is not None
        else None
    )


def _unseal_share(
    own: SeatSecrets, deal: LayeredState, envelope: bytes, sender: int, purpose: str, number: int
) -> bytes | None:
    key = own.pair_key(sender, own.seat)
    try:
        return unseal(key, envelope, purpose, deal.deal_id, number)
    except RemoteError:
        return None


def _strip_layers(
    own: SeatSecrets, deal: LayeredState, drawing: Draw, chain: list[bytes]
) -> bytes | None:
    """Remove the layers of the first seats from the drawn element; None if a key is wrong.

    Each key must lead to an element of that seat's input. All keys together must not lead to a
    pseudonym that was dealt, because then a seat listed an element twice.
    """
    element = deal.output_of(0)[drawing.element]
    for seat, key in enumerate(chain):
        element = layer(deal.deal_id, seat, key, element)
        if element not in deal.input_of(seat):
            return None
    if (
        len(chain) == own.context.seat_count
        and deal.element_lists[0].index(element) not in deal.stock_positions
    ):
        return None
    return element


def drawer_keys(own: SeatSecrets, deal: LayeredState, drawing: Draw) -> list[bytes] | None:
    """Return the layer keys that the drawer has so far, its own key included; None if a key is
    wrong.

    The list ends at the first seat whose key has not arrived.
    """
    chain: list[bytes] = []
    shares = {share.sender: share for share in drawing.keys}
    for seat in range(own.context.seat_count):
        if seat == own.seat:
            element = _strip_layers(own, deal, drawing, chain)
            if element is None:
                return None
            chain.append(own.own_layer_key(deal, element))
        elif seat in shares:
            raw = _unseal_share(own, deal, shares[seat].to_drawer, seat, "draw key", drawing.number)
            if raw is None or len(raw) != KEY_SIZE:
                return None
            chain.append(raw)
        else:
            break
    return chain if _strip_layers(own, deal, drawing, chain) is not None else None


def draw_key_post(own: SeatSecrets, deal: LayeredState) -> Post:
    """Send this seat's layer key for the drawn element to the drawer, and all keys so far to the
    next seat.
    """
    drawing = deal.draws[-1]
    chain = (received_chain(own, deal) or [])[: own.seat]
    element = _strip_layers(own, deal, drawing, chain)
    assert element is not None
    key = own.own_layer_key(deal, element)
    to_drawer, to_next = b"", b""
    if drawing.seat != own.seat:
        to_drawer = _seal_share(own, deal, key, drawing.seat, "draw key", drawing.number)
    following = own.seat + 1
    if following < own.context.seat_count and following != drawing.seat:
        packed = b"".join([*chain, key])
        to_next = _seal_share(own, deal, packed, following, "draw chain", drawing.number)
    return Post("draw_key", [to_drawer, to_next])


def _seal_share(
    own: SeatSecrets, deal: LayeredState, plaintext: bytes, receiver: int, purpose: str, number: int
) -> bytes:
    key = own.pair_key(own.seat, receiver)
    return seal(key, own.rng, plaintext, purpose, deal.deal_id, number)


def draw_query_post(own: SeatSecrets, deal: LayeredState) -> Post:
    """Request the piece behind the drawn pseudonym by oblivious transfer, which hides the choice
    from the table.
    """
    drawing = deal.draws[-1]
    chain = drawer_keys(own, deal, drawing)
    assert chain is not None
    name = _strip_layers(own, deal, drawing, chain)
    assert name is not None
    choice = deal.stock_positions.index(deal.element_lists[0].index(name))
    x, R = choose(decode_point(deal.transfer_point), choice, deal.stock_size, own.rng)
    own.choices.append((choice, x.encoded))
    return Post("draw_query", [R.encoded])
