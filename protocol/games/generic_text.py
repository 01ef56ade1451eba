"""Terminal text for games without their own. A `protocol.games.game_text.GameText`."""

from collections.abc import Sequence

from protocol.games.numbered_choices import help_text, menu_text, parse_choice
from protocol.view.board import PieceView, Region, RegionBoard, RegionKind
from protocol.view.phrase import Phrase, Pieces, SeatRef, phrase
from protocol.view.text import Say, display_width, isolate_name, pad_to_width, piece_text
from protocol.view.view import View

__all__ = [
    "changed_board_text",
    "hand_text",
    "help_text",
    "menu_text",
    "parse_choice",
    "table_text",
]


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Join the names of pieces, in their order."""
    return ", ".join(piece_text(piece.faces or ("?",), say) for piece in hand)


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Show the points of all seats, the regions of the board, and the hand of the reader's seat."""
    wide, marks = max(display_width(seat.name) for seat in view.seats), {True: "→", False: " "}
    rows = [
        f"{marks[seat.game.to_act]} {pad_to_width(isolate_name(seat.name), wide)}  "
        f"{seat.game.score:>5}"
        for seat in view.seats
    ]
    regions = _regions_text(view.board, say) if isinstance(view.board, RegionBoard) else []
    held = view.you is not None and view.trust.dealing != "none"
    own = ["", f"{say(phrase('seat.hand'))} {hand_text(view.hand, say, width)}"] if held else []
    return [*rows, *([""] if regions else []), *regions, *own]


def changed_board_text(before: RegionBoard, after: RegionBoard, say: Say, width: int) -> list[str]:
    """Return a line for each region that has changed."""
    old = _regions_text(before, say)
    return [line for line in _regions_text(after, say) if line not in old]


def _regions_text(board: RegionBoard, say: Say) -> list[str]:
    return [say(_region_phrase(region)) for region in board.regions]


def _region_phrase(region: Region) -> Phrase:
    if region.seat is None:
        return phrase("generic.region", name=region.name, holds=_contents(region))
    return phrase(
        "generic.region.of", who=SeatRef(region.seat), name=region.name, holds=_contents(region)
    )


def _contents(region: Region) -> Phrase | int:
    """Describe the contents of a region, as part of a sentence."""
    if region.kind is RegionKind.COUNTER:
        return region.text or region.count
    if region.kind is RegionKind.TEXT:
        return region.text or phrase("generic.nothing")
    shown = region.pieces[-1:] if region.kind is RegionKind.PILE else region.pieces
    seen = Pieces(tuple(piece.faces for piece in shown if piece.faces is not None))
    unseen = len(region.pieces) + region.count - len(seen.faces)
    if not seen.faces:
        return phrase("generic.unseen", count=unseen) if unseen else phrase("generic.nothing")
    if not unseen:
        return phrase("generic.pieces", pieces=seen)
    key = "generic.pieces.on" if region.kind is RegionKind.PILE else "generic.pieces.and"
    return phrase(key, pieces=seen, count=unseen)
