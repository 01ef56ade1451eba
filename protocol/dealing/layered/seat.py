"""Private half of one seat in a layered deal.

The session calls `next_post` after every entry. The seat posts its duty. It protests instead if it
alone can see that something is wrong: an envelope that does not open, an incomplete hand, or a
changed slot.
"""

from collections.abc import Callable
from random import Random

from protocol.crypto.envelopes import MatchKey, open_from_slot
from protocol.dealing import DealContext, NoVisibleCards, Post
from protocol.dealing.layered import seat_draws as draws
from protocol.dealing.layered import seat_route as route
from protocol.dealing.layered.seat_secrets import SeatSecrets, new_secrets
from protocol.dealing.layered.stages import LayeredStage
from protocol.dealing.layered.state import LayeredState
from protocol.errors import RemoteError
from protocol.games import Hand
from protocol.games.operations import Operation, Reveal
from protocol.schema import Fields


def open_all(own: SeatSecrets, deal: LayeredState) -> Post:
    """Return the opening of all secrets that the audit needs; after a protest the match key as
    well.
    """
    layered = deal.seat_count - own.seat < len(deal.element_lists)
    asked = sum(1 for drawing in deal.draws if drawing.seat == own.seat and drawing.query)
    slot_keys = [
        own.slot_keys[index].private for index in own.own_slots(deal) if index in own.slot_keys
    ]
    return Post(
        "open_seat",
        [
            own.layer_keys if layered else [],
            sorted(own.taken_elements),
            own.r2,
            slot_keys if deal.slots else [],
            [list(choice) for choice in own.choices[:asked]],
            own.key.private if deal.protest else b"",
        ],
    )


DUTY_POSTS: dict[LayeredStage, Callable[[SeatSecrets, LayeredState], Post]] = {
    LayeredStage.RANDOMISE: route.layer_post,
    LayeredStage.SELECT: route.select_post,
    LayeredStage.COMMIT: route.commit_post,
    LayeredStage.REVEAL: route.strip_post,
    LayeredStage.PREPARE: route.prepare_post,
    LayeredStage.DRAW_KEYS: draws.draw_key_post,
    LayeredStage.DRAW_QUERY: draws.draw_query_post,
    LayeredStage.OPEN_SEATS: open_all,
}


class LayeredSeat(NoVisibleCards):
    """Secrets of one seat for one deal; implements `protocol.dealing.SeatHalf`."""

    def __init__(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> None:
        self._own = new_secrets(context, seat, key, rng)
        # (`duties_since` of the last duty, answer to it)
        self._answered: tuple[int, Post] | None = None

    @property
    def hand(self) -> Hand:
        """Pieces that this seat holds and can read, ascending."""
        return tuple(sorted(self._own.known_pieces.keys() - self._own.shown_pieces))

    def next_post(self, deal: LayeredState) -> Post | None:
        """Return a protest if something is wrong, else the entry that this seat must post, or None.

        The answer to a duty is chosen once. Repeated calls for the same duty return the same
        answer.
        """
        answered = self._answered is not None and self._answered[0] == deal.duties_since
        # After the answer, the check would fail: the element taken then is still in the received
        # list.
        wrong = None if answered else self._wrong_entry(deal)
        if wrong is not None:
            return Post("protest", [wrong])
        if all(duty.author != self._own.seat for duty in deal.duties()):
            return None
        if self._answered is None or not answered:
            self._answered = (deal.duties_since, DUTY_POSTS[deal.stage](self._own, deal))
        return self._answered[1]

    def part(self, deal: LayeredState, operation: Operation) -> Fields:
        """Return the part for an operation of this seat.

        To show a piece: position, K_i and, if the piece was drawn, the layer keys of all seats. To
        draw: a random element of the stock that no seat has drawn.
        """
        if isinstance(operation, Reveal):
            known = self._own.known_pieces[operation.piece]
            return [known.position, known.key, list(known.layer_keys)]
        drawn = {drawing.element for drawing in deal.draws}
        return [self._own.rng.choice(sorted(deal.stock - drawn))]

    def _wrong_entry(self, deal: LayeredState) -> int | None:
        """Return the log number of an entry that only this seat can see to be wrong, or None."""
        own = self._own
        match deal.stage:
            case LayeredStage.SELECT | LayeredStage.PREPARE if deal.turn == own.seat:
                return route.wrong_hop_entry(own, deal)
            case LayeredStage.COMMIT if not route.is_hand_full(own, deal):
                return deal.stock_at
            case LayeredStage.ASSIGN if not self._slots_are_complete(deal):
                return deal.slots_at
            case LayeredStage.DRAW_KEYS if own.seat in (deal.turn, deal.draws[-1].seat):
                return draws.wrong_share_entry(own, deal)
            case LayeredStage.DRAW_QUERY if own.seat == deal.turn:
                return draws.wrong_share_entry(own, deal)
            case LayeredStage.READY:
                return self._read_pieces(deal)
            case LayeredStage.OPEN_SEATS if not deal.protest and own.seat not in deal.posted:
                return self._read_pieces(deal)
        return None

    def _slots_are_complete(self, deal: LayeredState) -> bool:
        own = self._own
        filled = len(own.slot_keys) == len(own.own_slots(deal))
        return filled and route.are_slots_right(own, deal, list(deal.slots))

    def _read_pieces(self, deal: LayeredState) -> int | None:
        """Read the pieces that the table sent and those that others have shown.

        Returns the log number of a wrong entry, or None.
        """
        own = self._own
        drawn = sum(1 for piece in own.known_pieces.values() if piece.layer_keys)
        if len(own.known_pieces) - drawn < own.context.dealt_per_seat:
            if not self._slots_are_complete(deal):
                return deal.slots_at
            if not self._read_dealt_pieces(deal):
                return deal.assigned_at
        mine = [drawing for drawing in deal.draws if drawing.seat == own.seat]
        for drawing, asked in list(zip(mine, own.choices, strict=True))[drawn:]:
            if not draws.read_drawn_piece(own, deal, drawing, asked):
                return drawing.reply_at
        for shown in deal.shown_pieces:
            if shown.seat == own.seat:
                own.shown_pieces.add(shown.piece)
            elif shown.piece in own.known_pieces:
                # Another seat shows a piece of ours: either that seat lies, or the table dealt the
                # piece twice.
                return shown.at
        return None

    def _read_dealt_pieces(self, deal: LayeredState) -> bool:
        own = self._own
        # discard the results of an earlier failed attempt; the same messages are read again
        own.known_pieces.clear()
        for index, key in own.slot_keys.items():
            try:
                told = open_from_slot(
                    key, deal.ephemeral, deal.assigned[index], "piece", deal.deal_id, index
                )
            except RemoteError:
                return False
            if not own.note_piece(deal, deal.taken_positions[index], told):
                return False
        return True
