"""Decks that only their owners know: late or wrong commitments, and slots opened as something else
(chapter 34).
"""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.mutations import flip_bit
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    BodyChange,
    fault_case,
    is_action,
    reach_kind,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import SeatedPlayer
from conformance.table.match.rule_files.kit_files import OWN, own
from protocol import wire
from protocol.codes import Code
from protocol.games.decks import ProxyCard
from protocol.games.decks.deck_hand import Loadout

GROUP = CaseGroup("decks")
TERMS: dict[str, Any] = {
    "game": "element-duel",
    "options": [["mode", "open"]],
    "dealing": "verified",
}
BAD_ACTION = Code.BAD_ACTION
BAD_SLOT = Code.BAD_SLOT
BAD_DECK = Code.BAD_DECK
ILLEGAL = Code.ILLEGAL_MOVE
DECK = is_action("deck")
OPENS = is_action("open")


def opening(place: int, value: object) -> BodyChange:
    """Return a change of the slot, salt or card in the first opening."""

    def change(player: SeatedPlayer, body: list[Any]) -> list[Any]:
        verb, raw, *others = body[0]
        read = wire.decode(raw)
        read[place] = value(read[place]) if callable(value) else value
        return [[verb, wire.encode(read), *others], []]

    return change


def mode(word: str) -> BodyChange:
    """Return a change of the deck's mode."""
    return lambda player, body: [[body[0][0], word, *body[0][2:]], []]


def too_small(mode: str) -> CaseBody:
    """Make a case: a seat brings three cards instead of the deck's four, and is named once all are
    visible.
    """

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play(**own(mode, Loadout(tuple(map(ProxyCard, range(3))), OWN)))
        while not play.match.faults and await play.step():
            """Until it shows."""
        if [fault_case.code for fault_case in play.match.faults] != [BAD_DECK]:
            raise CaseFailed("the log does not show bad_deck")
        await play.go_on_without()

    return run


@GROUP.case("34.7", "the same bytes")
async def deck_that_comes_again(arena: TableEnvironment) -> None:
    """A seat's deck is final: the table refuses a second one."""
    play, player = await reach_kind(arena, "move", 0, DECK, **TERMS)
    due = player.due()
    assert due is not None
    await play.play(player)
    await player.refused(player.entry(kind="move", body=due.body), Code.NOT_NOW)
    await play.go_on()


for name, section, code, body in (
    (
        "deck-with-another-mode",
        "34.2",
        BAD_ACTION,
        refusal_case("move", 0, BAD_ACTION, mode("closing"), DECK, **TERMS),
    ),
    (
        "deck-with-a-mode-that-there-is-not",
        "34.2",
        BAD_ACTION,
        refusal_case("move", 0, BAD_ACTION, mode("secret"), DECK, **TERMS),
    ),
    (
        "deck-without-a-slot",
        "34.1.1",
        BAD_ACTION,
        refusal_case("move", 0, BAD_ACTION, replace_action("deck", "open"), DECK, **TERMS),
    ),
    (
        "commitment-one-byte-short",
        "34.1.2",
        BAD_ACTION,
        refusal_case(
            "move", 0, BAD_ACTION, replace_action("deck", "open", bytes(31)), DECK, **TERMS
        ),
    ),
    (
        "slot-opened-before-all-decks-are-there",
        "34.2.1",
        ILLEGAL,
        refusal_case(
            "move",
            0,
            ILLEGAL,
            replace_action("open", wire.encode([0, bytes(32), 0])),
            DECK,
            **TERMS,
        ),
    ),
    (
        "choice-before-all-decks-are-there",
        "34.2",
        ILLEGAL,
        refusal_case("move", 0, ILLEGAL, replace_action("play", 1, 0, 0, 0, b""), DECK, **TERMS),
    ),
    (
        "slot-opened-as-another-card",
        "34.3",
        BAD_SLOT,
        fault_case("move", 0, BAD_SLOT, opening(2, lambda card: (card + 1) % 5), OPENS, **TERMS),
    ),
    (
        "slot-opened-as-a-card-that-there-is-not",
        "34.3",
        BAD_SLOT,
        fault_case("move", 0, BAD_SLOT, opening(2, 500), OPENS, **TERMS),
    ),
    (
        "slot-opened-with-another-salt",
        "34.3",
        BAD_SLOT,
        fault_case("move", 0, BAD_SLOT, opening(1, flip_bit), OPENS, **TERMS),
    ),
    (
        "slot-opened-as-an-owned-card",
        "34.3",
        BAD_SLOT,
        fault_case("move", 0, BAD_SLOT, opening(2, [b"\x90", [b"\x90"], [], []]), OPENS, **TERMS),
    ),
    (
        "slot-of-the-other-seat-opened",
        "34.2",
        ILLEGAL,
        refusal_case("move", 0, ILLEGAL, opening(0, 10), OPENS, **TERMS),
    ),
    (
        "slot-that-there-is-not",
        "34.1.1",
        ILLEGAL,
        refusal_case("move", 0, ILLEGAL, opening(0, 300), OPENS, **TERMS),
    ),
    (
        "opening-of-another-shape",
        "34.1.4",
        BAD_ACTION,
        refusal_case("move", 0, BAD_ACTION, replace_action("open", b"\x90"), OPENS, **TERMS),
    ),
    (
        "opening-of-nothing",
        "34.2",
        BAD_ACTION,
        refusal_case("move", 0, BAD_ACTION, replace_action("open"), OPENS, **TERMS),
    ),
    (
        "dispute-about-a-card-that-nobody-owns",
        "34.5",
        ILLEGAL,
        refusal_case("move", 0, ILLEGAL, replace_action("dispute", 10, b"\x90"), OPENS, **TERMS),
    ),
    (
        "answer-to-no-dispute",
        "34.5.2",
        Code.NOT_NOW,
        refusal_case("move", 0, Code.NOT_NOW, replace_action("answer"), OPENS, **TERMS),
    ),
    (
        "agreement-where-nobody-need-agree",
        "34.4.2",
        Code.NOT_NOW,
        refusal_case("move", 0, Code.NOT_NOW, replace_action("agree"), OPENS, **TERMS),
    ),
    ("deck-too-small-that-is-open", "34.3", BAD_DECK, too_small("open")),
    ("deck-too-small-that-is-seen-in-the-end", "34.2.3", BAD_DECK, too_small("closing")),
):
    GROUP.add(name, section, str(code), body)
