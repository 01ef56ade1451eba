"""Poker: illegal bets, exchanges and showdowns, and seats that are away in their turn."""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    BodyChange,
    MomentCheck,
    change_field,
    late_discovery_case,
    out_of_turn_case,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.match.clock import clock, heard
from protocol.codes import Code
from protocol.dealing.commutative.state import CommutativeState
from protocol.games.poker.state import PokerState
from protocol.match.log import decode_entry
from protocol.match.state import Match

GROUP = CaseGroup("poker")
SMALL: list[list[Any]] = [["hands", 1], ["stack", 20]]
HOLDEM: dict[str, Any] = {"game": "texas-holdem", "dealing": "commutative", "options": SMALL}
# the blinds take all chips
ALL_IN: dict[str, Any] = HOLDEM | {"options": [["hands", 1], ["stack", 2]]}
DRAW: dict[str, Any] = HOLDEM | {"game": "five-card-draw"}
LIMIT: dict[str, Any] = HOLDEM | {
    "seats": 3,
    "options": [["hands", 1], ["limit", "fixed"], ["stack", 60]],
}
POT: dict[str, Any] = HOLDEM | {"options": [["hands", 1], ["limit", "pot"], ["stack", 60]]}
FREE: dict[str, Any] = HOLDEM | {"options": [["folds", "free"], ["hands", 1], ["stack", 20]]}
PROVEN: dict[str, Any] = HOLDEM | {
    "dealing": "verified",
    "deal_options": [["leavers", "threshold"]],
    "seats": 3,
}
CARDS = 52


def add(name: str, section: str, expects: str, body: CaseBody) -> None:
    """Add a case to this group."""
    GROUP.add(name, section, expects, body)


def case(section: str, expects: str) -> Callable[[CaseBody], CaseBody]:
    """Return a decorator for a case of this group."""

    def decorate(body: CaseBody) -> CaseBody:
        add(body.__name__.replace("_", "-"), section, expects, body)
        return body

    return decorate


def _state(match: Match) -> PokerState:
    """Return the state of the game."""
    assert isinstance(match.game, PokerState)
    return match.game


def decides(what: str, *, free: bool | None = None) -> MomentCheck:
    """Return a check that the seat must decide about a bet, an exchange or a showdown. With `free`,
    the decision must cost nothing (True) or something (False).
    """

    def when(player: SeatedPlayer) -> bool:
        game = _state(player.match)
        return str(game.decision) == what and free in (None, not game.running.may_fold())

    return when


def elsewhere(player: SeatedPlayer) -> list[int]:
    """Return cards that are neither in the seat's hand nor on the board."""
    known = {*player.seat.hand, *_state(player.match).board}
    return [piece for piece in range(CARDS) if piece not in known]


