"""Decks of owned cards: cards that are not their owner's, copies, and disputes (34.3 to 34.5)."""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.owned_decks import BAD_CARDS, WEAK_CARDS, OwnedPlan, too_strong
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import is_action
from conformance.table.kit_match import KitMatch, SeatedPlayer
from protocol.codes import Code
from protocol.limits import MAX_DISPUTE, MAX_DISPUTE_RECORDS

GROUP = CaseGroup("owned-decks", game="element-duel", dealing="seeded")
Accepts = tuple[tuple[str, str], ...]  # conditions on the cards, as options
SOME_STEPS = 24  # entries after a dispute that has come to nothing


def named_case(mode: str, plan: OwnedPlan, code: Code, accepts: Accepts = ()) -> CaseBody:
    """Make a case: seat 1 is named with this code as soon as it shows, and seat 0 goes on."""

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play_owned(mode, plan, accepts)
        while not play.match.faults and await play.step():
            """Until it shows."""
        if [(fault.seat, fault.code) for fault in play.match.faults] != [(1, code)]:
            raise CaseFailed(f"the log does not show {code}")
        await play.go_on_without()

    return run


def goes_on_case(mode: str, plan: OwnedPlan, accepts: Accepts = ()) -> CaseBody:
    """Make a case: nobody is named, and the match goes on."""

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play_owned(mode, plan, accepts)
        if plan.dispute:
            await play.reach("move", None, is_action("answer"))
        for _ in range(SOME_STEPS):
            await play.step()
        if play.match.faults:
            raise CaseFailed("somebody is named although all were honest")
        await play.end()

    return run


async def _disputing(arena: TableEnvironment, kind: str) -> tuple[KitMatch, SeatedPlayer]:
    """Play until seat 0 has a dispute to post."""
    play = await arena.play_owned("open", OwnedPlan(dispute=kind))
    return play, await play.reach("move", 0, is_action("dispute"))


def refused_dispute(kind: str, code: Code, *records: bytes) -> CaseBody:
    """Make a case: the dispute is refused; with `records` it has these in place of its own."""

    async def run(arena: TableEnvironment) -> None:
        play, player = await _disputing(arena, kind)
        due = player.due()
        assert due is not None
        (verb, piece, *own), parts = due.body
        body = [[verb, piece, *(records or own)], parts]
        await player.refused(player.entry(body=body), code)
        await play.end()

    return run


@GROUP.case("34.5", str(Code.ILLEGAL_MOVE))
async def dispute_about_an_own_card(arena: TableEnvironment) -> None:
    play, player = await _disputing(arena, "lost")
    due = player.due()
    assert due is not None
    (verb, _, *own), parts = due.body
    await player.refused(player.entry(body=[[verb, 0, *own], parts]), Code.ILLEGAL_MOVE)
    await play.play(player)
    await play.go_on_without()


@GROUP.case("34.2", str(Code.NOT_NOW))
async def agreement_while_a_dispute_is_open(arena: TableEnvironment) -> None:
    """Before anything else the seat whose card is disputed answers."""
    play, player = await _disputing(arena, "answered")
    await play.play(player)
    accused = play.players[1]
    agree: dict[str, Any] = {"kind": "move", "body": [["agree"], []]}
    await accused.refused(accused.entry(**agree), Code.NOT_NOW)
    await play.play(accused)
    await play.end()


@GROUP.case("34.5", str(Code.ILLEGAL_MOVE))
async def dispute_twice(arena: TableEnvironment) -> None:
    """Each seat may dispute each slot once."""
    play, player = await _disputing(arena, "answered")
    due = player.due()
    assert due is not None
    await play.play(player)
    await play.play(play.players[1])
    await player.refused(player.entry(kind="move", body=due.body), Code.ILLEGAL_MOVE)
    await play.end()


@GROUP.case("34.4.2", "nobody wins")
async def cards_that_the_other_seat_does_not_accept(arena: TableEnvironment) -> None:
    """It declines: the match is over, nobody has won, and nobody is named."""
    play = await arena.play_owned("open", OwnedPlan(refuses=True))
    await play.finish()
    if play.match.winner is not None:
        raise CaseFailed("somebody has won")


for name, bad in BAD_CARDS.items():
    GROUP.add(
        f"card-{name}",
        "34.3",
        str(Code.NOT_OWNED),
        named_case("open", OwnedPlan(bad=bad), Code.NOT_OWNED),
    )
for name, section, mode, plan, code in (
    (
        "card-that-is-shown-in-the-game",
        "34.4.3",
        "closing",
        OwnedPlan(bad=BAD_CARDS["given-away"]),
        Code.NOT_OWNED,
    ),
    (
        "card-that-is-shown-and-hidden",
        "34.4.3",
        "hidden",
        OwnedPlan(bad=BAD_CARDS["with-a-gap"]),
        Code.NOT_OWNED,
    ),
    ("copy-in-two-slots", "34.3", "open", OwnedPlan(twice=True), Code.BAD_DECK),
    ("deck-of-another-size", "34.3", "hidden", OwnedPlan(short=True), Code.BAD_DECK),
    ("dispute-without-an-answer", "34.5.3", "open", OwnedPlan(dispute="lost"), Code.NOT_OWNED),
    ("dispute-by-a-conflict", "34.5.2", "open", OwnedPlan(dispute="conflict"), Code.NOT_OWNED),
    (
        "dispute-that-no-waive-clears",
        "34.5.2",
        "open",
        OwnedPlan(dispute="answered-too-late"),
        Code.NOT_OWNED,
    ),
):
    GROUP.add(name, section, str(code), named_case(mode, plan, code))
for name, section, mode, plan in (
    ("cards-of-their-owners", "34.4.2", "open", OwnedPlan()),
    ("cards-that-nobody-sees", "34.2.3", "hidden", OwnedPlan()),
    ("dispute-that-a-waive-clears", "34.5.5", "open", OwnedPlan(dispute="answered")),
):
    GROUP.add(name, section, "goes on", goes_on_case(mode, plan))
RECORD = b"\x90"
for name, section, kind, code, records in (
    ("dispute-by-a-trade-from-another-place", "34.5.1", "of-another-place", Code.LACKING, ()),
    ("dispute-by-what-is-no-trade", "34.5.1", "of-no-trade", Code.LACKING, ()),
    ("dispute-by-what-is-no-record", "34.5", "lost", Code.BAD_ACTION, (RECORD,)),
    (
        "records-too-many-in-a-dispute",
        "34.5",
        "lost",
        Code.BAD_ACTION,
        (RECORD,) * (MAX_DISPUTE_RECORDS + 1),
    ),
    ("dispute-with-a-byte-too-many", "34.5", "lost", Code.BAD_ACTION, (bytes(MAX_DISPUTE + 1),)),
):
    GROUP.add(name, section, str(code), refused_dispute(kind, code, *records))
for mode in ("open", "closing", "hidden"):
    GROUP.add(
        f"outside-the-terms-{mode}",
        "34.8",
        str(Code.NOT_ACCEPTED),
        named_case(mode, OwnedPlan(bad=too_strong), Code.NOT_ACCEPTED, WEAK_CARDS),
    )
GROUP.add(
    "cards-within-the-terms",
    "34.8",
    "nobody is named",
    goes_on_case("open", OwnedPlan(), WEAK_CARDS),
)
GROUP.add(
    "strong-card-without-conditions",
    "34.8",
    "nobody is named",
    goes_on_case("open", OwnedPlan(bad=too_strong)),
)
