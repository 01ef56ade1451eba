"""Poker for people: cards, the board, stacks and bets, what may be typed. A `protocol.games.texts.GameText`."""

from collections.abc import Sequence

from pokerkit import StandardHighHand

from protocol.errors import LocalError
from protocol.games import Action, Hand, Piece
from protocol.games.poker.cards import CARDS, code
from protocol.games.poker.rules import Poker, raises
from protocol.games.poker.state import RUNNING, Decision, Result, State

SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
STREETS = {3: "Flop", 4: "Turn", 5: "River"}
WORDS = frozenset(
    {"fold", "check", "call", "raise", "bet", "all-in", "allin", "exchange", "draw", "stand", "show", "muck"}
)


def card_text(piece: Piece) -> str:
    """A card: `A♠`; a ten is `10♠`."""
    name = CARDS[piece]
    return name[0].replace("T", "10") + SYMBOLS[name[1]]


def hand_text(game: Poker, hand: Hand, width: int = 80) -> str:
    """Cards in their order."""
    return " ".join(map(card_text, hand)) or "(no cards)"


def rank_text(cards: Hand, board: Hand = ()) -> str:
    """What cards make together, as "two pair"; empty while there are fewer than five."""
    if len(cards) + len(board) < 5:
        return ""
    return str(StandardHighHand.from_game(code(cards), code(board)).entry.label.value).lower()


def to_call(state: State) -> int:
    """The chips that a call costs the seat to act; 0: it may check."""
    return state.engine.checking_or_calling_amount or 0


def action_text(game: Poker, state: State, who: str, action: Action) -> str:
    """An action in words, where `state` is the one before it: "Ann raises to 20"."""
    verb, *numbers = action
    match verb:
        case "fold":
            return f"{who} folds"
        case "call":
            cost = to_call(state)
            return f"{who} calls {cost}{_all_in(state, cost)}" if cost else f"{who} checks"
        case "raise":
            (amount,) = numbers
            bet = max(state.engine.bets, default=0)
            placed = amount - _bet_of(state)
            return f"{who} {f'raises to {amount}' if bet else f'bets {amount}'}{_all_in(state, placed)}"
        case "exchange":
            count = len(numbers)
            return f"{who} exchanges {count} {'card' if count == 1 else 'cards'}" if count else f"{who} stands pat"
        case "show":
            named = rank_text(tuple(numbers), state.board)
            return f"{who} shows {hand_text(game, tuple(numbers))}{f' ({named})' if named else ''}"
    return f"{who} mucks"


def _bet_of(state: State) -> int:
    """What the seat to act has bet on this street."""
    return state.engine.bets[state.engine.actor_index or 0]


def _all_in(state: State, placed: int) -> str:
    """Words for a seat that puts in all it has."""
    return ", all in" if placed >= state.engine.stacks[state.engine.actor_index or 0] else ""


def laid_text(game: Poker, before: State, after: State, names: Sequence[str], width: int) -> list[str]:
    """The board, if cards were turned up."""
    if len(after.board) <= len(before.board):
        return []
    return [f"{STREETS[len(after.board)]}: {hand_text(game, after.board)}. The pot is {after.pot}."]


def news_text(game: Poker, before: State | None, after: State, names: Sequence[str]) -> list[str]:
    """Who has the button when a hand begins; then the board, when cards are turned up."""
    if before is None:
        return []
    if after.hand == before.hand:
        return laid_text(game, before, after, names, 80)
    ante = f", ante {after.stakes.ante}" if after.stakes.ante else ""
    blinds = "" if after.stakes.draw else f", blinds {after.stakes.blind // 2} and {after.stakes.blind}"
    return [f"Hand {after.hand}: {names[after.button]} has the button{ante}{blinds}."]


def result_text(game: Poker, result: Result, names: Sequence[str]) -> str:
    """Who won what, and with what, if that was shown."""
    shown = dict(result.shown)
    lines = []
    for seat, gain in enumerate(result.gains):
        if gain <= 0:
            continue
        named = rank_text(shown[seat], result.board) if seat in shown else ""
        lines.append(f"{names[seat]} wins {gain}{f' with {named}' if named else ''}.")
    return "\n".join(lines) or "The pot is split: nobody wins or loses."


