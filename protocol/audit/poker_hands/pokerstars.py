"""The text in which PokerStars gives people their hands: programs for statistics read it.

The texts are English in every language, because programs read them. Names of hands are left out:
programs find them themselves.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from protocol.audit.poker_hands.records import HandAction, HandRecord
from protocol.match.state import Match

_GAMES = {"texas-holdem": "Hold'em", "five-card-draw": "5 Card Draw", "omaha": "Omaha"}
_LIMITS = {"none": "No Limit", "fixed": "Limit", "pot": "Pot Limit"}
_STREETS = {3: "FLOP", 4: "TURN", 5: "RIVER"}
# digits of the number of a match, in front of three digits of the hand's number
_MATCH_DIGITS = 12


def is_in_pokerstars(match: Match) -> bool:
    """Check that PokerStars has the game of this match."""
    return match.setup.terms.game.name in _GAMES


def pokerstars_lines(match: Match, hands: Iterable[HandRecord]) -> Iterator[str]:
    """Yield the text of these hands of a match."""
    for hand in hands:
        yield from _HandText(match, hand).lines()
        yield from ("", "", "")


class _HandText:
    """The text of one hand."""

    def __init__(self, match: Match, hand: HandRecord) -> None:
        self._match = match
        self._hand = hand
        self._names = [match.setup.people[seat].name for seat in hand.seats]
        self._bets = list(hand.posted)
        self._paid = [min(hand.ante, chips) for chips in hand.starting]
        self._paid = [ante + bet for ante, bet in zip(self._paid, hand.posted, strict=True)]

    def lines(self) -> Iterator[str]:
        """Yield the lines: title, seats, blinds, actions, showdown, summary."""
        yield from self._head()
        yield from self._forced_bets()
        yield "*** HOLE CARDS ***"
        board: tuple[str, ...] = ()
        shows = False
        for action in self._hand.actions:
            if action.player is None:
                before = board
                board += action.cards
                yield _board_line(before, board)
                self._bets = [0] * len(self._names)
                continue
            if action.verb in ("show", "muck") and not shows:
                shows = True
                yield from self._returns()
                yield "*** SHOW DOWN ***"
            yield from self._action(action.player, action)
        if not shows:
            yield from self._returns()
        for player, chips in self._hand.won:
            yield f"{self._names[player]} collected {chips} from pot"
        yield from self._summary()

    def _head(self) -> Iterator[str]:
        match = self._match
        hand = self._hand
        setup = match.setup
        name, options = setup.terms.game
        limit = _LIMITS[str(setup.spec.values(setup.seats, dict(options))["limit"])]
        stakes = "/".join(map(str, hand.blinds)) or str(hand.ante)
        number = f"{int.from_bytes(match.match_id[:5]) % 10**_MATCH_DIGITS}{hand.number:03}"
        yield (
            f"PokerStars Hand #{number}: {_GAMES[name]} {limit} ({stakes}) - "
            f"{_time_text(setup.created)}"
        )
        table = setup.table.id if setup.has_table else "fairdeal"
        yield f"Table '{table}' {setup.seats}-max Seat #{hand.button + 1} is the button"
        for seat, player in sorted((seat, player) for player, seat in enumerate(hand.seats)):
            yield f"Seat {seat + 1}: {self._names[player]} ({hand.starting[player]} in chips)"

    def _forced_bets(self) -> Iterator[str]:
        hand = self._hand
        for player in hand.players:
            ante = min(hand.ante, hand.starting[player])
            if ante:
                yield f"{self._names[player]}: posts the ante {ante}"
        for player, kind in zip(hand.posters, ("small", "big"), strict=True):
            if player is not None:
                all_in = self._all_in(player)
                yield f"{self._names[player]}: posts {kind} blind {hand.posted[player]}{all_in}"

    def _action(self, player: int, action: HandAction) -> Iterator[str]:
        who = self._names[player]
        match action.verb:
            case "fold":
                yield f"{who}: folds"
            case "call" if action.amount:
                self._pay(player, action.amount)
                yield f"{who}: calls {action.amount}{self._all_in(player)}"
            case "call":
                yield f"{who}: checks"
            case "raise":
                self._pay(player, action.amount - self._bets[player])
                all_in = self._all_in(player)
                if action.raises:
                    yield f"{who}: raises {action.raises} to {action.amount}{all_in}"
                else:
                    yield f"{who}: bets {action.amount}{all_in}"
            case "exchange" if action.amount:
                cards = "card" if action.amount == 1 else "cards"
                yield f"{who}: discards {action.amount} {cards}"
            case "exchange":
                yield f"{who}: stands pat"
            case "show":
                yield f"{who}: shows [{' '.join(action.cards)}] (-)"
            case "muck":
                yield f"{who}: mucks hand"

    def _returns(self) -> Iterator[str]:
        for player, chips in self._hand.returned:
            yield f"Uncalled bet ({chips}) returned to {self._names[player]}"

    def _summary(self) -> Iterator[str]:
        hand = self._hand
        yield "*** SUMMARY ***"
        yield f"Total pot {sum(chips for _, chips in hand.won)} | Rake 0"
        if hand.board:
            yield f"Board [{' '.join(hand.board)}]"
        for seat, player in sorted((seat, player) for player, seat in enumerate(hand.seats)):
            yield f"Seat {seat + 1}: {self._names[player]}{self._place(player)} {self._fate(player)}"

    def _place(self, player: int) -> str:
        hand = self._hand
        places = {
            hand.posters[1]: " (big blind)",
            hand.posters[0]: " (small blind)",
            (hand.seats.index(hand.button) if hand.button in hand.seats else -1): " (button)",
        }
        return places.get(player, "")

    def _fate(self, player: int) -> str:
        hand = self._hand
        won = sum(chips for who, chips in hand.won if who == player)
        shown = hand.shown.get(player)
        if shown is not None:
            what = f"won ({won})" if won else "lost"
            return f"showed [{' '.join(shown)}] and {what}"
        if won:
            return f"collected ({won})"
        if any(action == ("muck", player, 0, (), 0) for action in hand.actions):
            return "mucked"
        return f"folded {self._street_of_fold(player)}"

    def _street_of_fold(self, player: int) -> str:
        cards = 0
        for action in self._hand.actions:
            if action.verb == "board":
                cards += len(action.cards)
            if action.verb == "fold" and action.player == player:
                break
        if not self._hand.blinds:
            return "before the Draw"
        return f"on the {_STREETS[cards].capitalize()}" if cards else "before Flop"

    def _pay(self, player: int, chips: int) -> None:
        self._bets[player] += chips
        self._paid[player] += chips

    def _all_in(self, player: int) -> str:
        return " and is all-in" if self._paid[player] == self._hand.starting[player] else ""


def _board_line(before: tuple[str, ...], board: tuple[str, ...]) -> str:
    new = f"[{' '.join(board[len(before) :])}]"
    street = _STREETS.get(len(board), "BOARD")
    return f"*** {street} *** [{' '.join(before)}] {new}" if before else f"*** {street} *** {new}"


def _time_text(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y/%m/%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):  # a table may claim any time
        return "1970/01/01 0:00:00 UTC"
