"""Text of a match in terms of the rules. It has no bytes, hashes, log numbers or texts of screens,
because these may change.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from protocol.dealing import TABLE
from protocol.dealing.none import NONE
from protocol.games.ligretto.state import visible
from protocol.match.clock import CLOCK_KINDS as CLOCK
from protocol.match.state import Match, MatchStage
from protocol.view.board import GridBoard, HeapRows
from tests.golden.play import Moment, play
from tests.golden.scenarios import Scenario


def told(scenario: Scenario, salt: int = 0) -> str:
    """Return the text of a whole match."""
    return "\n".join([*_terms(scenario), "", *_story(play(scenario, salt))]) + "\n"


def _terms(scenario: Scenario) -> Iterator[str]:
    yield f"game: {_with_options(scenario.game, scenario.options)}"
    yield f"dealing: {_with_options(scenario.dealing, scenario.dealing_options)}"
    yield f"table: {'yes' if scenario.table else 'none, the seats keep the log'}"
    yield f"bots: {', '.join(scenario.bot_of(seat) for seat in range(scenario.seats))}"
    for seat, cheat in scenario.cheats.items():
        yield f"cheat: seat {seat + 1}, {cheat.__doc__}"
    if scenario.cheating_table:
        yield f"cheat: the table, {scenario.cheating_table.__doc__}"
    for moment, (what, seat) in scenario.happens.items():
        yield (
            f"happens: {moment}, {'whose turn it is' if what == 'lapses' else f'seat {seat + 1}'} "
            f"{what}"
        )


def _with_options(name: str, options: Any) -> str:
    return ", ".join([name, *(f"{key} {value}" for key, value in sorted(options.items()))])


def _story(moments: Iterable[Moment]) -> Iterator[str]:
    known: dict[int, Any] = {}
    faults: tuple[Any, ...] = ()
    for moment in moments:
        yield from _done(moment)
        for fault in moment.faults[len(faults) :]:
            yield f"fault: {_who(moment.after, fault.seat)}, {fault.code}"
        faults = moment.faults
        yield from _public(moment)
        if moment.after.stage is MatchStage.PLAYING and moment.after.setup.dealing is not NONE:
            for seat, hand in moment.hands.items():
                if known.get(seat) != hand:
                    known[seat] = hand
                    yield f"    {_who(moment.after, seat)} knows {_pieces(moment.after, hand)}"
        yield from _stage(moment)
    yield from _end(moment)


def _done(moment: Moment) -> Iterator[str]:
    """Describe a seat's action, or its leaving and coming back."""
    before, entry = moment.before, moment.entry
    if entry is None:
        return
    author = _who(before, entry.author)
    if entry.kind == "move":
        yield f"{author}: {_action(before, before.setup.game.parse(entry.body[0]))}"
    elif entry.kind in CLOCK:
        yield f"{author}: {entry.kind}, {_who(before, entry.body[0])}"
    elif entry.kind in ("leave", "protest"):
        yield f"{author}: {entry.kind}"
    for seat in sorted(moment.after.gone - before.gone):
        yield f"    the others play on without {_who(before, seat)}"


def _action(match: Match, action: tuple[Any, ...]) -> str:
    """Describe an action of the rules with names of pieces."""
    verb, *numbers = action
    if verb == "play":
        return f"play {_pieces(match, numbers[:1])} {('left', 'right', 'up', 'down')[numbers[1]]}"
    if verb == "show":
        return f"show {_pieces(match, numbers)}"
    if verb == "exchange" and numbers:
        return f"exchange places {' '.join(str(slot + 1) for slot in numbers)}"
    return " ".join(map(str, action))


def _public(moment: Moment) -> Iterator[str]:
    """Describe public changes: the line, the board, pieces opened at the close, result, scores."""
    match, old, new = moment.after, moment.before.game, moment.after.game
    if new is None:
        return
    if match.setup.dealing is NONE:
        yield from _position(moment)
        return
    if hasattr(new, "piles"):
        yield from _open_cards(match, old, new)
    board, result = (getattr(new, name, None) for name in ("board", "result"))
    yield from _laid_tiles(old, new)
    events = getattr(new, "events", ())
    if len(events) > len(getattr(old, "events", ())) and events[-1].points:
        yield f"    scores {events[-1].points} at once"
    if board and board != getattr(old, "board", ()):
        yield f"    board {_pieces(match, board)}"
    if getattr(old, "put_away", 0) and new.stock > old.stock:
        yield "    what was put away is shuffled into the stock"
    if moment.closed is not None and not moment.closed.faults:
        for seat, (dealt, drawn) in enumerate(
            zip(moment.closed.dealt, moment.closed.drawn, strict=True)
        ):
            yield (
                f"    opened: {_who(match, seat)} was dealt {_pieces(match, dealt)}, drew "
                f"{_pieces(match, drawn)}"
            )
    if result is not None and result is not getattr(old, "result", None):
        yield f"    result: {_result(match, result)}"
    if old is None or match.scores != moment.before.scores:
        yield f"    scores {_by_seat(match, match.scores)}"