def other_cards(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return a body with foreign cards at the places of the seat's own."""
    return [["show", *elsewhere(player)[: len(body[1])]], body[1]]


def one_card_less(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    return [body[0][:-1], body[1][:-1]]


def card_twice(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    return [["show", *[body[0][1]] * len(body[1])], [body[1][0]] * len(body[1])]


ILLEGAL = Code.ILLEGAL_MOVE
BAD_ACTION = Code.BAD_ACTION
BAD_ENTRY = Code.BAD_ENTRY


def no(
    code: Code, change: BodyChange, when: MomentCheck, terms: dict[str, Any] = HOLDEM
) -> CaseBody:
    """Make a case: the move is refused with this code."""
    return refusal_case("move", None, code, change, when, **terms)


BET = decides("bet")
SHOW = decides("show")
EXCHANGE = decides("exchange")
for name, section, code, body in (
    (
        "move-that-poker-does-not-know",
        "18.5.1",
        BAD_ACTION,
        no(BAD_ACTION, replace_action("bet", 4), BET),
    ),
    ("raise-without-an-amount", "18.5.1", BAD_ACTION, no(BAD_ACTION, replace_action("raise"), BET)),
    ("raise-by-true", "2.2.4", BAD_ACTION, no(BAD_ACTION, replace_action("raise", True), BET)),
    ("call-of-an-amount", "18.5.1", BAD_ACTION, no(BAD_ACTION, replace_action("call", 2), BET)),
    (
        "raise-of-less-than-the-least",
        "18.4.1",
        ILLEGAL,
        no(ILLEGAL, replace_action("raise", 3), BET),
    ),
    (
        "raise-of-more-than-one-has",
        "18.4.1",
        ILLEGAL,
        no(ILLEGAL, replace_action("raise", 21), BET),
    ),
    (
        "raise-of-more-than-the-limit",
        "18.9.1",
        ILLEGAL,
        no(ILLEGAL, replace_action("raise", 5), BET, LIMIT),
    ),
    (
        "raise-of-more-than-the-pot",
        "18.10.5",
        ILLEGAL,
        no(ILLEGAL, replace_action("raise", 7), BET, POT),
    ),
    (
        "fold-with-nothing-to-pay",
        "18.5",
        ILLEGAL,
        no(ILLEGAL, replace_action("fold"), decides("bet", free=True)),
    ),
    ("muck-before-the-showdown", "18.5", ILLEGAL, no(ILLEGAL, replace_action("muck"), BET)),
    ("show-before-the-showdown", "18.5", ILLEGAL, no(ILLEGAL, replace_action("show", 0, 1), BET)),
    ("exchange-at-holdem", "18.5", ILLEGAL, no(ILLEGAL, replace_action("exchange"), BET)),
    (
        "bet-with-a-part",
        "18.5.1",
        BAD_ENTRY,
        no(BAD_ENTRY, change_field(1, lambda parts: [[]]), BET),
    ),
    (
        "bet-out-of-turn",
        "18.3.2",
        Code.NOT_NOW,
        out_of_turn_case("move", 0, 1, "move", [["call"], []], **HOLDEM),
    ),
    (
        "sit-in-of-one-who-does-not-sit-out",
        "18.8.1",
        Code.NOT_NOW,
        out_of_turn_case("move", 0, 1, "sit_in", [], **HOLDEM),
    ),
    # the showdown
    ("bet-in-the-showdown", "18.5", ILLEGAL, no(ILLEGAL, replace_action("call"), SHOW)),
    ("muck-when-all-are-in", "18.4.3", ILLEGAL, no(ILLEGAL, replace_action("muck"), SHOW, ALL_IN)),
    ("show-of-one-card", "18.5", ILLEGAL, no(ILLEGAL, one_card_less, SHOW)),
    ("show-of-a-card-twice", "18.5", ILLEGAL, no(ILLEGAL, card_twice, SHOW)),
    (
        "show-of-what-is-no-card",
        "18.5.1",
        BAD_ACTION,
        no(BAD_ACTION, replace_action("show", 0, CARDS), SHOW),
    ),
    (
        "show-without-the-cards",
        "18.5.1",
        BAD_ENTRY,
        no(BAD_ENTRY, change_field(1, lambda parts: parts[1:]), SHOW),
    ),
    (
        "show-of-other-cards",
        "18.5.3",
        Code.BAD_OPENING,
        late_discovery_case("move", None, Code.BAD_OPENING, other_cards, SHOW, **HOLDEM),
    ),
    # exchanges
    (
        "exchange-of-a-sixth-card",
        "18.5",
        ILLEGAL,
        no(ILLEGAL, replace_action("exchange", 5), EXCHANGE, DRAW),
    ),
    (
        "exchange-that-is-not-ascending",
        "18.5",
        ILLEGAL,
        no(ILLEGAL, replace_action("exchange", 1, 0), EXCHANGE, DRAW),
    ),
    (
        "exchange-of-a-place-twice",
        "18.5",
        ILLEGAL,
        no(ILLEGAL, replace_action("exchange", 1, 1), EXCHANGE, DRAW),
    ),
    (
        "exchange-of-six-places",
        "18.5.1",
        BAD_ACTION,
        no(BAD_ACTION, replace_action("exchange", 0, 1, 2, 3, 4, 5), EXCHANGE, DRAW),
    ),
    (
        "exchange-without-parts",
        "18.5.1",
        BAD_ENTRY,
        no(BAD_ENTRY, replace_action("exchange", 0), EXCHANGE, DRAW),
    ),
    (
        "bet-instead-of-an-exchange",
        "18.5",
        ILLEGAL,
        no(ILLEGAL, replace_action("call"), EXCHANGE, DRAW),
    ),
):
    add(name, section, str(code), body)

DRAWN = list(range(2))


@case("16.4", str(Code.BAD_ENTRY))
async def exchange_for_more_cards_than_are_put_away(arena: TableEnvironment) -> None:
    play = await arena.play(**DRAW)
    player = await play.reach("move", None, EXCHANGE)
    right = player.seat.move(player.match, ("exchange", *DRAWN))
    put, drawn = right.body[1]
    deal = player.match.deal
    assert isinstance(deal, CommutativeState)
    spare = next(card for card in deal.stock_of(0) if card not in drawn)
    await player.refused(player.entry(body=[right.body[0], [put, [*drawn, spare]]]), BAD_ENTRY)
    await play.stands(player, player.entry(body=right.body))
    await play.finish()


# --- matches to their end ---


def kinds(play: KitMatch) -> list[str]:
    """Return the kinds of all entries."""
    return [decode_entry(raw).kind for raw, _ in play.players[0].records]


@case("18.6.3", "clean")
async def hand_that_is_folded(arena: TableEnvironment) -> None:
    """With proven dealing nobody must show anything: folded cards stay hidden."""
    play = await arena.play(**PROVEN | {"seats": 2, "deal_options": []})
    player = await play.reach("move")
    await play.stands(player, player.entry(body=[["fold"], []]))
    await play.finish()
    if "show" in kinds(play):
        raise CaseFailed("a hand that was folded is shown")


@case("18.4.2", "clean")
async def board_of_those_who_are_all_in(arena: TableEnvironment) -> None:
    """The board is turned up before anybody shows."""
    play = await arena.play(**ALL_IN)
    await play.reach("move", None, SHOW)
    if len(_state(play.match).board) != 5:
        raise CaseFailed("hands are shown before the board is dealt")
    await play.finish()


@case("18.4", "clean")
async def hands_at_draw_with_cards_exchanged(arena: TableEnvironment) -> None:
    play = await arena.play(**DRAW)
    for _ in range(2):
        player = await play.reach("move", None, EXCHANGE)
        await play.stands(
            player, player.entry(body=player.seat.move(player.match, ("exchange", *DRAWN)).body)
        )
    await play.finish()


@case("18.9.2", str(ILLEGAL))
async def raise_after_the_cap(arena: TableEnvironment) -> None:
    """The limit is the big blind and three raises; on the turn the amounts double, and the limit is
    a bet and three raises.
    """
    play = await arena.play(**LIMIT)
    for amounts in ((4, 6, 8), (2, 4, 6, 8), (4, 8, 12, 16)):
        for amount in amounts:
            player = await play.reach("move", None, BET)
            await play.stands(player, player.entry(body=[["raise", amount], []]))
        player = await play.reach("move", None, BET)
        await player.refused(player.entry(body=[["raise", amounts[-1] + amounts[0]], []]), ILLEGAL)
        street = len(_state(play.match).board)
        while len(_state(play.match).board) == street:
            player = await play.reach("move", None, BET)
            await play.stands(player, player.entry(body=[["call"], []]))
    await play.finish()


@case("18.10.5", "clean")
async def raise_of_the_pot(arena: TableEnvironment) -> None:
    """With blinds of 1 and 2 the first raise is to 6 at most, and after a call the next to 18."""
    play = await arena.play(**POT)
    for amount in (6, 18):
        player = await play.reach("move", None, BET)
        await player.refused(player.entry(body=[["raise", amount + 1], []]), ILLEGAL)
        await play.stands(player, player.entry(body=[["raise", amount], []]))
    await play.finish()


@case("18.11", "clean")
async def pot_of_three_who_are_all_in(arena: TableEnvironment) -> None:
    """The pot is shared as the kit shares it: the table takes the kit's receipts."""
    play = await arena.play(**HOLDEM | {"seats": 3})
    for action in (["raise", 20], ["call"], ["call"]):
        player = await play.reach("move", None, BET)
        await play.stands(player, player.entry(body=[action, []]))
    await play.finish()
    result = _state(play.match).result
    assert result is not None
    if sum(play.match.scores) != 60 or len(result.shown) != 3:
        raise CaseFailed("not all have shown, or chips are lost")


@case("18.12", "clean")
async def hands_that_are_compared(arena: TableEnvironment) -> None:
    """Two hands are played to the showdown: the table ranks the cards as the kit does."""
    play = await arena.play(**HOLDEM | {"options": [["hands", 2], ["stack", 20]]})
    await play.finish()
    if sum(play.match.scores) != 40:
        raise CaseFailed("chips are lost")


@case("18.5", "clean")
async def fold_that_is_free(arena: TableEnvironment) -> None:
    play = await arena.play(**FREE)
    player = await play.reach("move", None, decides("bet"))
    await play.stands(player, player.entry(body=[["call"], []]))
    player = await play.reach("move", None, decides("bet"))
    await play.stands(player, player.entry(body=[["fold"], []]))
    await play.finish()
    if play.match.scores[player.number] != 18:
        raise CaseFailed("the big blind has folded, and has not lost it")


@case("18.3.5", "clean")
async def small_blind_of_its_own(arena: TableEnvironment) -> None:
    """The blinds are two and ten, and then twice that."""
    options = [["blind", 10], ["hands", 2], ["levels", 1], ["small", 2], ["stack", 60]]
    play = await arena.play(**HOLDEM | {"options": options})
    for pot in (12, 24):
        player = await play.reach("move", None, BET)
        if _state(play.match).pot != pot:
            raise CaseFailed("the blinds are not those of the table")
        await play.stands(player, player.entry(body=[["fold"], []]))
    await play.finish()


@case("18.3.5", "clean")
async def blinds_that_rise(arena: TableEnvironment) -> None:
    """The big blind is two in the first hand, four in the second, and then as much as the stacks
    allow.
    """
    play = await arena.play(**HOLDEM | {"options": [["hands", 3], ["levels", 1], ["stack", 8]]})
    for hand, blind in ((1, 2), (2, 4)):
        player = await play.reach("move", None, BET)
        if _state(play.match).hand != hand or _state(play.match).pot != blind + blind // 2:
            raise CaseFailed("the blinds are not those of the hand")
        await play.stands(player, player.entry(body=[["fold"], []]))
    await play.finish()


@case("18.7.1", str(Code.LEFT))
async def player_who_leaves_in_a_hand(arena: TableEnvironment) -> None:
    """The two others stand in for the seat that left; this seat folds, and the others play on for
    its chips.
    """
    play = await arena.play(**PROVEN)
    player = await play.reach("move")
    count = await play.stands(player, player.entry(kind="leave", body=[]))
    await play.go_on_without()
    play.names(player.number, count, Code.LEFT)
    if sum(play.match.scores) != 60:
        raise CaseFailed("chips are lost")


@case("18.7.3", str(Code.LEFT))
async def seat_without_chips_that_leaves(arena: TableEnvironment) -> None:
    """A seat without chips does not play the hand: nobody stands in for it, and the hand goes on,
    although the dealing has no leavers.
    """
    play = await arena.play(**HOLDEM | {"seats": 3, "options": [["hands", 2], ["stack", 20]]})
    for word in (["raise", 20], ["call"], ["fold"]):
        player = await play.reach("move")
        await play.stands(player, player.entry(body=[word, []]))
    while play.match.deal_number == 0 or play.match.deal is None or not play.match.deal.ready:
        await play.step()
    idle = [
        player for player in play.players if player.number not in play.match.deal.context.present
    ]
    if not idle:  # both hands had the same rank
        await play.end()
        return
    count = await play.stands(idle[0], idle[0].entry(kind="leave", body=[]))
    await play.go_on_without()
    play.names(idle[0].number, count, Code.LEFT)


@case("18.7.4", "the turn is skipped")
async def bet_that_is_not_made(arena: TableEnvironment) -> None:
    """A lapsed turn folds if something is to be paid: the other seat has the pot."""
    play = await arena.play(**HOLDEM, clock=clock(turn=3))
    silent = await play.reach("move")
    if await heard(play, "lapse", play.posted_at) != {silent.number}:
        raise CaseFailed("the clock runs for another seat than the one to act")
    if play.match.scores[silent.number] >= 20:
        raise CaseFailed("a bet that was not made is no fold")
    await play.finish()


@case("18.7.6", "the others open it")
async def hand_that_is_all_in_and_not_shown(arena: TableEnvironment) -> None:
    """The time of a seat with a hidden hand runs out. The others show first, and then open this
    hand together; nobody is named.
    """
    play = await arena.play(
        **PROVEN | {"options": [["ante", 2], ["hands", 1], ["stack", 2]]}, clock=clock(step=8)
    )
    silent = await play.reach("move", None, SHOW)
    if await heard(play, "lapse", play.posted_at) != {silent.number}:
        raise CaseFailed("the clock runs for another seat than the one to show")
    await play.finish()
    result = _state(play.match).result
    assert result is not None
    shown = [seat for seat, _ in result.shown]
    if len(shown) != 3 or shown[-1] != silent.number or play.match.faults:
        raise CaseFailed("a hand that must be shown is not opened by the others, after theirs")


@case("18.8.3", "the turn is skipped")
async def sitting_out_on_ones_own_turn(arena: TableEnvironment) -> None:
    """The seat folds at once, and the table stops waiting; the seat says this once in a hand."""
    play = await arena.play(**HOLDEM)
    player = await play.reach("move", None, BET)
    await play.stands(player, player.entry(kind="sit_out", body=[]))
    if play.match.scores[player.number] >= 20:
        raise CaseFailed("who sits out on its turn has not folded")
    await play.finish()


# --- tables that cannot be ---


def unfit(options: list[list[Any]], **terms: Any) -> CaseBody:
    """Make a case: the table refuses these options, and accepts others."""

    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await arena.declined(peer, Code.BAD_OPTIONS, **HOLDEM | {"options": options} | terms)
        await arena.table(peer, **HOLDEM)

    return run


for name, section, body in (
    ("table-without-chips", "18.1", unfit([["stack", 0]])),
    ("table-without-hands", "18.1", unfit([["hands", 0]])),
    ("table-with-a-blind-of-one", "18.1", unfit([["blind", 1]])),
    ("table-with-a-blind-above-the-stack", "18.1", unfit([["blind", 21], ["stack", 20]])),
    ("table-with-an-ante-above-the-stack", "18.1", unfit([["ante", 21], ["stack", 20]])),
    ("table-with-a-small-blind-above-the-big-one", "18.1", unfit([["small", 3]])),
    ("table-with-a-button-of-no-kind", "18.1", unfit([["button", "still"]])),
    ("table-for-draw-without-an-ante", "18.1", unfit([["ante", 0]], game="five-card-draw")),
    (
        "table-for-draw-with-a-dead-button",
        "18.1",
        unfit([["button", "dead"]], game="five-card-draw"),
    ),
    ("table-for-draw-with-seven-seats", "18.1", unfit(SMALL, game="five-card-draw", seats=7)),
    (
        "table-for-six-at-draw-that-cannot-shuffle-back",
        "18.1.1",
        unfit(SMALL, game="five-card-draw", seats=6),
    ),
    ("table-for-holdem-dealt-in-layers", "18.1.1", unfit(SMALL, dealing="layered")),
    ("table-for-holdem-without-a-deal", "20.1.1", unfit(SMALL, dealing="none")),
    ("table-dealt-commutatively-with-an-option", "16", unfit(SMALL, deal_options=[["take", 40]])),
):
    add(name, section, str(Code.BAD_OPTIONS), body)


@case("18.3.6", "clean")
async def stack_that_is_bought(arena: TableEnvironment) -> None:
    """Two seats have only their blinds: only the loser may say that it buys chips, and the purchase
    counts to the end.
    """
    play = await arena.play(**HOLDEM | {"options": [["hands", 20], ["rebuys", 1], ["stack", 2]]})
    while True:
        player = await play.reach(
            "move", None, lambda player: str(_state(player.match).decision) in ("bet", "rebuy")
        )
        if _state(player.match).waiting:
            break
        # This seat is all in; hands of equal rank are played again.
        await play.stands(player, player.entry(body=[["call"], []]))
    (other,) = (each for each in play.players if each is not player)
    await other.refused(other.entry(kind="move", body=[["rebuy"], []]), Code.NOT_NOW)
    await player.refused(player.entry(body=[["call"], []]), Code.ILLEGAL_MOVE)
    await play.stands(player, player.entry(body=[["rebuy"], []]))
    await play.finish()


@case("18.8.3", str(Code.NOT_NOW))
async def turn_that_is_sat_out(arena: TableEnvironment) -> None:
    """The turn ends when the seat says that it sits out; a seat says this once in a hand."""
    play = await arena.play(**PROVEN)
    player = await play.reach("move", None, BET)
    await play.stands(player, player.entry(kind="sit_out", body=[]))
    after = _state(play.match)
    folded = not after.running.live[after.players.index(player.number)]
    if after.to_act == player.number or not folded:
        raise CaseFailed("the turn of who sits out goes on")
    for kind in ("sit_out", "sit_in"):
        await player.refused(player.entry(kind=kind, body=[]), Code.NOT_NOW)
    await play.finish()


@case("6.6", str(Code.NOT_NOW))
async def sitting_out_at_dominoes(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = await play.reach("move")
    await player.refused(player.entry(kind="sit_out", body=[]), Code.NOT_NOW)
    await play.go_on()
