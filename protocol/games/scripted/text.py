"""Games by rule files on a terminal, drawn in rows from the far side of the table to the near side.
A `protocol.games.game_text.GameText`.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from protocol.games.numbered_choices import help_text, menu_text, parse_choice
from protocol.view.board import CardView, PieceView, Region, RegionBoard, RegionKind
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, display_width, face_text, isolate_name, pad_to_width
from protocol.view.view import View

__all__ = [
    "changed_board_text",
    "hand_text",
    "help_text",
    "menu_text",
    "parse_choice",
    "table_text",
]
BUILT_IN = "script.rules.ours"  # of a region that names the rules
HIDDEN, APART = "?", " · "
MAX_NAME_COLUMNS = 12  # most columns for the names of seats, on a narrow terminal


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Join the faces of cards, in their order."""
    return ", ".join(_card_text(piece, say) for piece in hand)


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the points of all seats, the table as seen from the reader's side, and the reader's
    hand.
    """
    wide, marks = max(display_width(seat.name) for seat in view.seats), {True: "→", False: " "}
    rows = [
        f"{marks[seat.game.to_act]} {pad_to_width(isolate_name(seat.name), wide)}  "
        f"{seat.game.score:>5}"
        for seat in view.seats
    ]
    laid = (
        _board_lines(view, view.board, say)
        if isinstance(view.board, RegionBoard) and view.board.regions
        else []
    )
    held = (
        [] if view.you is None else ["", f"{say(phrase('seat.hand'))} {hand_text(view.hand, say)}"]
    )
    lines = [*rows, *([""] if laid else []), *laid, *held]
    return [
        part
        for line in lines
        for part in wrap(line, max(width - 1, 1), subsequent_indent="    ") or [""]
    ]


def changed_board_text(before: RegionBoard, after: RegionBoard, say: Say, width: int) -> list[str]:
    """Return a line for each region that has changed."""
    return [
        _region_with_owner(region, say) for region in after.regions if region not in before.regions
    ]


def _board_lines(view: View, board: RegionBoard, say: Say) -> list[str]:
    """Draw the regions: the rows of the other seats from the farthest to the middle, mirrored; then
    the middle; then the rows of the reader's seat.
    """
    own = view.you or 0
    wide = min(max(display_width(seat.name) for seat in view.seats), MAX_NAME_COLUMNS)
    lines = []
    for seat in (seat for seat in view.seats if seat.seat != own):
        rows = list(_seat_rows(board, seat.seat))
        lines += [(isolate_name(seat.name), row[::-1]) for row in reversed(rows)]
    middle = [
        region
        for region in board.regions
        if region.seat is None and region.kind is not RegionKind.TEXT
    ]
    lines += [("", middle)] if middle else []
    lines += [(isolate_name(view.seats[own].name), row) for row in _seat_rows(board, own)]
    # rules that come with the program are named before the match, and not at every turn
    texts = [
        _region_text(region, say)
        for region in board.regions
        if region.kind is RegionKind.TEXT and not _is_built_in(region)
    ]
    shown = [
        f"{pad_to_width(name, wide)}  {APART.join(_region_text(one, say) for one in row)}"
        for name, row in lines
    ]
    return [*shown, *texts]


def _is_built_in(region: Region) -> bool:
    """Check whether a region says that the rules come with the program."""
    return isinstance(region.text, Phrase) and region.text.key == BUILT_IN


def _seat_rows(board: RegionBoard, seat: int) -> Iterator[list[Region]]:
    """Iterate over the rows of a seat's regions, beginning at the middle. The seat's counters
    belong to the last row.
    """
    mine = [region for region in board.regions if region.seat == seat]
    most = max((region.row for region in mine if region.row is not None), default=0)

    def row(region: Region) -> int:
        return most if region.row is None else region.row

    for _, found in groupby(sorted(mine, key=row), key=row):
        yield list(found)


def _region_with_owner(region: Region, say: Say) -> str:
    """Describe a region, and name its seat if it belongs to one."""
    if region.seat is None:
        return _region_text(region, say)
    return say(
        phrase(
            "generic.region.of",
            who=SeatRef(region.seat),
            name=region.name,
            holds=_contents(region, say),
        )
    )


def _region_text(region: Region, say: Say) -> str:
    return f"{say(region.name)}: {_contents(region, say)}"


def _contents(region: Region, say: Say) -> str:
    """Describe the contents of a region. For a pile these are the top card and the number of
    cards.
    """
    if region.text is not None:
        return say(region.text)
    if region.kind is RegionKind.COUNTER:
        return str(region.count)
    count = len(region.pieces) + region.count
    if not count:
        return say(phrase("generic.nothing"))
    if not region.pieces:
        return say(phrase("generic.unseen", count=count))
    if region.kind is not RegionKind.PILE:
        return hand_text(region.pieces, say)
    return f"{_card_text(region.pieces[-1], say)} [{count}]"


def _card_text(piece: PieceView, say: Say) -> str:
    """Draw a card with its marks: `Ember (fire 7) <burnt 1>`."""
    faces = [isolate_name(face_text(face, say)) for face in piece.faces or (HIDDEN,)]
    text = faces[0] if len(faces) == 1 else f"{faces[0]} ({' '.join(faces[1:])})"
    marks = piece.marks if isinstance(piece, CardView) else ()
    return " ".join([text, *(f"<{isolate_name(name)} {value}>" for name, value in marks)])