def _laid_tiles(old: Any, new: Any) -> Iterator[str]:
    """Describe the line, and the arms of a spinner, where they have changed."""
    before, after = (getattr(state, "layout", None) for state in (old, new))
    for name in ("line", "up", "down"):
        tiles = getattr(after, name, ())
        if tiles and tiles != getattr(before, name, ()):
            yield f"    {name} {_tiles(tiles)}"


def _tiles(laid: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{left}-{right}" for left, right in laid)


def _position(moment: Moment) -> Iterator[str]:
    """Describe the position of a game without hidden pieces if it has changed: the things that are
    left, or the rows of the board from the top.
    """
    match, view = moment.after, moment.after.setup.view
    if moment.before.game == match.game:
        return
    board = view.board(match.setup.game, match.game)
    if isinstance(board, HeapRows):
        yield f"    left {' '.join(map(str, board.rows))}"
    if isinstance(board, GridBoard):
        cells = "".join("." if seat is None else "XO"[seat] for seat in board.cells)
        yield from (
            f"    {cells[at : at + board.width]}" for at in range(0, len(cells), board.width)[::-1]
        )
    if moment.before.game is None or match.scores != moment.before.scores:
        yield f"    scores {_by_seat(match, match.scores)}"


def _open_cards(match: Match, old: Any, new: Any) -> Iterator[str]:
    """Describe changed open cards of seats that act independently, and a standstill."""
    for seat, own in enumerate(new.seats):
        if old is not None and own != old.seats[seat] and own.row:
            cards = ", ".join(
                match.setup.game.pieces[card].partition(" of ")[0] for card in visible(own)
            )
            yield f"    {_who(match, seat)} has {cards}; stock {own.stock}"
    if old is not None and new.rescues > old.rescues:
        yield "    nobody can go on: a card of every hand goes to its back"


def _result(match: Match, result: Any) -> str:
    """Describe the end of a hand."""
    if hasattr(result, "gains"):
        shown = "".join(
            f", {_who(match, seat)} showed {_pieces(match, hand)}" for seat, hand in result.shown
        )
        return f"gains {_by_seat(match, result.gains)}{shown}, board {_pieces(match, result.board)}"
    if hasattr(result, "stopped"):
        stopped = "nobody" if result.stopped is None else _who(match, result.stopped)
        return (
            f"{stopped} stopped, points {result.points}, laid {result.laid}, stock {result.stock}"
        )
    winner = "nobody" if result.winner is None else _who(match, result.winner)
    ended = (
        "the target is reached"
        if result.reached
        else "blocked"
        if result.blocked
        else "not blocked"
    )
    how = "void, " * result.void + ended
    return f"{winner} wins {result.points}, {how}, pips {_by_seat(match, result.pips)}"


def _stage(moment: Moment) -> Iterator[str]:
    """Describe the stage of the deal."""
    before, after = moment.before, moment.after
    if after.stage is MatchStage.DEALING and (
        before.deal is None or before.deal_number != after.deal_number
    ):
        order = getattr(after.game, "players", None)
        yield f"-- deal {after.deal_number + 1} begins" + (
            f": {_names(after, order)}" if order else ""
        )
    if after.stage is MatchStage.RECEIPTS and before.stage is not MatchStage.RECEIPTS:
        yield "-- receipts"


def _end(moment: Moment) -> Iterator[str]:
    match = moment.after
    yield f"-- {'over' if match.over or moment.faults else 'not over'}"
    yield f"winner: {_names(match, match.winners) or 'nobody'}"
    yield f"scores: {_by_seat(match, match.scores)}"
    yield (
        "faults: "
        f"{', '.join(f'{_who(match, fault.seat)} {fault.code}' for fault in moment.faults) or 'none'}"
    )


def _who(match: Match, author: int) -> str:
    return "the table" if author == TABLE else match.setup.people[author].name


def _names(match: Match, seats: Iterable[int]) -> str:
    return ", ".join(_who(match, seat) for seat in seats)


def _by_seat(match: Match, numbers: Iterable[int]) -> str:
    return " ".join(f"{_who(match, seat)} {number}" for seat, number in enumerate(numbers))


def _pieces(match: Match, pieces: Iterable[int]) -> str:
    return " ".join(match.setup.game.pieces[piece] for piece in pieces) or "nothing"
