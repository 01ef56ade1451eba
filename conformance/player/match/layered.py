"""Layered dealing by a table or another seat that cheats (chapter 8)."""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.mutations import alias_point, flip_bit
from conformance.player.cheat_cases import BodyChange, late_discovery_case, stop_case
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import FakeTable, short_terms
from conformance.player.forged_logs import change_body, entry_number
from conformance.weak_keys import LOW_ORDER
from protocol.codes import Code
from protocol.crypto.envelopes import new_key
from protocol.dealing import TABLE, Fault
from protocol.dealing.layered.primitives import from_bitmap, to_bitmap
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.layered.seat_secrets import SeatSecrets
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection

GROUP = CaseGroup("layered", dealing="layered")


def secrets_of(table: FakeTable) -> SeatSecrets:
    """Return the secrets of the deal that the table's own seat knows."""
    half = table.room.others[0].half
    assert isinstance(half, LayeredSeat)
    return half._own


def _protested(
    author: int, kind: str, change: BodyChange, seat: int = 0, terms: Terms | None = None
) -> CaseBody:
    """Make a case: the player protests against the entry and opens its secrets; the author is
    named.
    """

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.play(terms or short_terms())
        table.seat = seat
        change_body(table, author, kind, lambda body: change(table, body), always=True)
        await arena.start()
        about = await arena.expect_post("protest")
        await arena.wait(lambda: table.over, "the deal was not opened after a protest")
        await table.finish(arena.connections[-1], whatever=True)
        await arena.end(len(arena.connections) - 1)
        (named, entry, _), *_ = table.room.match.faults
        if named != author or [entry] != about:
            raise CaseFailed(
                "the player protested against another entry than the one that was wrong"
            )

    return run


def _stopped(author: int, kind: str, change: BodyChange, code: Code, seat: int = 0) -> CaseBody:
    """Make a case: the entry is an obvious fault."""
    return stop_case(short_terms(), author, kind, change, code, seat)


def _found_at_the_close(author: int, kind: str, change: BodyChange) -> CaseBody:
    """Make a case: the fault is visible only after all is opened."""
    return late_discovery_case(short_terms(), author, kind, change, "open_seat")


# --- the table's entries ---


def _spoilt(table: FakeTable, body: list[Any]) -> list[Any]:
    return [body[0], [flip_bit(piece, -1) for piece in body[1]]]


def _exchanged(table: FakeTable, body: list[Any]) -> list[Any]:
    """Give each slot the ciphertext for the next slot."""
    return [body[0], [*body[1][1:], body[1][0]]]


def _stacked(table: FakeTable, body: list[Any]) -> list[Any]:
    """Return a deck in which one piece also replaces two others, with a commitment to this deck."""
    half = table.room._half
    assert half is not None
    half._deck[:3] = [(half._deck[0][0], key) for _, key in half._deck[:3]]  # type: ignore[attr-defined]
    post = half.next_post(table.room.match.deal)
    assert post is not None
    return post.body


def _slots(table: FakeTable) -> tuple[list[int], list[int]]:
    """Return the slots of the table's own seat, and the player's slots."""
    deal = table.room.match.deal
    own = secrets_of(table).own_slots(deal)  # type: ignore[arg-type]
    return own, [index for index in range(len(deal.taken)) if index not in own]  # type: ignore[union-attr]


def _overwritten(table: FakeTable, body: list[Any]) -> list[Any]:
    """Replace the key in one of the player's slots by a key of the table's own seat."""
    _, theirs = _slots(table)
    slots = list(body[0])
    slots[theirs[0]] = new_key(table.rng).public
    return [slots]


def _taken_back(table: FakeTable, body: list[Any]) -> list[Any]:
    """Give the stock a piece that the player took, instead of one that nobody took."""
    own = secrets_of(table).taken_elements
    stock = from_bitmap(body[0], 28)
    assert stock is not None
    theirs = sorted(frozenset(range(28)) - stock - own)
    return [to_bitmap(stock - {min(stock)} | {theirs[0]}, 28)]


def _spoilt_draw(table: FakeTable, body: list[Any]) -> list[Any]:
    """Make the player's own draws impossible to open; other seats' draws stay correct."""
    deal = table.room.match.deal
    drawn_here = deal.draws[-1].seat == table.seat  # type: ignore[union-attr]
    if drawn_here:
        return [[flip_bit(slot, -1) for slot in body[0]]]
    return body


