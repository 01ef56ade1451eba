"""Private half of the table in a layered deal: it posts pseudonyms, sends pieces to their holders,
and answers draws.

The table knows the piece behind each pseudonym, but not its holder. All answers follow from secrets
chosen at the start, so equal states give equal bytes.
"""

from random import Random

from protocol.crypto.envelopes import new_key, seal_to_slot
from protocol.crypto.group import decode_point
from protocol.crypto.oblivious_transfer import DrawContext, sender_setup, transfer
from protocol.dealing import DealContext, Post
from protocol.dealing.layered.primitives import KEY_SIZE, encode_piece, pseudonym
from protocol.dealing.layered.stages import LayeredStage
from protocol.dealing.layered.state import LayeredState


class LayeredTable:
    """Secrets of the table for one deal; implements `protocol.dealing.TableHalf`."""

    def __init__(self, context: DealContext, rng: Random) -> None:
        pieces = list(range(context.piece_count))
        rng.shuffle(pieces)
        self._deck = [(piece, rng.randbytes(KEY_SIZE)) for piece in pieces]
        self._transfer_secret, self._transfer_point = sender_setup(rng)
        self._ephemeral = new_key(rng)

    def next_post(self, deal: LayeredState) -> Post | None:
        """Return the entry that the table must post in this stage, or None."""
        match deal.stage:
            case LayeredStage.PSEUDONYMISE:
                return self._pseudonyms(deal)
            case LayeredStage.ASSIGN:
                return self._assign(deal)
            case LayeredStage.DRAW_REPLY:
                return self._reply(deal)
            case LayeredStage.OPEN_TABLE:
                return self._open(deal)
        return None

    def _pseudonyms(self, deal: LayeredState) -> Post:
        names = [
            pseudonym(deal.deal_id, i, key, piece) for i, (piece, key) in enumerate(self._deck)
        ]
        return Post("pseudonyms", [names, self._transfer_point.encoded])

    def _assign(self, deal: LayeredState) -> Post:
        sealed = [
            seal_to_slot(
                slot,
                self._ephemeral,
                encode_piece(*self._deck[position]),
                "piece",
                deal.deal_id,
                index,
            )
            for index, (slot, position) in enumerate(
                zip(deal.slots, deal.taken_positions, strict=True)
            )
        ]
        return Post("assign", [self._ephemeral.public, sealed])

    def _reply(self, deal: LayeredState) -> Post:
        drawing = deal.draws[-1]
        messages = [encode_piece(*self._deck[position]) for position in deal.stock_positions]
        context = DrawContext(deal.deal_id, drawing.seat, drawing.number)
        query = decode_point(drawing.query)
        return Post(
            "draw_reply",
            [transfer(self._transfer_secret, self._transfer_point, query, messages, context)],
        )

    def _open(self, deal: LayeredState) -> Post:
        if not deal.element_lists:
            return Post("open_table", [[], b"", b""])
        deck = [[piece, key] for piece, key in self._deck]
        ephemeral = self._ephemeral.private if deal.assigned else b""
        return Post("open_table", [deck, self._transfer_secret.encoded, ephemeral])