def table_text(game: Poker, state: State, hand: Hand, names: Sequence[str], width: int) -> list[str]:
    """What a seat sees before it chooses: the pot, the board, everybody's chips and bets, its hand."""
    limits = f"ante {state.stakes.ante}, bets from {state.stakes.blind}"
    if not state.stakes.draw:
        limits = f"blinds {state.stakes.blind // 2} and {state.stakes.blind}"
    lines = [f"Hand {state.hand} of {game.hands}, {limits}. The pot is {state.pot}."]
    if not state.stakes.draw:
        lines.append(f"Board: {hand_text(game, state.board) if state.board else '(no card yet)'}")
    lines += ["", *_seats_text(state, names), ""]
    named = rank_text(hand, state.board)
    if state.decision is Decision.EXCHANGE:
        cards = "  ".join(f"{place} {card_text(piece)}" for place, piece in enumerate(hand, 1))
    else:
        cards = hand_text(game, hand)
    return [*lines, f"Your hand: {cards}{f'  ({named})' if named else ''}"]


def _seats_text(state: State, names: Sequence[str]) -> list[str]:
    """A row for each seat: whose turn, the button, chips, what it does in this hand."""
    wide = max(map(len, names))
    chips = state.chips
    rows = []
    for seat, name in enumerate(names):
        mark = "→" if seat == state.to_act else " "
        button = "●" if seat == state.button else " "
        rows.append(f"{mark} {button} {name:{wide}} {chips[seat]:>6}  {_standing(state, seat)}".rstrip())
    return rows


def _standing(state: State, seat: int) -> str:
    """What a seat has done in this hand, in a word or two."""
    if seat in state.out:
        return "left"
    if seat not in state.players or state.phase not in RUNNING:
        return "" if state.stacks[seat] else "out of chips"
    player, hand = state.players.index(seat), state.engine
    if not hand.statuses[player]:
        return "folded"
    bet = f"bet {hand.bets[player]}" if hand.bets[player] else ""
    return bet if hand.stacks[player] else ", ".join(filter(None, [bet, "all in"]))


def menu_text(game: Poker, state: State, choices: Sequence[Action]) -> list[str]:
    """What may be typed: "Your turn: check, raise 4 to 200, all-in"."""
    return [f"Your turn: {', '.join(_offers(state, choices))}"]


def _offers(state: State, choices: Sequence[Action]) -> list[str]:
    match state.decision:
        case Decision.EXCHANGE:
            return ["exchange PLACES (as: exchange 1 3)", "stand"]
        case Decision.SHOW:
            return ["show", "muck"]
    cost, amounts = to_call(state), raises(state)
    offers = ["fold"] if ("fold",) in choices else []
    offers.append(f"call {cost}" if cost else "check")
    if amounts:
        verb = "raise" if max(state.engine.bets) else "bet"
        most = f"{amounts[0]} to {amounts[-1]}" if len(amounts) > 1 else f"{amounts[0]}"
        offers += [f"{verb} {most}", "all-in"]
    return offers


def help_text(game: Poker) -> str:
    """How a choice is typed."""
    verbs = "fold, check, call, raise N (to N chips), all-in, show, muck"
    return f"Type what you do: {verbs}{', exchange PLACES, stand' if game.stakes.draw else ''}"


def typed(game: Poker, state: State, choices: Sequence[Action], line: str) -> Action | None:
    """The choice that a line like "raise 8" says; None if it does not begin with a verb. Raises: LocalError."""
    verb, *rest = line.lower().split() or [""]
    if verb not in WORDS:
        return None
    if not choices:
        raise LocalError("It is not your turn.")
    action = _meant(state, verb, rest, choices)
    if action in choices:
        return action
    raise LocalError(f"You can do this now: {', '.join(_offers(state, choices))}.")


def _meant(state: State, verb: str, rest: Sequence[str], choices: Sequence[Action]) -> Action | None:
    """What somebody means who types this, whether it can be done or not."""
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in rest):
        return None
    numbers = tuple(map(int, rest))
    match verb:
        case "raise" | "bet":
            return ("raise", *numbers)
        case "exchange" | "draw":
            return ("exchange", *sorted(number - 1 for number in numbers)) if numbers else None
    if state.decision is Decision.BET and verb in ("check", "call"):
        return _call(state, verb, numbers)
    if numbers:
        return None
    match verb:
        case "stand":
            return ("exchange",)
        case "show":
            return next((choice for choice in choices if choice[0] == "show"), None)
        case "all-in" | "allin":
            amounts = raises(state) if state.decision is Decision.BET else range(0)
            return ("raise", amounts[-1]) if amounts else ("call",)
    return (verb,)


def _call(state: State, verb: str, numbers: tuple[int, ...]) -> Action | None:
    """A call says what it costs, or nothing; and nobody checks who must pay."""
    cost = to_call(state)
    return ("call",) if numbers in ((), (cost,)) and (verb == "call" or not cost) else None