DRAWS = make_terms(
    Selection("draw-dominoes", (("hand", 3), ("target", 500))),
    Selection("layered"),
    short_terms().clock,
    2,
)
EXCHANGE: dict[str, tuple[str, str, CaseBody]] = {
    "pieces-that-do-not-open": ("8.9.3", "protest", _protested(TABLE, "assign", _spoilt)),
    "pieces-sealed-to-others-slots": ("8.9.3", "protest", _protested(TABLE, "assign", _exchanged)),
    "drawn-piece-that-does-not-open": (
        "8.11.5",
        "protest",
        _protested(TABLE, "draw_reply", _spoilt_draw, terms=DRAWS),
    ),
    "pseudonym-twice": (
        "8.3.3",
        "bad_list",
        _stopped(
            TABLE,
            "pseudonyms",
            lambda table, body: [[body[0][1], *body[0][1:]], body[1]],
            Code.BAD_LIST,
        ),
    ),
    "point-that-is-the-identity": (
        "8.3.3",
        "bad_point",
        _stopped(TABLE, "pseudonyms", lambda table, body: [body[0], bytes(32)], Code.BAD_POINT),
    ),
    "point-under-a-second-encoding": (
        "8.3.3",
        "bad_point",
        _stopped(
            TABLE,
            "pseudonyms",
            lambda table, body: [body[0], alias_point(body[1])],
            Code.BAD_POINT,
        ),
    ),
    "query-under-a-second-encoding": (
        "8.11.4",
        "bad_draw_query",
        stop_case(
            DRAWS,
            1,
            "draw_query",
            lambda table, body: [alias_point(body[0])],
            Code.BAD_DRAW_QUERY,
        ),
    ),
    "piece-too-few-assigned": (
        "8.9.2",
        "bad_assignment",
        _stopped(TABLE, "assign", lambda table, body: [body[0], body[1][1:]], Code.BAD_ASSIGNMENT),
    ),
    "pseudonyms-opened-as-each-other": (
        "8.12.2",
        "bad_pseudonym",
        _found_at_the_close(
            TABLE, "open_table", lambda table, body: [[*body[0][1:], body[0][0]], *body[1:]]
        ),
    ),
    "another-transfer-secret-opened": (
        "8.12.2",
        "bad_transfer",
        _found_at_the_close(TABLE, "open_table", lambda table, body: [body[0], bytes(32), body[2]]),
    ),
    # --- another seat's entries, passed on by the table ---
    "hop-that-does-not-open": (
        "8.5.6",
        "protest",
        _protested(1, "hop", lambda table, body: [flip_bit(body[0], -1)]),
    ),
    "slots-that-do-not-open": (
        "8.8.4",
        "protest",
        _protested(1, "slot_hop", lambda table, body: [flip_bit(body[0], -1)]),
    ),
    "piece-taken-back-into-the-stock": (
        "8.5.6",
        "protest",
        _protested(0, "stock", _taken_back, seat=1),
    ),
    "slot-of-the-player-overwritten": (
        "8.8.4",
        "protest",
        _protested(0, "slots", _overwritten, seat=1),
    ),
    "layer-with-an-element-twice": (
        "8.4.3",
        "bad_list",
        _stopped(1, "layer", lambda table, body: [[body[0][1], *body[0][1:]]], Code.BAD_LIST),
    ),
    "hop-of-another-length": (
        "8.5.3",
        "bad_hop",
        _stopped(1, "hop", lambda table, body: [body[0] + b"\0"], Code.BAD_HOP),
    ),
    "layer-key-that-leads-nowhere": (
        "8.7.2",
        "bad_layer_key",
        _stopped(1, "strip", lambda table, body: [[bytes(32), *body[0][1:]]], Code.BAD_LAYER_KEY),
    ),
    "stock-of-another-size": (
        "8.5.5",
        "bad_stock",
        _stopped(0, "stock", lambda table, body: [b"\xff\xff\xff\x0f"], Code.BAD_STOCK, seat=1),
    ),
    "slot-of-low-order": (
        "8.8.3",
        "bad_slots",
        _stopped(
            0,
            "slots",
            lambda table, body: [[LOW_ORDER["one"], *body[0][1:]]],
            Code.BAD_SLOTS,
            seat=1,
        ),
    ),
    "hand-opened-otherwise-than-committed": (
        "8.12.2",
        "bad_hand_opening",
        _found_at_the_close(1, "open_seat", lambda table, body: [*body[:2], bytes(32), *body[3:]]),
    ),
}
for name, (section, expects, run) in EXCHANGE.items():
    GROUP.add(name, section, expects, run)


def _whole(seats: int, *options: tuple[str, int | str]) -> CaseBody:
    """Make a case: a match of these terms to its end."""

    async def run(arena: PlayerEnvironment) -> None:
        arena.play(
            make_terms(
                Selection("block-dominoes", options),
                Selection("layered"),
                short_terms().clock,
                seats,
            )
        )
        await arena.start()
        await arena.expect_clean()

    return run


FIVES = (("hand", 4), ("scoring", "fives"), ("spinner", "no"), ("target", 60))
CROSS = (("hand", 10), ("length", 2), ("spinner", "yes"))
GROUP.add("match-of-all-fives", "9.9", "clean", _whole(2, *FIVES))
GROUP.add("match-with-a-spinner", "9.5.4", "clean", _whole(2, *CROSS))
GROUP.add(
    "match-of-partners", "9.10", "clean", _whole(4, ("hand", 3), ("partners", "yes"), ("target", 1))
)


@GROUP.case("8.12.2", "bad_deck")
async def stacked_deck(arena: PlayerEnvironment) -> None:
    """One piece is in the deck three times: the player names the fault at the latest when all is
    opened, and signs no score.
    """
    table = arena.table
    change_body(table, TABLE, "pseudonyms", lambda body: _stacked(table, body))
    await arena.start()
    await arena.wait(lambda: table.over, "the match did not end")
    if table.room.match.faults[0] != Fault(
        TABLE, entry_number(table, TABLE, "pseudonyms"), Code.BAD_DECK
    ):
        raise CaseFailed("the deck was not found out")
    await arena.expect_stopped(len(table.room.records) - 1)
    if table.posts("receipt"):
        raise CaseFailed("the player signed the score of a false deal")
