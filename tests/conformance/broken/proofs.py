"""Defects of the two dealing protocols and of the rules: lies that a table does not notice."""

from typing import Any

from protocol.dealing.layered import fold as layered
from protocol.dealing.verified import fold as verified
from protocol.dealing.verified import proven_shares
from protocol.games.dominoes.rules import Dominoes
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


def nothing(*_: Any, **__: Any) -> None:
    """Replace a check by one that always passes."""


@defect(
    "verified/key-with-a-false-proof",
    "verified/key-of-another-seat",
    "verified/key-with-a-scalar-above-the-order",
)
def skips_proofs_of_keys() -> None:
    verified.check_knowledge = nothing


@defect(
    "verified/shuffle-with-a-false-proof",
    "verified/shuffle-with-a-card-exchanged",
    "verified/shuffle-with-a-card-twice",
    "verified/shuffle-of-*",
    "verified/shuffle-with-a-proof-for-fewer-cards",
    "leavers/shuffle-with-a-false-proof-while-the-others-go-on",
    "own-decks/another-deck-shuffled-with-a-false-proof",
    "loose-cards/shuffle-with-a-card-exchanged",
    "loose-cards/shuffle-of-the-seat-before",
)
def skips_proofs_of_shuffles() -> None:
    verified.check_shuffle = nothing


@defect(
    "verified/share-that-is-another",
    "verified/share-with-a-false-proof",
    "verified/share-with-the-proof-of-another-card",
    "leavers/shares-with-a-false-proof-while-the-others-go-on",
    "verified/shares-of-another-seat",
    "verified/drawn-card-not-unlocked",
    "verified/opening-with-a-false-proof",
    "verified/hand-shown-with-a-false-proof",
    "leavers/stand-in-with-a-false-proof",
    "leavers/stand-in-with-another-part",
    "ligretto/head-with-a-false-proof",
    "ligretto/flip-with-a-false-proof",
    "loose-cards/share-for-who-looks-that-is-another",
    "loose-cards/card-opened-with-a-false-proof",
)
def skips_proofs_of_shares() -> None:
    verified.check_share = proven_shares.check_share = nothing


@defect("ligretto/flip-of-another-place")
def takes_parts_for_any_places() -> None:
    turn_over = verified.turn_up_own_cards
    verified.turn_up_own_cards = lambda state, seat, turn, part: turn_over(
        state, seat, turn, [list(turn.places), *part[1:]] if part else part
    )


@defect("layered/layer-with-an-element-twice", "layered/slots-two-alike")
def takes_elements_twice() -> None:
    layered._check_distinct = lambda elements, size: len(elements) == size


@defect("layered/draw-query-under-a-second-encoding")
def takes_second_encodings() -> None:
    """Accept second encodings of the points that layered dealing has unencrypted: the table's
    points and those of queries.
    """
    decode = layered.decode_point
    layered.decode_point = lambda data: decode(data[:31] + bytes([data[31] & 0x7F]))


@defect("layered/draw-of-a-piece-that-is-not-there")
def lets_seats_draw_what_is_not_there() -> None:
    draw = layered._start_draw

    def broken(state: Any, seat: int, part: Any, at: int) -> Any:
        if part and part[0] not in state.stock:
            part = [min(state.stock)]
        return draw(state, seat, part, at)

    layered._start_draw = broken


@defect(
    "game/tile-that-does-not-fit",
    "game/tile-that-has-been-played",
    "game/lead-with-another-tile-than-the-called",
)
def skips_the_rules_for_tiles() -> None:
    Dominoes._check_play = nothing


@defect(
    "game/false-pass",
    "game/false-draw",
    "game/false-denial",
    "commutative/false-denial",
    "leavers/false-denial-*",
)
def believes_what_seats_say_of_their_hands() -> None:
    settle = Dominoes.settle
    Dominoes.settle = lambda self, *arguments: (settle(self, *arguments)[0], ())
