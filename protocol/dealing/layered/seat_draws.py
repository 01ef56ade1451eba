"""The seat's side of a draw: hand over layer keys, check those of others, and fetch the piece from
the table.
"""

from protocol.crypto.envelopes import seal, unseal
from protocol.crypto.group import decode_point, decode_scalar
from protocol.crypto.oblivious_transfer import DrawContext, choose, receive
from protocol.dealing import Post
from protocol.dealing.layered.blame import split_array
from protocol.dealing.layered.primitives import KEY, layer
from protocol.dealing.layered.seat_secrets import SeatSecrets
from protocol.dealing.layered.state import Draw, LayeredState
from protocol.errors import RemoteError


def wrong_share_entry(own: SeatSecrets, deal: LayeredState) -> int | None:
    """The log number of the share that has just reached us, as drawer or as next in line, if it is
    wrong.
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
    """Fetch the piece from the table's reply; False when the table's answer is not what it
    committed to.
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
    """The layer keys before ours in the present draw, checked; None when the seat before us sent
    others.
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
    """What the element drawn is after these keys; None when a key does not lead into the list
    before.

    Nor may all keys together lead to a pseudonym that was dealt: then somebody's list had an
    element twice.
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
    """The keys that have reached us as the drawer, with our own in its place, as far as they go."""
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
            if raw is None or len(raw) != KEY:
                return None
            chain.append(raw)
        else:
            break
    return chain if _strip_layers(own, deal, drawing, chain) is not None else None


def draw_key_post(own: SeatSecrets, deal: LayeredState) -> Post:
    """Our layer's key for the element drawn: to the drawer, and with all keys before it to the next
    seat.
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
    """Ask the table for the piece behind the pseudonym that we have reached, without saying which
    it is.
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
