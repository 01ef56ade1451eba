"""One seat's private half of a layered deal.

`respond` is asked after every entry. It posts what is this seat's duty, or protests when something
that only this seat can see is wrong: an envelope that does not open, a hand that was left short, a
slot that is not its own.
"""

from collections.abc import Callable
from random import Random
from typing import Any

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


def open_all(own: SeatSecrets, deal: LayeredState) -> Post:
    """The end: everything that the audit needs, and after a protest the match key too."""
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
    """A seat's secrets of one deal; implements `protocol.dealing.SeatHalf`."""

    def __init__(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> None:
        self._own = new_secrets(context, seat, key, rng)
        # the entry that brought our last duty, and our answer
        self._answered: tuple[int, Post] | None = None

    @property
    def hand(self) -> Hand:
        """The pieces this seat holds and knows, ascending."""
        return tuple(sorted(self._own.known_pieces.keys() - self._own.shown_pieces))

    def next_post(self, deal: LayeredState) -> Post | None:
        """This seat's next post: a protest if something is wrong, else its duty, if it has one.

        A duty is chosen for once: asked again in the same place, the seat gives the same answer.
        """
        answered = self._answered is not None and self._answered[0] == deal.duties_since
        # Not again after the answer: what we took then is still in the list that had come to us.
        wrong = None if answered else self._wrong(deal)
        if wrong is not None:
            return Post("protest", [wrong])
        if all(duty.author != self._own.seat for duty in deal.duties()):
            return None
        if self._answered is None or not answered:
            self._answered = (deal.duties_since, DUTY_POSTS[deal.stage](self._own, deal))
        return self._answered[1]

    def part(self, deal: LayeredState, operation: Operation) -> list[Any]:
        """Of a piece that we show: position, K_i and, if it was drawn, the layer keys that lead to
        it.

        To draw, any element of the stock that nobody has drawn: they are all alike.
        """
        if isinstance(operation, Reveal):
            known = self._own.known_pieces[operation.piece]
            return [known.position, known.key, list(known.layer_keys)]
        drawn = {drawing.element for drawing in deal.draws}
        return [self._own.rng.choice(sorted(deal.stock - drawn))]

    def _wrong(self, deal: LayeredState) -> int | None:
        """The log number of an entry that this seat alone knows to be wrong."""
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
        """Read what the table told us and what others showed; the entry that is wrong, if one
        is.
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
                # a piece of ours: a lie of theirs, or the table dealt it twice
                return shown.at
        return None

    def _read_dealt_pieces(self, deal: LayeredState) -> bool:
        own = self._own
        own.known_pieces.clear()  # what the last try has left: it gives the same answer again
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
