"""Simultaneous play in Ligretto: first and late entries, illegal actions, and the end of a
round.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.mutations import flip_bit
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    change_field,
    change_part_field,
    fault_case,
    is_action,
    reach_kind,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.lobby.lobby import bad_table
from conformance.table.match.clock import clock, heard
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games import Action
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.scoring import points
from protocol.games.ligretto.state import LigrettoState
from protocol.match.state import Match, MatchStage

GROUP = CaseGroup("ligretto")
ROUND: dict[str, Any] = {"game": "ligretto", "options": [["rounds", 1]], "dealing": "verified"}
BLITZ = ROUND | {"options": [["blitz", "yes"], ["rounds", 1]]}
SHARED = ROUND | {"deal_options": [["leavers", "threshold"]]}
BAD_OPTIONS = Code.BAD_OPTIONS
BAD_ACTION = Code.BAD_ACTION
ILLEGAL = Code.ILLEGAL_MOVE
FLIP: Action = ("flip",)
FLIPS = is_action("flip")
ROW = 5  # cards in a row, with two seats

for name, section, wrong in (
    ("two-open-cards", "23.1", ROUND | {"options": [["row", 2]]}),
    ("blitz-perhaps", "23.1", ROUND | {"options": [["blitz", "perhaps"]]}),
    ("no-rounds", "23.1", ROUND | {"options": [["rounds", 0]]}),
    ("cards-that-are-dealt-in-layers", "23.1", ROUND | {"dealing": "layered"}),
    ("cards-that-are-not-dealt", "20.1.1", ROUND | {"dealing": "none"}),
):
    GROUP.add(f"table-with-{name}", section, str(BAD_OPTIONS), bad_table(**wrong))


def without_ones(slot: int) -> Callable[[SeatedPlayer], bool]:
    """Return a check that the card in this slot of the own row is no 1."""
    return lambda player: _cards(player.match).seats[player.number].row[slot] % 10 != 0


for name, section, code, change, when in (
    (
        "pile-that-is-opened-with-another-card",
        "23.4.1",
        ILLEGAL,
        replace_action("open", 0),
        without_ones(0),
    ),
    ("top-of-discards-that-are-not-there", "23.4.1", ILLEGAL, replace_action("open", ROW), None),
    ("lay-on-a-pile-that-is-not-there", "23.4.1", ILLEGAL, replace_action("lay", 0, 7), None),
    ("slot-that-is-not-there", "23.4.1", BAD_ACTION, replace_action("open", ROW + 1), None),
    ("pile-that-can-never-be", "23.4.1", BAD_ACTION, replace_action("lay", 0, 8), None),
    ("rest", "23.4.1", BAD_ACTION, replace_action("rest"), None),
    ("post-without-blitz", "23.4.1", BAD_ACTION, replace_action("post", 0, 1), None),
    (
        "flip-that-turns-nothing-up",
        "23.4.4",
        Code.BAD_ENTRY,
        change_field(1, lambda parts: []),
        FLIPS,
    ),
):
    GROUP.add(name, section, str(code), refusal_case("move", 0, code, change, when, **ROUND))


def is_refused(action: Action) -> Callable[[SeatedPlayer], bool]:
    """Return a check that the rules do not allow a player this action now."""

    def check(player: SeatedPlayer) -> bool:
        game = player.match.setup.game
        return action not in game.legal(player.match.game, player.number, ())

    return check


FRONT = ROW + 1  # slot of the top of the stock
for name, section, code, refused_action in (
    ("post-pile-that-is-not-there", "23.10.4", BAD_ACTION, ("post", 0, ROW)),
    ("slot-that-blitz-does-not-have", "23.10.4", BAD_ACTION, ("open", FRONT + 1)),
    ("card-that-does-not-fit-a-post-pile", "23.10.4", ILLEGAL, ("post", 0, 1)),
    ("card-on-its-own-post-pile", "23.10.4", ILLEGAL, ("post", 0, 0)),
    ("pile-that-is-opened-with-another-card-of-the-stock", "23.10.3", ILLEGAL, ("open", FRONT)),
):
    change = replace_action(*refused_action)
    when = is_refused(refused_action)
    GROUP.add(name, section, str(code), refusal_case("move", 0, code, change, when, **BLITZ))

for name, section, code, kind, change in (
    (
        "head-with-a-false-proof",
        "13.10.4",
        Code.BAD_PROOF,
        "turn_up",
        change_field(1, lambda proofs: flip_bit(proofs, 40)),
    ),
    (
        "flip-with-a-false-proof",
        "13.10.5",
        Code.BAD_PROOF,
        "move",
        change_part_field(2, lambda proofs: flip_bit(proofs, 40)),
    ),
):
    GROUP.add(
        name,
        section,
        str(code),
        fault_case(kind, 0, code, change, None if kind == "turn_up" else FLIPS, **ROUND),
    )
another_place = change_part_field(0, lambda places: [places[0] + 1])
GROUP.add(
    "flip-of-another-place",
    "13.10.5",
    str(Code.STALE),
    refusal_case("move", 0, Code.STALE, another_place, FLIPS, **ROUND),
)


def _cards(match: Match) -> LigrettoState:
    """Return the state of the game."""
    assert isinstance(match.game, LigrettoState)
    return match.game


def written(player: SeatedPlayer, act: Action) -> bytes:
    """Return an entry with this action by an author who has seen all entries."""
    return player.entry(kind="move", body=player.seat.move(player.match, act).body)


def state(play: KitMatch) -> tuple[Any, ...]:
    """Return the whole state of the game."""
    return play.match.game, play.match.action_entries


async def flipping(
    arena: TableEnvironment, until: Callable[[Match], bool], **terms: Any
) -> KitMatch:
    """Let both seats flip, even if they could lay, until a condition holds."""
    play = await arena.play(**terms)
    await play.reach("move")
    number = 0
    while not until(play.match):
        await play.stands(play.players[number % 2], written(play.players[number % 2], FLIP))
        number += 1
    return play


def post_of(match: Match) -> tuple[int, Action] | None:
    """Return a seat that can put a card on a post pile, and this action; None if there is none."""
    game = match.setup.game
    found = (
        (seat, action)
        for seat in _cards(match).present
        for action in game.legal(match.game, seat, ())
        if action[0] == "post"
    )
    return next(found, None)


@GROUP.case("23.10.4", "clean")
async def card_on_a_post_pile(arena: TableEnvironment) -> None:
    """A card goes to a post pile, and then the round goes on."""
    play = await flipping(arena, lambda match: post_of(match) is not None, **BLITZ)
    found = post_of(play.match)
    if found is None:
        raise CaseFailed("no card fits a post pile")
    seat, action = found
    game = play.match.setup.game
    assert isinstance(game, Ligretto)
    card = game.card(_cards(play.match).seats[seat], action[1])
    await play.stands(play.players[seat], written(play.players[seat], action))
    if _cards(play.match).seats[seat].row[action[2]] != card:
        raise CaseFailed("the card does not lie on its post pile")
    other = play.players[1 - seat]
    await play.stands(other, written(other, FLIP))
    await play.end()


@GROUP.case("20.2.2", "clean")
async def two_who_act_at_once(arena: TableEnvironment) -> None:
    """Entries that the author has not seen make no difference to its action."""
    play = await flipping(arena, lambda match: True, **ROUND)
    entries = [(player, written(player, FLIP)) for player in play.players]
    for player, raw in entries:
        await play.stands(player, raw)
    if play.match.late_counts != (0, 0) or [own.mark for own in _cards(play.match).seats] != [3, 3]:
        raise CaseFailed("of two seats that flip at the same time one has not")
    await play.end()


def on_one_pile(match: Match) -> tuple[Action, Action] | None:
    """Return two lays of different seats on the same pile, if both are legal now."""
    one, other = (match.setup.game.legal(match.game, seat, ()) for seat in (0, 1))
    pairs = ((a, b) for a in one for b in other if a[0] == b[0] == "lay" and a[2] == b[2])
    return next(pairs, None)


@GROUP.case("23.5.1", "one of two has laid")
async def two_who_lay_on_one_pile(arena: TableEnvironment) -> None:
    """The first entry counts. The second is late: it is accepted, changes only a count, and names
    nobody.
    """
    play, _ = await reach_kind(
        arena, "move", None, lambda player: on_one_pile(player.match) is not None, **ROUND
    )
    pair = on_one_pile(play.match)
    assert pair is not None
    first, second = (written(player, act) for player, act in zip(play.players, pair, strict=True))
    await play.stands(play.players[0], first)
    before = state(play)
    await play.stands(play.players[1], second)
    if state(play) != before or play.match.late_counts != (0, 1) or play.match.faults:
        raise CaseFailed("a late lay has changed something, or is not counted")
    await play.end()


@GROUP.case("20.2.3", str(ILLEGAL))
async def lay_that_never_fitted(arena: TableEnvironment) -> None:
    """Actions of others in between are no excuse."""
    play = await flipping(arena, lambda match: True, **ROUND)
    seen = play.players[0].log.newest_head
    await play.stands(play.players[1], written(play.players[1], FLIP))
    await play.players[0].refused(
        play.players[0].entry(body=[["lay", 0, 0], []], seen=seen), ILLEGAL
    )
    await play.end()


@GROUP.case("20.2.2", str(Code.STALE))
async def act_that_has_not_seen_ones_own(arena: TableEnvironment) -> None:
    """An author must see its own last action before the next one."""
    play = await flipping(arena, lambda match: True, **ROUND)
    player = play.players[0]
    seen = play.players[0].log.newest_head
    await play.stands(player, written(player, FLIP))
    await player.refused(
        player.entry(body=player.seat.move(player.match, FLIP).body, seen=seen), Code.STALE
    )
    await play.end()


@GROUP.case("23.6.4", str(Code.STALE))
async def act_that_crosses_a_rescue(arena: TableEnvironment) -> None:
    """The action would turn up another card than its author meant: the author may repeat it."""
    play = await flipping(arena, lambda match: True, **ROUND)
    crossed: list[bytes] = []
    while not _cards(play.match).rescues:
        for one, other in (play.players, play.players[::-1]):
            if _cards(play.match).rescues:
                break
            crossed = [written(other, FLIP)]
            await play.stands(one, written(one, FLIP))
            late = other
    await late.refused(crossed[0], Code.STALE)
    await play.stands(late, written(late, FLIP))
    await play.end()


@GROUP.case("23.8.1", "it is late")
async def act_that_crosses_the_stop(arena: TableEnvironment) -> None:
    """The action is late, even while receipts are signed. An action whose author has seen the stop
    is refused.
    """
    play, player = await reach_kind(arena, "move", None, _stops, **ROUND)
    other = play.players[1 - player.number]
    under_way = other.entry()
    await play.play(player)
    if play.match.stage is not MatchStage.RECEIPTS:
        raise CaseFailed("the round goes on after its stop")
    scores = play.match.scores
    await play.stands(other, under_way)
    if play.match.scores != scores or play.match.late_counts[other.number] != 1:
        raise CaseFailed("an act after the stop counts, or is not late")
    await other.refused(other.entry(kind="move", body=[["flip"], []]), Code.NOT_NOW)
    await play.finish()


def _stops(player: SeatedPlayer) -> bool:
    """Check that the due action turns the last card of the own stock, and that no other seat has as
    many points: a tie plays on.
    """
    due = player.due()
    game = _cards(player.match)
    own = game.seats[player.number]
    other = game.seats[1 - player.number]
    lays = due is not None and due.body[0][0] != "flip" and due.body[0][1] != ROW
    return lays and own.stock == 1 and own.laid + 1 != points(other)


@GROUP.case("23.7.2", "the seat rests")
async def seat_that_sleeps(arena: TableEnvironment) -> None:
    """A seat whose time is over rests: no card moves, nobody is named, and the others go on."""
    play = await flipping(arena, lambda match: True, **ROUND | {"clock": clock(turn=4)})
    silent, other = play.players
    since = play.posted_at
    while await heard(play, "warning", since) != {1}:
        pass
    await play.stands(other, written(other, FLIP))
    own = _cards(play.match).seats[0]
    if 0 not in await heard(play, "lapse", since):
        raise CaseFailed("the clock runs for a seat that has acted")
    if (
        _cards(play.match).seats[silent.number] != own
        or play.match.faults
        or play.match.clock.lapses_in_row != (1, 0)
    ):
        raise CaseFailed("a lapse has moved cards, or names somebody")
    await play.stands(other, written(other, FLIP))
    await play.end()


def one_leaves(seats: int) -> CaseBody:
    """Make a case: the remaining seats play on; with two seats, the other has won."""

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play(seats=seats, **SHARED)
        player = await play.reach("move")
        count = await play.stands(player, player.entry(kind=Post("leave", []).kind, body=[]))
        await play.go_on_without()
        play.names(player.number, count, Code.LEFT)
        if play.match.winner in (None, player.number):
            raise CaseFailed("nobody who has stayed has won")

    return run


GROUP.add("leave-of-one-of-two", "23.7.4", str(Code.LEFT), one_leaves(2))
GROUP.add("leave-of-one-of-three", "23.7.3", str(Code.LEFT), one_leaves(3))
